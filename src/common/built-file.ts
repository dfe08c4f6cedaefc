/**
 * The URL of a compiled file that is to run in a process or thread of its own. The built file runs even while a test runs the sources.
 * @param here the `import.meta.url` of a source file, compiled or not
 * @param relative the path of the wanted file, relative to `here`
 */
export function builtFile(here: string, relative: string): URL {
  const src = here.lastIndexOf('/src/');
  return new URL(relative, here.endsWith('.ts') ? `${here.slice(0, src)}/dist${here.slice(src)}` : here);
}

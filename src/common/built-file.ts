/**
 * Returns the URL of a compiled file that is to run in its own process or thread. It is the file in `dist` even while a test runs the
 * sources.
 * @param here the `import.meta.url` of a source file, compiled or not
 * @param relative the path of the wanted file, relative to `here`
 */
export function builtFile(here: string, relative: string): URL {
  const src = here.lastIndexOf('/src/');
  return new URL(relative, here.endsWith('.ts') ? `${here.slice(0, src)}/dist${here.slice(src)}` : here);
}

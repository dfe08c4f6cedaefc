/**
 * The compiled file beside a source file, for a process or thread of its own. It runs what was built, also while a test runs the sources.
 * @param here the `import.meta.url` of the source file, compiled or not
 */
export function builtFile(here: string, relative: string): URL {
  const src = here.lastIndexOf('/src/');
  return new URL(relative, here.endsWith('.ts') ? `${here.slice(0, src)}/dist${here.slice(src)}` : here);
}

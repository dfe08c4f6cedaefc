/* The package declares no types for its tables. */
declare module 'opencc-js/dict/*' {
  /** Pairs of a character and its replacement, with `|` between pairs and a space within a pair. */
  const table: string;
  export default table;
}

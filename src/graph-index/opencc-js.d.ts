/* The package declares no types for its tables. */
declare module 'opencc-js/dict/*' {
  /** Pairs of a character and what to write for it, with `|` between pairs and spaces within. */
  const table: string;
  export default table;
}

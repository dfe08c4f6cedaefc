/** Past this many blank lines the older half is only counted: PostgreSQL never lags behind by so much. */
const mostKept = 200_000;

/**
 * Translates PostgreSQL's line numbers within one COPY to lines of the file, which also has the lines before this COPY and
 * blank lines that were not sent.
 */
export class CopyLines {
  private blanks: number[] = [];
  private forgotten = 0;

  /** `firstLine` is the line of the file that is sent first, after the one header line of every COPY. */
  constructor(private readonly firstLine: number) {}

  /** Notes lines of the file, ascending, that were left out. */
  skip(blankLines: readonly number[]): void {
    for (const line of blankLines) if (line >= this.firstLine) this.blanks.push(line);
    if (this.blanks.length <= mostKept) return;
    this.forgotten += mostKept / 2;
    this.blanks = this.blanks.slice(mostKept / 2);
  }

  /** The line of the file behind line `copyLine` (1 is the header) of this COPY. */
  toFileLine(copyLine: number): number {
    let line = this.firstLine + copyLine - 2 + this.forgotten;
    for (const blank of this.blanks) {
      if (blank > line) break;
      line++;
    }
    return line;
  }
}

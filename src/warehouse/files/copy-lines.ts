/** A run of consecutive blank lines. */
export interface BlankLines {
  /** 1-based line number of the first blank line. */
  line: number;
  count: number;
}

/**
 * The most runs of blank lines that are kept. When there are more, the older half is reduced to a count: PostgreSQL never lags so far
 * behind the scanner that an error could concern those lines.
 */
const mostKept = 200_000;

/**
 * Translates PostgreSQL's line numbers within one COPY to lines of the file. The file also has the lines before this COPY and blank
 * lines that were not sent.
 */
export class CopyLines {
  private blanks: BlankLines[] = [];
  private forgotten = 0;

  /** @param firstLine the line of the file that this COPY sends first, after its own header line */
  constructor(private readonly firstLine: number) {}

  /** Notes blank lines of the file that were left out, in ascending order. A run of blank lines never spans a record. */
  skip(blankLines: readonly BlankLines[]): void {
    for (const run of blankLines) if (run.line >= this.firstLine) this.blanks.push(run);
    if (this.blanks.length <= mostKept) return;
    for (const { count } of this.blanks.splice(0, mostKept / 2)) this.forgotten += count;
  }

  /** The line of the file for line `copyLine` of this COPY, whose line 1 is the header. */
  toFileLine(copyLine: number): number {
    let line = this.firstLine + copyLine - 2 + this.forgotten;
    for (const run of this.blanks) {
      if (run.line > line) break;
      line += run.count;
    }
    return line;
  }
}

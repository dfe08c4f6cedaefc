/** Consecutive blank lines. */
export interface BlankLines {
  /** 1-based line of the first of them. */
  line: number;
  count: number;
}

/** Beyond this many runs of blank lines the older half is only counted. PostgreSQL never lags behind by so much. */
const mostKept = 200_000;

/**
 * Translates PostgreSQL's line numbers within one COPY to lines of the file. The file also has the lines before this COPY and blank
 * lines that were not sent.
 */
export class CopyLines {
  private blanks: BlankLines[] = [];
  private forgotten = 0;

  /** `firstLine` is the first line of the file that is sent, after the one header line of every COPY. */
  constructor(private readonly firstLine: number) {}

  /** Notes lines of the file that were left out, in ascending order. A run of them never spans a record. */
  skip(blankLines: readonly BlankLines[]): void {
    for (const run of blankLines) if (run.line >= this.firstLine) this.blanks.push(run);
    if (this.blanks.length <= mostKept) return;
    for (const { count } of this.blanks.splice(0, mostKept / 2)) this.forgotten += count;
  }

  /** The line of the file for line `copyLine` (1 is the header) of this COPY. */
  toFileLine(copyLine: number): number {
    let line = this.firstLine + copyLine - 2 + this.forgotten;
    for (const run of this.blanks) {
      if (run.line > line) break;
      line += run.count;
    }
    return line;
  }
}

/** Splits a text that comes in pieces into lines. Each piece is searched once, even if a line spans many pieces. */
export class Lines {
  private unfinished = '';

  /** @param read gets each line without its line break */
  constructor(private readonly read: (line: string) => void) {}

  /** Number of characters of the line that has not ended yet. */
  get pending(): number {
    return this.unfinished.length;
  }

  take(piece: string): void {
    const end = piece.lastIndexOf('\n');
    if (end !== -1) for (const line of (this.unfinished + piece.slice(0, end)).split('\n')) this.read(line);
    this.unfinished = end === -1 ? this.unfinished + piece : piece.slice(end + 1);
  }

  /** Ends the text: `read` gets the text behind the last line break as the last line. */
  end(): void {
    this.read(this.unfinished);
  }
}

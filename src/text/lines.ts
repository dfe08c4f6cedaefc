/** The lines of a text that comes in pieces. Each piece is searched once, however long its line grows. */
export class Lines {
  private unfinished = '';

  /** @param read is given each line without its break */
  constructor(private readonly read: (line: string) => void) {}

  /** The characters of the line that has not ended. */
  get pending(): number {
    return this.unfinished.length;
  }

  take(piece: string): void {
    const end = piece.lastIndexOf('\n');
    if (end !== -1) for (const line of (this.unfinished + piece.slice(0, end)).split('\n')) this.read(line);
    this.unfinished = end === -1 ? this.unfinished + piece : piece.slice(end + 1);
  }

  /** Reads what is behind the last break. */
  end(): void {
    this.read(this.unfinished);
  }
}

const tellEveryMs = 5_000;

/** Reports the progress of long work: one line on standard error every five seconds. */
export class Progress {
  private toldAt = performance.now();
  private bytes = 0;
  private now = '';

  constructor(private readonly write: (line: string) => void) {}

  begin(index: number, tables: number, table: string): void {
    this.now = `${index + 1}/${tables} ${table}`;
    this.add(0);
  }

  add(bytes: number): void {
    this.bytes += bytes;
    if (performance.now() - this.toldAt < tellEveryMs) return;
    this.toldAt = performance.now();
    this.write(`  表 / table ${this.now}, ${Math.round(this.bytes / 1e6)} MB`);
  }
}

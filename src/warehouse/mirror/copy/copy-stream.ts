import { type PoolClient } from 'pg';
import { type CopyStreamQuery, from } from 'pg-copy-streams';

/** PostgreSQL skips this line as a header. It fixes the line ending, so that the lines in errors match ours. */
const header = Buffer.from('header\n');

/**
 * One `COPY … FROM STDIN`. A write only waits for the one before, so that the caller scans the next block while PostgreSQL works on
 * this one. It holds no more memory than that.
 */
export class CopyStream {
  private failure: Error | null = null;
  private full = false;
  private wake: () => void = () => undefined;
  private readonly stream: CopyStreamQuery;

  constructor(client: PoolClient, sql: string) {
    this.stream = client.query(from(sql));
    this.stream.on('error', error => {
      this.failure = error;
      this.wake();
    });
    this.stream.on('drain', () => {
      this.full = false;
      this.wake();
    });
    this.stream.write(header);
  }

  /** Resolves when the bytes before these are on their way. @throws PostgreSQL's error for rows it refused */
  async write(bytes: Buffer): Promise<void> {
    while (this.full && !this.failure) await new Promise<void>(resolve => (this.wake = resolve));
    if (this.failure) throw this.failure;
    if (bytes.length > 0) this.full = !this.stream.write(bytes);
  }

  /** Ends the COPY and returns the number of rows that PostgreSQL took. */
  async end(): Promise<number> {
    let finished = false;
    this.stream.once('finish', () => {
      finished = true;
      this.wake();
    });
    this.stream.end();
    while (!finished && !this.failure) await new Promise<void>(resolve => (this.wake = resolve));
    if (this.failure) throw this.failure;
    return this.stream.rowCount;
  }

  /** Breaks off the COPY, which fails the transaction. */
  async abort(): Promise<void> {
    if (this.failure || this.stream.writableFinished) return;
    const closed = new Promise(resolve => this.stream.once('close', resolve));
    this.stream.destroy();
    await closed;
  }
}

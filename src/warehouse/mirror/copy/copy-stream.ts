import { type PoolClient } from 'pg';
import { type CopyStreamQuery, from } from 'pg-copy-streams';

/**
 * The first line of each COPY, which PostgreSQL skips as a header. PostgreSQL takes the kind of line ending from it, so that the line
 * numbers in PostgreSQL's errors match those of the service.
 */
const header = Buffer.from('header\n');

/**
 * One `COPY … FROM STDIN`. A write waits only for the previous write, so that the caller scans the next block while PostgreSQL works on the
 * current one. No further blocks are held in memory.
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

  /** Resolves when the bytes of earlier writes have been sent. @throws PostgreSQL's error for rows that it refused */
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

  /** Aborts the COPY, which makes the transaction fail. */
  async abort(): Promise<void> {
    if (this.failure || this.stream.writableFinished) return;
    const closed = new Promise(resolve => this.stream.once('close', resolve));
    this.stream.destroy();
    await closed;
  }
}

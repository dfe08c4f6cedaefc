import { Transform, type TransformCallback } from 'node:stream';
import { serverErrorIn } from './server-error.js';

/** Bytes at the end of an answer that are searched for an error message. */
const tailBytes = 16_384;

/**
 * Passes on an answer without the mark at its end, and fails if the mark is missing. A server that fails after its first rows has already
 * sent the status 200: it then writes the text of the error behind the rows, or ends the answer early. The end of an answer is therefore
 * held back until the answer is known to be complete, so that the text of an error never counts as rows.
 */
export class WholeAnswer extends Transform {
  private held: Buffer = Buffer.alloc(0);
  private readonly mark: Buffer;

  constructor(mark: string) {
    super();
    this.mark = Buffer.from(mark);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const all = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    const known = Math.max(0, all.length - tailBytes);
    this.held = all.subarray(known);
    if (known > 0) this.push(all.subarray(0, known));
    done();
  }

  override _flush(done: TransformCallback): void {
    const rows = this.held.length - this.mark.length;
    if (rows >= 0 && this.held.subarray(rows).equals(this.mark)) {
      if (rows > 0) this.push(this.held.subarray(0, rows));
      done();
    } else {
      done(serverErrorIn(this.held.toString()) ?? new Error('The answer ended before its last row'));
    }
  }
}

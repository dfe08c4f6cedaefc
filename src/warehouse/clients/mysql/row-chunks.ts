import { UnreadableValueError, WarehouseQueryError, WarehouseUnavailableError } from '../../warehouse.errors.js';
import { sqlstates } from '../../../sql/sqlstate.js';

const chunkBytes = 65_536;
const newline = 10;
/** Rows that come slowly are not held back longer, so that their source is not taken for silent. */
const longestMs = 1_000;

/** Joins rows, each of which is a line of COPY's text, into pieces of some size. */
export class RowChunks {
  private lines: Buffer[] = [];
  private bytes = 0;
  private lastAt = performance.now();

  constructor(
    private readonly table: string,
    private readonly columns: readonly string[],
  ) {}

  /**
   * A piece, once there is enough for one, or the last one was long ago.
   * @param line null if the server could not write the row: its texts would be longer than it allows
   * @throws WarehouseQueryError, UnreadableValueError, WarehouseUnavailableError
   */
  add(line: Buffer | null): Buffer | null {
    if (line === null) {
      const reason = {
        zh: `表“${this.table}”有一行超过服务器的 max_allowed_packet`,
        en: `a row of the table '${this.table}' is larger than max_allowed_packet of the server`,
      };
      throw new WarehouseQueryError(reason, sqlstates.outOfMemory, null, undefined);
    }
    // An empty one would count for nothing, and be held for ever.
    if (line.at(-1) !== newline) throw new WarehouseUnavailableError(new Error('The server sent a row that is not a line'));
    this.lines.push(line);
    this.bytes += line.length;
    return this.bytes < chunkBytes && performance.now() - this.lastAt < longestMs ? null : this.rest();
  }

  /** The rows added since the last piece; null if there are none. @throws UnreadableValueError */
  rest(): Buffer | null {
    this.lastAt = performance.now();
    if (this.bytes === 0) return null;
    const chunk = Buffer.concat(this.lines, this.bytes);
    this.lines = [];
    this.bytes = 0;
    const zero = chunk.indexOf(0);
    if (zero !== -1) throw new UnreadableValueError(this.table, this.columnAt(chunk, zero));
    return chunk;
  }

  /** A tab or newline inside of a value is escaped. */
  private columnAt(chunk: Buffer, position: number): string {
    const before = chunk.subarray(chunk.lastIndexOf('\n', position) + 1, position).toString('latin1');
    return this.columns[before.split('\t').length - 1] ?? '';
  }
}

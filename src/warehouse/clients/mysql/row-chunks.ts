import { UnreadableValueError, WarehouseQueryError, WarehouseUnavailableError } from '../../warehouse.errors.js';
import { sqlstates } from '../../../sql/sqlstate.js';

const chunkBytes = 65_536;
const newline = 10;
/** The longest time in ms that rows are held back, so that a slow source does not count as silent. */
const longestMs = 1_000;

/** Joins rows into larger pieces. Each row is one line in the text format of COPY. */
export class RowChunks {
  private lines: Buffer[] = [];
  private bytes = 0;
  private lastAt = performance.now();

  constructor(
    private readonly table: string,
    private readonly columns: readonly string[],
  ) {}

  /**
   * Adds a row. @returns a piece, if enough bytes are held or the last piece was long ago; otherwise null
   * @param line null if the server could not write the row, because the row's text would be longer than max_allowed_packet
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
    // A row that is not a line is refused. Empty rows, for example, would add no bytes, and so be held without limit.
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

  /** The name of the column at a position in a piece of COPY lines. A tab or newline inside of a value is escaped. */
  private columnAt(chunk: Buffer, position: number): string {
    const before = chunk.subarray(chunk.lastIndexOf('\n', position) + 1, position).toString('latin1');
    return this.columns[before.split('\t').length - 1] ?? '';
  }
}

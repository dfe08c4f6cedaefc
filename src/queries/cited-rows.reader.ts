import { Injectable } from '@nestjs/common';
import { AnswerTooLargeError } from '../common/errors/answer-too-large.error.js';
import { type TimeLeft } from '../common/turns/time-left.js';
import { Settings } from '../config/settings.js';
import { type JobReader, type LoadedRows } from '../ingestion/jobs.service.js';
import { type DescribedPart, LoadedElements } from '../ingestion/loaded-elements.service.js';
import { type SqlStatement } from '../sql/sql-parameters.js';
import { sqlstates } from '../sql/sqlstate.js';
import { requirePostgresSql } from '../warehouse/require-postgres-sql.js';
import { WarehouseQueryError, WarehouseTimeoutError } from '../warehouse/warehouse.errors.js';
import { type QueryRequest, type QueryResult } from '../warehouse/clients/warehouse.client.js';
import { type UsableConnection } from '../warehouse/warehouse.service.js';
import { type CitedTable, compileCandidates, compileShownRows, type KeyForm } from './compile-cited-rows.js';

export interface TableRead {
  connection: UsableConnection;
  job: JobReader;
  graphId: number;
  table: string;
  loaded: LoadedRows[];
  /** The columns that the graph shows, and whether the caller may see the others too. */
  mapped: string[];
  seesAll: boolean;
  time: TimeLeft;
  maxBytes: number;
}

export interface CitedRows {
  /** The rows to show, by the index of the element's key. */
  rows: Map<number, Record<string, unknown>>;
  bytes: number;
  /** The indexes of keys whose rows differ in mapped columns, so that no row is shown. */
  ambiguous: number[];
  /** The indexes of keys whose rows differ in other columns only, so that the mapped columns are shown. */
  narrowed: number[];
  /** Reasons for keys without a row, the most telling first. */
  reasons: Set<MissingReason>;
}

export type MissingReason = 'changed' | 'clock' | 'many' | 'old' | 'large';

type Texts = (string | null)[];

interface Element {
  index: number;
  key: string[];
  /** The texts of the used columns of rows that make the element. */
  made: Texts[];
}

interface RowsOf<T> {
  of: T;
  rows: unknown[][];
}

interface Batch<T> {
  found: RowsOf<T>[];
  /** Whether an element has more rows than were read. */
  isCut: boolean;
}

type Limits = Pick<QueryRequest, 'claim' | 'timeoutMs'>;

interface OpenTable {
  source: CitedTable;
  graphId: number;
  parts: DescribedPart[];
  /** @throws WarehouseTimeoutError when the time is over */
  limits: () => Limits;
  query: (statement: SqlStatement, maxRows: number, maxBytes: number) => Promise<QueryResult>;
}

/** The most rows of one statement that are compared with the graph: several rows may have the key of an element. */
export const mostCandidates = 1_000;
/** The rows of each element that are compared first. Most elements are found by one of them. */
const fewRows = 10;

/**
 * Reads the rows of cited elements from one table. First only the columns from which the mapping makes elements are read, of a few rows of
 * each element; the columns to show are read for a row that makes the element.
 */
@Injectable()
export class CitedRowsReader {
  constructor(
    private readonly elements: LoadedElements,
    private readonly settings: Settings,
  ) {}

  /** @param keys the different keys of the cited elements, in the order of the mapping's key */
  async read(read: TableRead, keys: string[][]): Promise<CitedRows> {
    const table = await this.open(read);
    const elements = new Map(keys.map((key, index): [string, Element] => [JSON.stringify(key), { index, key, made: [] }]));
    const reasons = new Set<MissingReason>();
    await this.find(table, elements, reasons);
    const made = [...elements.values()].filter(element => element.made.length > 0);
    const found = await this.show(table, read, made, reasons);
    reasons.add(table.parts.some(part => part.tellsTime) ? 'clock' : 'changed');
    return { ...found, reasons };
  }

  private async open({ connection: { client, claim }, job, graphId, table, loaded, time }: TableRead): Promise<OpenTable> {
    requirePostgresSql(client);
    const limits = (): Limits => {
      if (time.isOver) throw new WarehouseTimeoutError(this.settings.warehouseTimeoutMs, null);
      return { claim, timeoutMs: time.ms };
    };
    const parts = await this.elements.describe(job, graphId, loaded, limits().timeoutMs);
    limits();
    const columns = (await client.catalog(claim).describe(table))?.columns ?? [];
    const used = columns.filter(({ name }) => parts.some(part => part.uses.has(name)));
    const timeZone = loaded[0]!.mapping.source.timezone;
    return {
      source: { client, table, loaded, columns, used },
      graphId,
      parts,
      limits,
      query: (statement, maxRows, maxBytes) => client.query({ ...statement, ...limits(), maxRows, maxBytes, timeZone }),
    };
  }

  /**
   * Finds rows that make the elements. Rows whose columns have the written key are read first, since the source may find them with an index.
   * Only then the keys are made of all rows, for the elements that were not found.
   */
  private async find(table: OpenTable, elements: Map<string, Element>, reasons: Set<MissingReason>): Promise<void> {
    for (const form of ['written', 'made'] as const) {
      try {
        for (const isFirst of [true, false]) {
          const wanted = [...elements.values()].filter(({ made }) => made.length === 0);
          const each = isFirst ? fewRows : Math.max(fewRows, Math.floor(mostCandidates / wanted.length));
          if (wanted.length === 0 || (await this.compareAll(table, elements, inBatches(wanted, each, this.candidates(table, form))))) break;
          if (!isFirst) reasons.add('many');
        }
      } catch (error) {
        if (error instanceof AnswerTooLargeError) reasons.add('large');
        // An old server lacks functions that make keys of texts. Its rows with the written key were read without them.
        else if (form === 'made' && error instanceof WarehouseQueryError && error.sqlstate === sqlstates.undefinedFunction)
          reasons.add('old');
        else throw error;
      }
    }
  }

  private candidates({ source, query }: OpenTable, form: KeyForm) {
    // Staging gives the values of the rows back in JSON, which takes more bytes.
    const maxBytes = Math.ceil(this.settings.answerMaxBytes / 2);
    return async (wanted: Element[], maxRows: number): Promise<QueryResult> => {
      const keys = wanted.map(({ key }) => key);
      return query(await compileCandidates(source, form, keys, maxRows), maxRows, maxBytes);
    };
  }

  /** Compares rows with what the graph has. @returns whether these were all rows that have the keys */
  private async compareAll(table: OpenTable, elements: Map<string, Element>, batches: AsyncGenerator<Batch<Element>>): Promise<boolean> {
    let isAll = true;
    for await (const { found, isCut } of batches) {
      isAll &&= !isCut;
      const rows = found.flatMap(each => each.rows as Texts[]);
      if (rows.length > 0) await this.compare(table, elements, rows);
    }
    return isAll;
  }

  private async compare({ source, graphId, parts, limits }: OpenTable, elements: Map<string, Element>, rows: Texts[]): Promise<void> {
    const { used, loaded } = source;
    for (const part of parts) {
      const own = used.flatMap(({ name }, index) => (part.uses.has(name) ? [index] : []));
      const given = { columns: own.map(index => used[index]!), rows: rows.map(row => own.map(index => row[index]!)) };
      // The parts of one table may name the columns of their keys in another order.
      const inOrder = loaded[0]!.key.map(column => part.loaded.key.indexOf(column));
      for (const { row, key } of await this.elements.find(part, graphId, given, limits()))
        elements.get(JSON.stringify(inOrder.map(place => key[place])))?.made.push(rows[row]!);
    }
  }

  /** Reads the columns to show, of one row of each element. */
  private async show(
    { source, query }: OpenTable,
    { mapped, seesAll, maxBytes }: TableRead,
    made: Element[],
    reasons: Set<MissingReason>,
  ): Promise<Omit<CitedRows, 'reasons'>> {
    const shown = seesAll ? source.columns.filter(({ denied }) => !denied).map(({ name }) => name) : mapped;
    const inMapped = mapped.map(name => source.used.findIndex(column => column.name === name));
    const isAmbiguous = (element: Element): boolean => isVaried(element.made.map(row => inMapped.map(index => row[index])));
    const ambiguous = made.filter(isAmbiguous).map(({ index }) => index);
    const clear = made.filter(element => !isAmbiguous(element));
    const found: Omit<CitedRows, 'reasons'> = { rows: new Map(), bytes: 0, ambiguous, narrowed: [] };
    // Two rows tell whether an element has rows with other values in the columns that only some callers see.
    const batches = inBatches(clear, seesAll ? 2 : 1, async (some, maxRows) => {
      const texts = some.map(element => element.made[0]!);
      const result = await query(await compileShownRows(source, shown, texts, maxRows), maxRows, maxBytes - found.bytes);
      found.bytes += result.bytes;
      return result;
    });
    try {
      for await (const batch of batches) {
        for (const { of, rows } of batch.found) {
          const [row] = rows;
          if (!row) continue;
          const isNarrowed = seesAll && (isVaried(rows) || isVaried(of.made));
          if (isNarrowed) found.narrowed.push(of.index);
          const values = shown.map((name, index) => [name, row[index] ?? null] as const);
          found.rows.set(of.index, Object.fromEntries(isNarrowed ? values.filter(([name]) => mapped.includes(name)) : values));
        }
      }
    } catch (error) {
      if (!(error instanceof AnswerTooLargeError)) throw error;
      reasons.add('large');
    }
    return found;
  }
}

/**
 * Reads the rows of each wanted element: all of them, or the first `each`. One statement asks for all elements, since each statement may
 * read the whole table. Elements that the many rows of others kept out of its limit are asked for again, and so are halves of the elements
 * if their rows take too many bytes.
 * @param read a statement whose last column is the place of the row's element, counted from 1
 * @throws AnswerTooLargeError after the last batch, if a single row was too large
 */
async function* inBatches<T>(
  wanted: T[],
  each: number,
  read: (some: T[], maxRows: number) => Promise<QueryResult>,
): AsyncGenerator<Batch<T>> {
  const open = wanted.length > 0 ? [{ some: wanted, each }] : [];
  let refusal: AnswerTooLargeError | null = null;
  for (let next = open.pop(); next; next = open.pop()) {
    const { some, each: most } = next;
    let result: QueryResult;
    try {
      result = await read(some, most * some.length);
    } catch (error) {
      if (!(error instanceof AnswerTooLargeError)) throw error;
      const half = Math.ceil(some.length / 2);
      if (some.length > 1) open.push({ some: some.slice(half), each: most }, { some: some.slice(0, half), each: most });
      else if (most > 1) open.push({ some, each: Math.floor(most / 2) });
      else refusal = error;
      continue;
    }
    const all = some.map((of): RowsOf<T> => ({ of, rows: [] }));
    for (const values of result.rows) all[Number(values.at(-1)) - 1]!.rows.push(values.slice(0, -1));
    // A cut result has `most` rows of one element at least, so each statement ends with fewer elements.
    const isEnough = ({ rows }: RowsOf<T>): boolean => !result.truncated || rows.length >= most;
    yield { found: all.filter(isEnough).map(({ of, rows }) => ({ of, rows: rows.slice(0, most) })), isCut: result.truncated };
    const left = all.filter(each => !isEnough(each)).map(({ of }) => of);
    if (left.length > 0) open.push({ some: left, each: most });
  }
  if (refusal) throw refusal;
}

/** Whether the rows have different values. */
function isVaried(rows: unknown[][]): boolean {
  return new Set(rows.map(row => JSON.stringify(row))).size > 1;
}

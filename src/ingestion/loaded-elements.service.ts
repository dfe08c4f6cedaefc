import { Injectable } from '@nestjs/common';
import { inLimitedTurns } from '../common/turns/pace.js';
import { graphTables } from '../database/graph-tables.js';
import { ServicePool } from '../database/service-pool.js';
import { quoteIdentifier } from '../sql/quote-identifier.js';
import { tellsTime } from '../sql-guard/tells-time.js';
import { RunFailure } from '../common/errors/run-failure.js';
import { withKnownType } from '../warehouse/clients/known-type.js';
import { type QueryRequest, type TableColumn } from '../warehouse/clients/warehouse.client.js';
import { isReadable } from '../warehouse/references/key-kind.js';
import { WarehouseService } from '../warehouse/warehouse.service.js';
import { type JobReader, type LoadedRows } from './jobs.service.js';
import { readKeys } from './run/read-keys.js';
import { compileStaging } from './staging/compile-staging.js';
import { type KeyProperties } from './staging/key-sql.js';
import { SourcesService } from './sources.service.js';
import { type RowsSql } from './staging/source-sql.js';
import { namedColumns, type SourceShape, targetsOf } from './staging/target.js';

/** The longest time in milliseconds that a source may take to describe its tables. */
const describedMs = 3_000;

/** A part of a mapping with its described source. */
export interface DescribedPart {
  loaded: LoadedRows;
  shape: SourceShape;
  keys: ReadonlyMap<string, KeyProperties>;
  /** The source columns from which the part makes its elements. */
  uses: ReadonlySet<string>;
  /** Whether SQL of the mapping's author reads the clock, so that the same row may make another element now. */
  tellsTime: boolean;
}

/** A source row that makes an element which the graph has, with the texts of the element's key. */
export interface LoadedElement {
  row: number;
  key: string[];
}

type Staged = [row: string, key: string, from: string | null, to: string | null, properties: string];

/**
 * Finds the source rows that make what the graph has now. The rows are staged as a run stages them, in the service's own database, so that
 * rows of another server need no function that only this release of PostgreSQL has.
 */
@Injectable()
export class LoadedElements {
  constructor(
    private readonly sources: SourcesService,
    private readonly warehouse: WarehouseService,
    private readonly pool: ServicePool,
  ) {}

  /**
   * Describes parts of one mapping that make the same kind of element, all at once, so that a slow source delays the answer only once.
   * @throws RunFailure if the source no longer fits the mapping or gives no answer, and what `SourcesService.describe` throws
   */
  async describe(job: JobReader, graphId: number, parts: LoadedRows[], timeoutMs: number): Promise<DescribedPart[]> {
    const [{ mapping }] = parts as [LoadedRows];
    const elements = new Set(parts.map(({ target }) => target.element));
    const ends = new Set(parts.flatMap(({ target }) => (target.kind === 'edge' ? [target.element.from.node, target.element.to.node] : [])));
    const nodes = mapping.nodes.filter(node => elements.has(node) || ends.has(node.id));
    const narrow = { ...mapping, nodes, edges: mapping.edges.filter(edge => elements.has(edge)) };
    const described = await this.sources.describe(narrow, job, Math.min(describedMs, timeoutMs));
    if ('unchecked' in described) throw new RunFailure('source_not_checked', described.unchecked.reason);
    if ('problems' in described) throw new RunFailure('source_changed', described.problems[0]!.text);
    const { shapes } = described.source;
    const targets = targetsOf(narrow);
    const keys = await readKeys(this.pool, { graphId, jobId: job.id, targets }, shapes);
    return parts.map(loaded => {
      const shape = shapes[targets.findIndex(({ element }) => element === loaded.target.element)]!;
      const sql = [...shape.sql.values()];
      const inSql = sql.flatMap(({ columns }) => columns.map(([, column]) => column));
      const uses = new Set([...namedColumns(loaded.target).map(({ column }) => column), ...inSql]);
      return { loaded, shape, keys, uses, tellsTime: sql.some(tellsTime) };
    });
  }

  /**
   * Finds the rows that make what the graph has. A property whose expression reads the clock is not compared.
   * @param columns the columns that the part uses
   * @param rows the texts of these columns
   */
  async find(
    { loaded: { mapping, target }, shape, keys }: DescribedPart,
    graphId: number,
    { columns, rows }: { columns: TableColumn[]; rows: (string | null)[][] },
    request: Pick<QueryRequest, 'claim' | 'timeoutMs'>,
  ): Promise<LoadedElement[]> {
    const from = givenRows(columns, rows);
    const plan = await inLimitedTurns(compileStaging({ target, mapping, shape, from, keys, cursorFrom: null, isOnlyRead: true }));
    const ends = target.kind === 'edge' ? 'from_key, to_key' : 'NULL, NULL';
    const good = `failures IS NULL${plan.hasDeletes ? ' AND NOT gone' : ''}`;
    const sql = `SELECT row_no, key, ${ends}, properties::text FROM (\n${plan.insert.sql}\n) AS s WHERE ${good}`;
    const { parameters } = plan.insert;
    const timeZone = mapping.source.timezone;
    const staged = (await this.warehouse.mirror.query({ ...request, sql, parameters, maxRows: rows.length, timeZone })).rows as Staged[];
    const { nodes, edges } = graphTables(graphId);
    const [key, fromKey, toKey, properties] = ([1, 2, 3, 4] as const).map(place => staged.map(row => row[place]));
    const lasting = target.element.columns.filter(
      ({ source }) => source.kind !== 'expression' || !tellsTime(shape.sql.get(source.expression)!),
    );
    const names = lasting.map(({ property }) => property);
    const given = `unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS s (key, from_key, to_key, properties, place)`;
    // Other jobs may have given the element properties of their own, so only those of this mapping are compared.
    const own = (properties: string): string =>
      `(SELECT coalesce(jsonb_object_agg(p.key, p.value), '{}') FROM jsonb_each(${properties}) AS p WHERE p.key = ANY ($5))`;
    const isSame = (of: string): string => `${own(`${of}.properties`)} = ${own('s.properties::jsonb')}`;
    const found =
      target.kind === 'node'
        ? await this.pool.query<{ place: string }>(
            `SELECT s.place FROM ${given} JOIN ${nodes} n ON n.label = $6 AND n.key = s.key WHERE ${isSame('n')}`,
            [key, fromKey, toKey, properties, names, target.element.label],
          )
        : await this.pool.query<{ place: string }>(
            `SELECT s.place FROM ${given}
               JOIN ${nodes} a ON a.label = $7 AND a.key = s.from_key JOIN ${nodes} b ON b.label = $8 AND b.key = s.to_key
               JOIN ${edges} e ON e.source_id = a.id AND e.type = $6 AND e.target_id = b.id AND e.key = s.key
             WHERE ${isSame('e')}`,
            [key, fromKey, toKey, properties, names, target.element.type, target.element.from.label, target.element.to.label],
          );
    return found.rows.map(({ place }) => {
      const [row, text] = staged[Number(place) - 1]!;
      return { row: Number(row) - 1, key: target.element.key.length > 1 ? (JSON.parse(text) as string[]) : [text] };
    });
  }
}

/** SQL for rows that come as parameters, with columns of the types that their table has. */
function givenRows(columns: TableColumn[], rows: (string | null)[][]): RowsSql {
  return (_, sql) => {
    const arrays = columns.map((_column, index) => `unnest(${sql.bind(rows.map(row => row[index] ?? null), 'text[]')})`); // prettier-ignore
    const typed = columns.map(column => {
      const known = withKnownType(column);
      return isReadable(known) ? known.type : 'text';
    });
    const values = columns.map(({ name }, index) => `c${index}::${typed[index]} AS ${quoteIdentifier(name)}`);
    return `(SELECT ${values.join(', ')} FROM ROWS FROM (${arrays.join(', ')}) AS given (${columns.map((_column, index) => `c${index}`).join(', ')}))`;
  };
}

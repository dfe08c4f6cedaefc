import { withKnownType } from '../../warehouse/clients/known-type.js';
import { type TableColumn, type TableDescription, type WarehouseClient } from '../../warehouse/clients/warehouse.client.js';
import { type GuardedSelect } from '../../sql-guard/guard-select.js';
import { type MovedSelect, moveTables } from '../../sql-guard/move-tables.js';
import { quoteTable } from '../../sql/quote-identifier.js';
import { type ElementSource, type Incremental } from '../mapping/mapping.js';
import { type SourceSql } from './source-sql.js';
import { guardOverSource } from './guard-target.js';
import { guardedQuery } from './guarded-query.js';
import { namedColumns, type Target, writtenSql } from './target.js';

/** The schema of the copies. */
const temporary = 'pg_temp';
/** A table of another database, and the temporary table that a run copies it into. */
export interface ForeignTable {
  /** The name by which its client knows it. */
  name: string;
  copy: string;
  columns: ReadonlyMap<string, TableColumn>;
}

/** A table with the part of it that a run copies: the columns `used`, and the rows after a cursor if `incremental` is set. */
export interface CopiedTable extends ForeignTable {
  used: TableColumn[];
  /** Its rows are joined or sorted, so the planner needs to know them. */
  feedsQuery: boolean;
  /** The one target that reads it, if that reads on from a cursor. */
  incremental: { target: string; by: Incremental } | null;
}

/** The tables of another database that a mapping reads. Its SQL runs on their copies, whatever SQL that database speaks. */
export class ForeignTables {
  private readonly byPlace = new Map<string, ForeignTable>();
  private readonly moved = new Map<GuardedSelect, MovedSelect>();

  constructor(private readonly client: Pick<WarehouseClient, 'schema' | 'place'>) {}

  add(name: string, { columns }: TableDescription): void {
    // The names of copies hold nothing of the user's, so they collide with none of this session's own.
    const copy = `source_${this.byPlace.size}`;
    this.byPlace.set(this.placeOf(name), { name, copy, columns: new Map(columns.map(column => [column.name, withKnownType(column)])) });
  }

  get(name: string): ForeignTable | null {
    return this.byPlace.get(this.placeOf(name)) ?? null;
  }

  /** The first table of an admitted query that was not described. */
  missing({ tables }: GuardedSelect): string | null {
    return tables.find(table => this.get(this.nameOf(table)) === null) ?? null;
  }

  get all(): ForeignTable[] {
    return [...this.byPlace.values()];
  }

  /** The tables of a source, by the names of its client. @throws UnsafeFilterClauseError */
  namesOf(source: ElementSource): string[] {
    if (source.kind === 'table') return [source.table];
    return guardedQuery(source, this.client.schema).tables.map(table => this.nameOf(table));
  }

  /** A query that reads the copies. @throws UnsafeFilterClauseError */
  select(query: GuardedSelect): MovedSelect {
    const known = this.moved.get(query);
    if (known) return known;
    const moved = moveTables(query, { schema: temporary, nameOf: table => this.copyOf(this.nameOf(table)) });
    this.moved.set(query, moved);
    return moved;
  }

  readonly sql: SourceSql = source =>
    source.kind === 'table'
      ? quoteTable(temporary, this.copyOf(source.table))
      : `(\n${this.select(guardedQuery(source, this.client.schema)).text}\n)`;

  /** The tables with the columns to copy: those that their targets use, or all readable ones if a query reads the table. */
  plan(targets: Target[]): CopiedTable[] {
    return this.all.map(table => {
      const readers = targets.filter(({ element }) => this.namesOf(element.source).some(name => this.get(name) === table));
      const feedsQuery = readers.some(({ element }) => element.source.kind === 'query');
      const wanted = new Set(readers.flatMap(target => usedColumns(target, table)));
      const used = [...table.columns.values()].filter(({ name, type }) => (feedsQuery ? type !== 'other' : wanted.has(name)));
      const [only] = readers;
      const by = readers.length === 1 && only?.element.source.kind === 'table' ? only.element.incremental : null;
      return { ...table, used, feedsQuery, incremental: by && { target: only!.name, by } };
    });
  }

  /** A bare name in SQL means a table of the client's schema. To the client, a dot in it would name another. */
  private nameOf(table: string): string {
    const place = this.client.place(table);
    return place.schema === this.client.schema && place.table === table ? table : `${this.client.schema}.${table}`;
  }

  private copyOf(name: string): string {
    const table = this.get(name);
    if (!table) throw new Error(`The table ${name} was not described`);
    return table.copy;
  }

  private placeOf(name: string): string {
    const { schema, table } = this.client.place(name);
    return JSON.stringify([schema, table]);
  }
}

function usedColumns(target: Target, { columns }: ForeignTable): string[] {
  if (target.element.source.kind === 'query') return [];
  const guard = guardOverSource(target, columns);
  const inSql = writtenSql(target).flatMap(({ text }) => guard(text).columns.map(([, column]) => column));
  return [...namedColumns(target).map(({ column }) => column), ...inSql];
}

import { withKnownType } from '../../warehouse/clients/known-type.js';
import { type TableColumn, type TableDescription, type WarehouseClient } from '../../warehouse/clients/warehouse.client.js';
import { isReadable } from '../../warehouse/references/key-kind.js';
import { type GuardedSelect } from '../../sql-guard/guard-select.js';
import { type MovedSelect, moveTables } from '../../sql-guard/move-tables.js';
import { quoteTable } from '../../sql/quote-identifier.js';
import { type ElementSource, type Incremental } from '../mapping/mapping.js';
import { type SourceSql } from './source-sql.js';
import { guardOverSource } from './guard-target.js';
import { guardedQuery } from './guarded-query.js';
import { namedColumns, type Target, writtenSql } from './target.js';

/** The schema of the temporary tables that hold the copies. */
const temporary = 'pg_temp';
/** A table of another database, and the temporary table that a run copies it into. */
export interface ForeignTable {
  /** The name of the table as the client of its database knows it. */
  name: string;
  copy: string;
  columns: ReadonlyMap<string, TableColumn>;
}

/** A table with the part of it that a run copies: the columns in `used`, and only the rows after a cursor if `incremental` is set. */
export interface CopiedTable extends ForeignTable {
  used: TableColumn[];
  /** True if a query reads the table. A query may join or sort the rows, so the planner needs statistics of them. */
  feedsQuery: boolean;
  /** The target that reads the table from a cursor on. Null if the target has no cursor, or if other targets read the table too. */
  incremental: { target: string; by: Incremental } | null;
}

/**
 * The tables of another database that a mapping reads. The mapping's SQL runs on copies of these tables, so its author writes PostgreSQL's
 * SQL for every kind of database.
 */
export class ForeignTables {
  private readonly byPlace = new Map<string, ForeignTable>();
  private readonly moved = new Map<GuardedSelect, MovedSelect>();

  constructor(private readonly client: Pick<WarehouseClient, 'schema' | 'place'>) {}

  add(name: string, { columns }: TableDescription): void {
    // The name of a copy contains no text from the user, so it cannot collide with another temporary table of the session.
    const copy = `source_${this.byPlace.size}`;
    this.byPlace.set(this.placeOf(name), { name, copy, columns: new Map(columns.map(column => [column.name, withKnownType(column)])) });
  }

  get(name: string): ForeignTable | null {
    return this.byPlace.get(this.placeOf(name)) ?? null;
  }

  /** The name of the first table of a query that was not passed to `add`; null if all its tables were. */
  missing({ tables }: GuardedSelect): string | null {
    return tables.find(table => this.get(this.nameOf(table)) === null) ?? null;
  }

  get all(): ForeignTable[] {
    return [...this.byPlace.values()];
  }

  /** The tables of a source, by the names that the client of their database uses. @throws UnsafeFilterClauseError */
  namesOf(source: ElementSource): string[] {
    if (source.kind === 'table') return [source.table];
    return guardedQuery(source, this.client.schema).tables.map(table => this.nameOf(table));
  }

  /** The query with its tables replaced by their copies. @throws UnsafeFilterClauseError */
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

  /** The tables to copy, each with its columns: those that its targets use, or all readable columns if a query reads the table. */
  plan(targets: Target[]): CopiedTable[] {
    return this.all.map(table => {
      const readers = targets.filter(({ element }) => this.namesOf(element.source).some(name => this.get(name) === table));
      const feedsQuery = readers.some(({ element }) => element.source.kind === 'query');
      const wanted = new Set(readers.flatMap(target => usedColumns(target, table)));
      const used = [...table.columns.values()].filter(column => (feedsQuery ? isReadable(column) : wanted.has(column.name)));
      const [only] = readers;
      const by = readers.length === 1 && only?.element.source.kind === 'table' ? only.element.incremental : null;
      return { ...table, used, feedsQuery, incremental: by && { target: only!.name, by } };
    });
  }

  /**
   * The client's name for a table in SQL. A bare name in SQL means a table of the client's schema, but the client would read a dot in the
   * name as the end of a schema's name.
   */
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
  // The guard gets only readable columns, as it does when the mapping is checked. With all columns, a name in another letter case could
  // resolve to a column that cannot be copied.
  const guard = guardOverSource(target, new Map([...columns].filter(([, column]) => isReadable(column))));
  const inSql = writtenSql(target).flatMap(({ text }) => guard(text).columns.map(([, column]) => column));
  return [...namedColumns(target).map(({ column }) => column), ...inSql];
}

import { type PoolClient, type QueryConfig } from 'pg';
import { type ServicePool } from '../database/service-pool.js';
import { quoteIdentifier } from '../sql/quote-identifier.js';
import { type GuardedSelect } from '../sql-guard/guard-select.js';
import { type MovedSelect } from '../sql-guard/move-tables.js';
import { UnsafeFilterClauseError } from '../sql-guard/sql-guard.errors.js';
import { toReadError } from '../warehouse/clients/postgres/read-errors.js';
import { typeNameOf } from '../warehouse/clients/postgres/wire-types.js';
import { type TableColumn, type TableDescription } from '../warehouse/clients/warehouse.client.js';
import { isReadable } from '../warehouse/references/key-kind.js';
import { type UsableConnection } from '../warehouse/warehouse.service.js';
import { createCopy, pathOfCopies } from './run/copy-source.js';
import { ForeignTables } from './staging/foreign-tables.js';
import { type SourceSql, sourceInSchema } from './staging/source-sql.js';
import { type Target } from './staging/target.js';

const probeTimeoutMs = 10_000;

/** The tables of a connection in the form in which the SQL of a mapping can read them. The caller must close it. */
export interface ReadableSource {
  readonly sql: SourceSql;
  /**
   * Returns the SQL of an admitted query over the tables as `sql` names them, or the name of the first missing table. A local source never
   * reports a missing table.
   */
  select(guarded: GuardedSelect): MovedSelect | { missing: string };
  /** The columns of a table; null if the table does not exist. */
  columnsOf(table: string): Promise<TableColumn[] | null>;
  listNames(): Promise<string[]>;
  /**
   * Runs a statement that returns no rows, to find the names and types of its columns.
   * @throws the errors of a client's `query`
   */
  probe(sql: string): Promise<{ name: string; type: string }[]>;
  close(): Promise<void>;
}

/** Tables of the service's own database. Each table is described once. */
export class LocalSource implements ReadableSource {
  readonly sql: SourceSql;
  private readonly described = new Map<string, Promise<TableDescription | null>>();

  constructor(private readonly connection: UsableConnection) {
    this.sql = sourceInSchema(connection.client.schema);
  }

  select({ text }: GuardedSelect): MovedSelect {
    return { text, toWritten: offset => offset };
  }

  async columnsOf(table: string): Promise<TableColumn[] | null> {
    const described = this.described.get(table) ?? this.connection.catalog.describe(table);
    this.described.set(table, described);
    return (await described)?.columns ?? null;
  }

  listNames(): Promise<string[]> {
    return this.connection.catalog.listNames();
  }

  async probe(sql: string): Promise<{ name: string; type: string }[]> {
    const { client, claim } = this.connection;
    return (await client.query({ claim, sql, parameters: [], timeoutMs: probeTimeoutMs, maxRows: 1 })).columns;
  }

  async close(): Promise<void> {}
}

/**
 * Tables of another database, each described once. The mapping's SQL is probed on empty temporary tables with the same column types, as the
 * role that will read the copies. So the other database never has to understand the mapping's SQL.
 */
export class ForeignSource implements ReadableSource {
  readonly sql: SourceSql;
  private session: PoolClient | null = null;

  private constructor(
    readonly tables: ForeignTables,
    private readonly names: string[],
    private readonly pool: ServicePool,
    private readonly role: string,
  ) {
    this.sql = tables.sql;
  }

  /** @throws ConnectionFailedError and the other errors of a client */
  static async open({ client, catalog }: UsableConnection, targets: Target[], pool: ServicePool, role: string): Promise<ForeignSource> {
    const tables = new ForeignTables(client);
    const described = new Map<string, TableDescription | null>();
    for (const { element } of targets) {
      for (const name of namesOf(tables, element.source)) {
        if (described.has(name) || client.nameProblem(name) !== null) continue;
        const description = tables.get(name) === null ? await catalog.describe(name) : null;
        described.set(name, description);
        if (description) tables.add(name, description);
      }
    }
    const isMissing = [...described.keys()].some(name => tables.get(name) === null);
    return new ForeignSource(tables, isMissing ? await catalog.listNames() : [], pool, role);
  }

  select(guarded: GuardedSelect): MovedSelect | { missing: string } {
    const missing = this.tables.missing(guarded);
    return missing === null ? this.tables.select(guarded) : { missing };
  }

  async columnsOf(table: string): Promise<TableColumn[] | null> {
    const found = this.tables.get(table);
    return Promise.resolve(found && [...found.columns.values()]);
  }

  async listNames(): Promise<string[]> {
    return Promise.resolve(this.names);
  }

  async probe(sql: string): Promise<{ name: string; type: string }[]> {
    const session = (this.session ??= await this.begin());
    // `queryMode: 'extended'` limits the text to one statement. The driver supports this option, but its declarations lack it, so the type
    // adds it.
    const query: QueryConfig & { queryMode: 'extended' } = { text: sql, queryMode: 'extended' };
    await session.query('SAVEPOINT probe');
    try {
      const { fields } = await session.query(query);
      return fields.map(field => ({ name: field.name, type: typeNameOf(field.dataTypeID) }));
    } catch (cause) {
      await session.query('ROLLBACK TO probe');
      throw toReadError(cause, probeTimeoutMs);
    }
  }

  async close(): Promise<void> {
    const { session } = this;
    this.session = null;
    if (!session) return;
    let broken: Error | undefined;
    await session.query('ROLLBACK').catch((failure: Error) => (broken = failure));
    session.release(broken);
  }

  private async begin(): Promise<PoolClient> {
    const session = await this.pool.connect();
    try {
      await session.query(`BEGIN; SET LOCAL search_path = ${pathOfCopies}; SET LOCAL statement_timeout = ${probeTimeoutMs}`);
      for (const table of this.tables.all) {
        const readable = [...table.columns.values()].filter(isReadable);
        await createCopy(session, table, readable, this.role);
      }
      await session.query(`SET LOCAL ROLE ${quoteIdentifier(this.role)}`);
      return session;
    } catch (error) {
      session.release(true);
      throw error;
    }
  }
}

/**
 * The tables of a target's source. Empty for a query that the guard refuses; its problem is reported where the columns of the query are
 * described.
 */
function namesOf(tables: ForeignTables, source: Target['element']['source']): string[] {
  try {
    return tables.namesOf(source);
  } catch (error) {
    if (error instanceof UnsafeFilterClauseError) return [];
    throw error;
  }
}

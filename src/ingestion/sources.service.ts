import { Injectable } from '@nestjs/common';
import { ApiError } from '../common/errors/api-error.js';
import { inLimitedTurns, mapInLimitedTurns, mapInTurns, Pace } from '../common/turns/pace.js';
import { DatabaseAccess } from '../database/roles/database-access.js';
import { ServicePool } from '../database/service-pool.js';
import { quoteIdentifier } from '../sql/quote-identifier.js';
import { mostOfStatement, statementTooLarge } from '../sql-guard/check-copies.js';
import { growthSentence, maxGrowth } from '../sql-guard/check-growth.js';
import { UnsafeFilterClauseError } from '../sql-guard/sql-guard.errors.js';
import { type GuardedExpression } from '../sql-guard/guard-expression.js';
import { type GuardedSelect } from '../sql-guard/guard-select.js';
import { loadSqlParser } from '../sql-guard/sql-parser.js';
import { type Bilingual } from '../text/bilingual.js';
import { toCopyFailure } from '../warehouse/clients/copy-failure.js';
import { type TableColumn, type WarehouseClient } from '../warehouse/clients/warehouse.client.js';
import { isReadable } from '../warehouse/references/key-kind.js';
import { within } from '../warehouse/source-patience.js';
import { MirrorVersions } from '../warehouse/mirror/mirror-versions.js';
import { ConnectionTypeNotBuiltError } from '../warehouse/warehouse.errors.js';
import { type UsableConnection, type WarehouseReader, WarehouseService } from '../warehouse/warehouse.service.js';
import { DefaultChecks } from './check-defaults.js';
import { type Mapping, type MappingPath, pathText } from './mapping/mapping.js';
import { maxProblems } from './mapping/problems.js';
import { MappingTurns } from './mapping-turns.js';
import { ForeignSource, LocalSource, type ReadableSource } from './readable-source.js';
import { type Source } from './run/carry-out.js';
import {
  queryProblem,
  refusedProblem,
  sqlProblem,
  unknownColumn,
  type UnreadableColumns,
  unknownTable,
  unreadableColumn,
} from './source-problems.js';
import { guardedQuery, isAdmitted, isJudged, judgeQueries, type QuerySource } from './staging/guarded-query.js';
import { type SourceSql } from './staging/source-sql.js';
import { checkInferredRules } from './staging/check-inferred-rules.js';
import { isKeptAsText, sourceFamily, type SourceFamily } from './staging/source-type.js';
import { guardOverSource } from './staging/guard-target.js';
import { namedColumns, sourceAlias, type SourceProblem, type SourceShape, type Target, targetsOf, writtenSql } from './staging/target.js';

const connectionPath = ['source', 'connection'];
/**
 * The most columns of a query. A table in PostgreSQL may have this number of columns. Staging adds one more column, the number of the row.
 */
const maxSourceColumns = 1_600;
/**
 * The longest time in milliseconds for checking the tables of a mapping while a request waits, from the moment when the source can be
 * asked.
 */
const checkedMs = 10_000;
const checkedTooLong: Bilingual = {
  zh: `检查各表用时超过 ${checkedMs / 1000} 秒`,
  en: `the check of its tables took longer than ${checkedMs / 1000} s`,
};

/**
 * The described source of a mapping, or the first 50 problems that the mapping has with the source, or the reason why the source could not
 * be asked.
 */
export type DescribedMapping =
  { source: Source } | { problems: SourceProblem[] } | { unchecked: { connectionId: number; connection: string; reason: Bilingual } };

interface Described {
  shape: SourceShape | null;
  problems: SourceProblem[];
}

interface SourceColumns {
  columns: Map<string, SourceFamily>;
  /** The types whose values are kept as text (see `isKeptAsText`), by the name of their column. */
  keptAsText: Map<string, string>;
  unreadable: UnreadableColumns;
  /**
   * The factor by which a value of a query may be longer than the values of the tables that it reads, see check-growth.ts. 1 for a table.
   */
  growth: number;
  /** The most nodes that PostgreSQL writes for a column of a query, see check-copies.ts. 1 for a table. */
  copies: number;
}

/** The most characters of SQL of one node or edge. PostgreSQL's parser reads all of this SQL at once, because it is in one statement. */
const mostOfElement = 65_536;

/**
 * Checks the source behind a mapping: the tables and columns exist, the columns have types that can be read, and the mapping's SQL is safe
 * and runs.
 */
@Injectable()
export class SourcesService {
  private readonly defaults: DefaultChecks;

  constructor(
    private readonly warehouse: WarehouseService,
    private readonly pool: ServicePool,
    private readonly access: DatabaseAccess,
    private readonly versions: MirrorVersions,
    private readonly turns: MappingTurns,
  ) {
    this.defaults = new DefaultChecks(pool);
  }

  /**
   * @param patienceMs the longest time in milliseconds that a source may take to describe its tables; a source that takes longer counts as
   * unchecked, as does one that cannot be reached. A run leaves `patienceMs` out; the failure is then thrown.
   * @throws RunFailure, ConnectionForbiddenError, ConnectionAccessLostError
   */
  async describe(mapping: Mapping, reader: WarehouseReader, patienceMs?: number): Promise<DescribedMapping> {
    await loadSqlParser();
    const connection = await this.resolve(mapping.source.connection, reader);
    if (!('client' in connection)) return { problems: [connection] };
    const { id: connectionId, name, client, claim } = connection;
    await this.judgeQueries(mapping, connection);
    if (client.local) {
      const versions = await this.versionsOf(targetsOf(mapping), client);
      const described = await this.describeAll(connection, new LocalSource(connection), mapping, patienceMs !== undefined);
      if (!('shapes' in described)) return described;
      const { schema, local } = client;
      return { source: { ...described, connectionId, connection: name, schema, role: local.role, copies: null, versions } };
    }
    const role = this.access.nameOf('mirror');
    const opening = ForeignSource.open(connection, targetsOf(mapping), this.pool, role);
    const foreign = await (patienceMs === undefined ? asCopied(opening, name) : within(patienceMs, opening));
    if (!(foreign instanceof ForeignSource)) return { unchecked: { connectionId, connection: name, reason: foreign } };
    try {
      const described = await this.describeAll(connection, foreign, mapping, patienceMs !== undefined);
      if (!('shapes' in described)) return described;
      const copies = { client, claim, tables: foreign.tables.plan(targetsOf(mapping)) };
      return { source: { ...described, connectionId, connection: name, schema: client.schema, role, copies, versions: null } };
    } finally {
      await foreign.close();
    }
  }

  /** The defaults that break a rule of their own column. Only rules that need the database are checked here. */
  brokenDefaults(mapping: Mapping, userId: number): Promise<SourceProblem[]> {
    return this.defaults.broken(mapping, userId);
  }

  /**
   * Judges the queries of a mapping together, in one turn of the caller. A refused query is reported later, where its columns are
   * described.
   */
  private async judgeQueries(mapping: Mapping, { client: { schema }, claim }: UsableConnection): Promise<void> {
    const sources = targetsOf(mapping).map(({ element }) => element.source);
    const open = sources.filter(source => source.kind === 'query').filter(source => !isJudged(source, schema));
    if (open.length > 0) await this.turns.run(claim, () => inLimitedTurns(judgeQueries(open, schema)));
  }

  /** The current data versions of the tables that the targets read, in the form of `Source.versions`. */
  private async versionsOf(targets: Target[], client: WarehouseClient): Promise<Source['versions']> {
    const tables = mirrorTables(targets, client);
    if (!tables) return null;
    const found = await this.versions.of([...tables]);
    // The data of a view can change without a new data version. The same is true of a table that somebody else made under the name of a
    // dropped table.
    const { rows } = await this.pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_catalog.pg_class
       WHERE relnamespace = $1::regnamespace AND relname = ANY ($2::text[]) AND relkind = 'r' AND NOT relhassubclass
         AND has_table_privilege(oid, 'SELECT')`,
      [quoteIdentifier(client.schema), [...tables]],
    );
    const plain = new Set(rows.map(({ name }) => name));
    return Object.fromEntries([...tables].map(name => [name, plain.has(name) ? (found.get(name)?.version ?? null) : null]));
  }

  private async describeAll(
    connection: UsableConnection,
    source: ReadableSource,
    mapping: Mapping,
    isAwaited: boolean,
  ): Promise<{ shapes: SourceShape[]; sql: SourceSql } | Exclude<DescribedMapping, { source: Source }>> {
    const startedAt = performance.now();
    const pace = new Pace();
    const shapes: SourceShape[] = [];
    const problems: SourceProblem[] = [];
    for (const target of targetsOf(mapping)) {
      if (pace.isOverdue) await pace.turn();
      if (isAwaited && performance.now() - startedAt > checkedMs) {
        if (problems.length > 0) break;
        return { unchecked: { connectionId: connection.id, connection: connection.name, reason: checkedTooLong } };
      }
      const described = await this.describeTarget(connection, source, target);
      problems.push(...described.problems);
      if (described.shape) shapes.push(described.shape);
      if (problems.length >= maxProblems) break;
    }
    return problems.length > 0 ? { problems: problems.slice(0, maxProblems) } : { shapes, sql: source.sql };
  }

  private async resolve(name: string | null, reader: WarehouseReader): Promise<UsableConnection | SourceProblem> {
    const path = connectionPath;
    try {
      return await this.warehouse.open(reader, name);
    } catch (error) {
      if (error instanceof ConnectionTypeNotBuiltError) return { type: 'not_built_yet', path, text: error.text };
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      return { type: 'unknown_connection', path, text: { zh: `没有连接 '${name}'`, en: `there is no connection '${name}'` } };
    }
  }

  private async describeTarget(connection: UsableConnection, source: ReadableSource, target: Target): Promise<Described> {
    const found = await this.describeColumns(connection, source, target);
    if (!('columns' in found)) return { shape: null, problems: [found] };
    const { columns, unreadable, keptAsText } = found;
    const missing = namedColumns(target).filter(({ column }) => !columns.has(column));
    // All columns of the table are candidates for the similar names that the problem of an unknown column suggests.
    const unknown = await mapInTurns(
      missing.slice(0, maxProblems),
      ({ column, path }) => unreadable.get(column)?.(path) ?? unknownColumn(column, path, { source: target.element.source, columns }),
    );
    const texts = writtenSql(target);
    const written = texts.reduce((sum, { text }) => sum + text.length, 0);
    if (written > mostOfElement) return { shape: null, problems: [...unknown, sqlProblem(tooMuchSql(), texts[0]!.path)] };
    const { sql, problems: refused } = await this.guardAll(target, found);
    const { expressions, keptAsText: computed, problems: unread } = await this.describeExpressions(source, target, sql, refused);
    const problems = [...unknown, ...refused, ...unread];
    const shape = { columns, expressions, keptAsText: new Map([...keptAsText, ...computed]), sql };
    // A rule is not checked on a column that has a problem already, because its type is not known.
    const faulty = new Set(problems.map(columnOf));
    problems.push(...checkInferredRules(target, shape).filter(problem => !faulty.has(columnOf(problem))));
    return { shape: problems.length > 0 ? null : shape, problems };
  }

  private async describeColumns(
    connection: UsableConnection,
    readable: ReadableSource,
    target: Target,
  ): Promise<SourceColumns | SourceProblem> {
    const { source, path } = target.element;
    if (source.kind === 'query') return this.describeQuery(connection, readable, source, [...path, 'query']);
    const { client } = connection;
    const reserved = client.nameProblem(source.table);
    if (reserved) return { type: reserved.type, path: [...path, 'table'], text: reserved };
    const found = await readable.columnsOf(source.table);
    if (found) return columnsOf(found, client.local !== null);
    return unknownTable(source.table, [...path, 'table'], await readable.listNames());
  }

  private async describeQuery(
    connection: UsableConnection,
    readable: ReadableSource,
    source: QuerySource,
    path: MappingPath,
  ): Promise<SourceColumns | SourceProblem> {
    let guarded: GuardedSelect;
    let select: ReturnType<ReadableSource['select']>;
    try {
      guarded = guardedQuery(source, connection.client.schema);
      select = readable.select(guarded);
    } catch (error) {
      return sqlProblem(error, path);
    }
    if ('missing' in select) return unknownTable(select.missing, path, await readable.listNames());
    const sql = `SELECT * FROM (\n${select.text}\n) AS source LIMIT 0`;
    let columns: Awaited<ReturnType<ReadableSource['probe']>>;
    try {
      columns = await readable.probe(sql);
    } catch (error) {
      const written = { text: guarded.text, toWritten: select.toWritten };
      return queryProblem(error, path, { guarded, piece: select.text, sql, written }, connection);
    }
    if (columns.length > maxSourceColumns) {
      return {
        type: 'unsafe_sql',
        path,
        text: {
          zh: `查询有 ${columns.length} 列，最多 ${maxSourceColumns} 列`,
          en: `the query has ${columns.length} columns; at most ${maxSourceColumns} are read`,
        },
      };
    }
    const names = columns.map(({ name }) => name);
    const repeated = names.find((name, index) => names.indexOf(name) !== index);
    if (repeated === undefined) {
      const families = new Map(columns.map(({ name, type }) => [name, sourceFamily(type)]));
      return {
        columns: families,
        keptAsText: keptAsTextOf(columns),
        unreadable: new Map(),
        growth: guarded.growth,
        copies: guarded.copies,
      };
    }
    return {
      type: 'unsafe_sql',
      path,
      text: { zh: `查询有两列都叫 '${repeated}'`, en: `the query has two columns named '${repeated}'` },
    };
  }

  private async guardAll(target: Target, { columns, unreadable, growth, copies }: SourceColumns) {
    const guard = guardOverSource(target, columns);
    const sql = new Map<string, GuardedExpression>();
    const problems: SourceProblem[] = [];
    let written = 0;
    await mapInLimitedTurns(writtenSql(target), ({ text, path }) => {
      if (problems.length >= maxProblems) return;
      try {
        const guarded = guard(text);
        sql.set(text, guarded);
        if (guarded.growth * growth > maxGrowth) throw new UnsafeFilterClauseError({ reason: 'length', sentence: growthSentence });
        // The columns of a table are read where they are named, and those of a query are repeated there.
        written += copies > 1 ? guarded.copies * copies : guarded.cost;
        if (written > mostOfStatement) throw new UnsafeFilterClauseError({ reason: 'length', sentence: statementTooLarge });
      } catch (error) {
        problems.push(refusedProblem(error, path, { source: target.element.source, columns, unreadable }, sourceAlias(target)));
      }
    });
    return { sql, problems };
  }

  /**
   * Lets the database analyse each piece of the author's SQL that the guard admitted, to learn the types of the results. All pieces are in
   * one statement, which reads no rows. After an error each piece is analysed alone, to find the faulty ones.
   */
  private async describeExpressions(
    readable: ReadableSource,
    target: Target,
    admitted: ReadonlyMap<string, GuardedExpression>,
    refused: SourceProblem[],
  ): Promise<{ expressions: Map<string, SourceFamily>; keptAsText: Map<string, string>; problems: SourceProblem[] }> {
    const left = new Set(refused.map(({ path }) => pathText(path)));
    const written = writtenSql(target).filter(({ path }) => !left.has(pathText(path)));
    const expressions = new Map<string, SourceFamily>();
    const keptAsText = new Map<string, string>();
    const problems: SourceProblem[] = [];
    // A list of `maxProblems` refusals was cut, so pieces that are not in the list may have been refused too.
    if (written.length === 0 || refused.length >= maxProblems) return { expressions, keptAsText, problems };
    const from = readable.sql(target.element.source);
    const textOf = ({ text }: (typeof written)[number]): string => admitted.get(text)!.text;
    const sqlOf = (pieces: typeof written): string => {
      const list = pieces.map(piece => `(\n${textOf(piece)}\n)${piece.kind === 'predicate' ? ' IS TRUE' : ''}`).join(', ');
      return `SELECT ${list} FROM ${from} AS ${quoteIdentifier(sourceAlias(target))} LIMIT 0`;
    };
    const probe = async (pieces: typeof written): Promise<void> => {
      const columns = await readable.probe(sqlOf(pieces));
      pieces.forEach(({ text }, index) => {
        const { type } = columns[index]!;
        expressions.set(text, sourceFamily(type));
        if (isKeptAsText(type)) keptAsText.set(text, type);
      });
    };
    try {
      await probe(written);
    } catch {
      for (const piece of written) {
        if (problems.length >= maxProblems) break;
        await probe([piece]).catch((error: unknown) =>
          problems.push(sqlProblem(error, piece.path, { piece: textOf(piece), sql: sqlOf([piece]) })),
        );
      }
    }
    return { expressions, keptAsText, problems };
  }
}

function keptAsTextOf(columns: { name: string; type: string }[]): Map<string, string> {
  return new Map(columns.flatMap(({ name, type }) => (isKeptAsText(type) ? [[name, type]] : [])));
}

/** The first four steps of a problem's path. They identify a column of an element, such as `nodes[0].columns[1]`. */
function columnOf({ path }: SourceProblem): string {
  return pathText(path.slice(0, 4));
}

/**
 * Turns a source's error into the failure that the copying of the source would give. So a run fails with the same message in both steps.
 */
async function asCopied<T>(opening: Promise<T>, connection: string): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    throw toCopyFailure(error, { connection, table: null });
  }
}

/**
 * The names of the mirror's tables that the targets read. Null if the guard refuses a query, or if a table is outside of the client's
 * schema.
 */
function mirrorTables(targets: Target[], client: WarehouseClient): Set<string> | null {
  const tables = new Set<string>();
  for (const { element } of targets) {
    if (element.source.kind === 'table') {
      const { schema, table } = client.place(element.source.table);
      if (schema !== client.schema) return null;
      tables.add(table);
      continue;
    }
    if (!isAdmitted(element.source, client.schema)) return null;
    for (const table of guardedQuery(element.source, client.schema).tables) tables.add(table);
  }
  return tables;
}

/**
 * Splits the columns of a table into readable and unreadable columns. A local table has no unreadable columns. A column of another database
 * is unreadable if PostgreSQL lacks its type or cuts its name.
 */
function columnsOf(found: TableColumn[], isLocal: boolean): SourceColumns {
  const readable = found.filter(column => isLocal || isReadable(column));
  const others = found.filter(column => !isLocal && !isReadable(column));
  return {
    columns: new Map(readable.map(({ name, type }) => [name, sourceFamily(type)])),
    keptAsText: keptAsTextOf(readable),
    unreadable: new Map(others.map(column => [column.name, (path, at) => unreadableColumn(column, path, at)])),
    growth: 1,
    copies: 1,
  };
}

function tooMuchSql(): UnsafeFilterClauseError {
  const hint = {
    zh: `一个节点或关系的 SQL 合计最多 ${mostOfElement} 个字符；请在数据库中建视图`,
    en: `the SQL of one node or edge has at most ${mostOfElement} characters together; make a view in the database`,
  };
  return new UnsafeFilterClauseError({ reason: 'length', hint });
}

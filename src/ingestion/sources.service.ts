import { Injectable } from '@nestjs/common';
import { ApiError } from '../common/errors/api-error.js';
import { Pace } from '../common/turns/pace.js';
import { quoteIdentifier, quoteTable } from '../sql/quote-identifier.js';
import { growthSentence, maxGrowth } from '../sql-guard/check-growth.js';
import { UnsafeFilterClauseError } from '../sql-guard/sql-guard.errors.js';
import { guardExpression, guardPredicate } from '../sql-guard/guard-expression.js';
import { type GuardedSelect, guardSelect } from '../sql-guard/guard-select.js';
import { loadSqlParser } from '../sql-guard/sql-parser.js';
import { ConnectionTypeNotBuiltError } from '../warehouse/warehouse.errors.js';
import { type UsableConnection, type WarehouseReader, WarehouseService } from '../warehouse/warehouse.service.js';
import { type Mapping, type MappingPath } from './mapping/mapping.js';
import { queryProblem, refusedProblem, sqlProblem, unknownColumn, unknownTable } from './source-problems.js';
import { checkInferredRules } from './staging/check-inferred-rules.js';
import { sourceFamily, type SourceFamily } from './staging/source-type.js';
import { namedColumns, sourceAlias, type SourceProblem, type SourceShape, type Target, targetsOf, writtenSql } from './staging/target.js';

const connectionPath = ['source', 'connection'];
const describeTimeoutMs = 10_000;
/** The most columns of a table. The number of the row is added to them. */
const maxSourceColumns = 1_600;

/** A connection whose tables a run can stage: those in schema `schema` of the service's own database, which `role` may read. */
export interface StagingSource {
  connectionId: number;
  connection: string;
  schema: string;
  role: string;
}

/** The source of a mapping with its shapes in the order of `targetsOf`, or all problems of the mapping with it. */
export type DescribedMapping = { source: StagingSource; shapes: SourceShape[] } | { problems: SourceProblem[] };

interface Described {
  shape: SourceShape | null;
  problems: SourceProblem[];
}

interface SourceColumns {
  columns: Map<string, SourceFamily>;
  /** The factor by which a value of the source may be longer than a column of its tables, see check-growth.ts. */
  growth: number;
}

/** Checks the tables behind a mapping: that they and their columns exist, their types, and that its SQL is safe and runs. */
@Injectable()
export class SourcesService {
  constructor(private readonly warehouse: WarehouseService) {}

  /** @throws ConnectionForbiddenError, ConnectionAccessLostError */
  async describe(mapping: Mapping, reader: WarehouseReader): Promise<DescribedMapping> {
    await loadSqlParser();
    const connection = await this.resolve(mapping.source.connection, reader);
    if (!('client' in connection)) return { problems: [connection] };
    const { schema, local } = connection.client;
    if (!local) return { problems: [notLocal(connection)] };
    const shapes: SourceShape[] = [];
    const problems: SourceProblem[] = [];
    for (const target of targetsOf(mapping)) {
      const described = await this.describeTarget(connection, target);
      problems.push(...described.problems);
      if (described.shape) shapes.push(described.shape);
    }
    return problems.length > 0
      ? { problems }
      : { source: { connectionId: connection.id, connection: connection.name, schema, role: local.role }, shapes };
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

  private async describeTarget(connection: UsableConnection, target: Target): Promise<Described> {
    const source = await this.describeColumns(connection, target);
    if (!('columns' in source)) return { shape: null, problems: [source] };
    const { columns, growth } = source;
    const unknown = namedColumns(target)
      .filter(({ column }) => !columns.has(column))
      .map(({ column, path }) => unknownColumn(column, path, { source: target.element.source, columns }));
    const guarded = await this.guardAll(target, columns, growth);
    const problems = [...unknown, ...guarded];
    if (problems.length > 0) return { shape: null, problems };
    const types = await this.describeExpressions(connection, target);
    if (!('expressions' in types)) return { shape: null, problems: types.problems };
    const shape = { columns, expressions: types.expressions };
    const misfits = checkInferredRules(target, shape);
    return misfits.length > 0 ? { shape: null, problems: misfits } : { shape, problems: [] };
  }

  private async describeColumns(connection: UsableConnection, target: Target): Promise<SourceColumns | SourceProblem> {
    const { source, path } = target.element;
    if (source.kind === 'query') return this.describeQuery(connection, source.query, [...path, 'query']);
    const { client } = connection;
    const reserved = client.nameProblem(source.table);
    if (reserved) return { type: reserved.type, path: [...path, 'table'], text: reserved };
    const table = await client.describe(source.table);
    if (table) return { columns: new Map(table.columns.map(({ name, type }) => [name, sourceFamily(type)])), growth: 1 };
    return unknownTable(source.table, [...path, 'table'], await client.listNames());
  }

  private async describeQuery(connection: UsableConnection, query: string, path: MappingPath): Promise<SourceColumns | SourceProblem> {
    let guarded: GuardedSelect;
    try {
      guarded = guardSelect(query, { schema: connection.client.schema });
    } catch (error) {
      return sqlProblem(error, path);
    }
    const sql = `SELECT * FROM (\n${guarded.text}\n) AS source LIMIT 0`;
    let columns: Awaited<ReturnType<typeof this.probe>>;
    try {
      columns = await this.probe(connection, sql);
    } catch (error) {
      return queryProblem(error, path, { guarded, sql }, connection.client);
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
      return { columns: new Map(columns.map(({ name, type }) => [name, sourceFamily(type)])), growth: guarded.growth };
    }
    return {
      type: 'unsafe_sql',
      path,
      text: { zh: `查询有两列都叫 '${repeated}'`, en: `the query has two columns named '${repeated}'` },
    };
  }

  /** `grown` is the growth of the source's own query. */
  private async guardAll(target: Target, columns: ReadonlyMap<string, SourceFamily>, grown: number): Promise<SourceProblem[]> {
    const scope = { columns, alias: sourceAlias(target) };
    const problems: SourceProblem[] = [];
    const pace = new Pace();
    for (const { kind, text, path } of writtenSql(target)) {
      try {
        const { growth } = kind === 'predicate' ? guardPredicate(text, scope) : guardExpression(text, scope);
        if (growth * grown > maxGrowth) throw new UnsafeFilterClauseError({ reason: 'length', sentence: growthSentence });
      } catch (error) {
        problems.push(refusedProblem(error, path, { source: target.element.source, columns }, scope.alias));
      }
      if (pace.isOverdue) await pace.turn();
    }
    return problems;
  }

  /**
   * Lets the database read every piece of the author's SQL once, over no rows, for its types. After an error it reads them one by
   * one, to find the wrong one.
   */
  private async describeExpressions(
    connection: UsableConnection,
    target: Target,
  ): Promise<{ expressions: Map<string, SourceFamily> } | { problems: SourceProblem[] }> {
    const written = writtenSql(target);
    const expressions = new Map<string, SourceFamily>();
    if (written.length === 0) return { expressions };
    const { source } = target.element;
    const { schema } = connection.client;
    const from = source.kind === 'table' ? quoteTable(schema, source.table) : `(\n${guardSelect(source.query, { schema }).text}\n)`;
    const sqlOf = (pieces: typeof written): string => {
      const list = pieces.map(({ kind, text }) => (kind === 'predicate' ? `(\n${text}\n) IS TRUE` : `(\n${text}\n)`)).join(', ');
      return `SELECT ${list} FROM ${from} AS ${quoteIdentifier(sourceAlias(target))} LIMIT 0`;
    };
    const probe = async (pieces: typeof written): Promise<void> => {
      const columns = await this.probe(connection, sqlOf(pieces));
      pieces.forEach(({ text }, index) => expressions.set(text, sourceFamily(columns[index]!.type)));
    };
    try {
      await probe(written);
      return { expressions };
    } catch {
      const problems: SourceProblem[] = [];
      for (const piece of written) {
        await probe([piece]).catch((error: unknown) =>
          problems.push(sqlProblem(error, piece.path, { piece: piece.text, sql: sqlOf([piece]) })),
        );
      }
      return problems.length > 0 ? { problems } : { expressions };
    }
  }

  private async probe({ client, claim }: UsableConnection, sql: string): Promise<{ name: string; type: string }[]> {
    const { columns } = await client.query({ claim, sql, parameters: [], timeoutMs: describeTimeoutMs, maxRows: 1 });
    return columns;
  }
}

function notLocal({ name }: UsableConnection): SourceProblem {
  const text = { zh: `尚不能从连接 '${name}' 导入`, en: `rows of the connection '${name}' cannot be loaded yet` };
  return { type: 'not_built_yet', path: connectionPath, text };
}

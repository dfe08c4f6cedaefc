import { Injectable } from '@nestjs/common';
import { type Principal } from '../../access/principal.js';
import { type FieldProblem, SchemaError } from '../../common/errors/api-error.js';
import { Settings } from '../../config/settings.js';
import { type Guard } from '../../sql-guard/guard-expression.js';
import { WarehouseQueryError } from '../../warehouse/warehouse.errors.js';
import { type UsableConnection, WarehouseService } from '../../warehouse/warehouse.service.js';
import { type BindingJoin, type BindingRelation, type BindingRequest } from './binding.dto.js';
import {
  checkAliases,
  checkName,
  defaultColumns,
  defaultDimensions,
  expressionOf,
  guardPart,
  type NameCheck,
  readJoinPairs,
} from './binding-expressions.js';
import { compileProbe } from '../plan/compile-probe.js';
import { compileProof } from '../plan/compile-proof.js';
import { fanOut } from '../fan-out.js';
import { guardOverTables, guardQuery, judgeInSteps, mostProblems } from '../plan/bound-sql.js';
import { NotInDialectError } from '../translate/not-in-dialect.error.js';
import { SqlAssembly } from '../plan/sql-assembly.js';
import { targetOf } from '../plan/target-of.js';
import { shownTypeOf } from '../translate/target-dialect.js';
import { isReadable } from '../translate/target-dialects.js';
import { translateProbe, translateRepeats } from '../translate/translate-scan.js';
import { isTimeZone, timeZoneForm } from '../../text/time-zone.js';
import { findTable, missingTable } from './find-table.js';
import {
  type BoundColumn,
  type BoundJoin,
  type BoundTable,
  type BoundTime,
  type MetricBinding,
  type TimeType,
} from '../plan/metric-binding.js';
import { FanOutJoinError } from '../metrics.errors.js';
import { MetricTurns } from '../metric-turns.js';
import { inOneTurn } from '../../common/turns/one-turn.js';
import { inLimitedTurns, mapInTurns } from '../../common/turns/pace.js';
import { type Steps } from '../../text/steps.js';

const mostCharacters = 65_536;
/**
 * Maximum characters of all expressions of a binding together. Bare columns do not count: judging one takes a tenth of the time of an
 * expression.
 */
const mostWritten = 16_384;
/** Maximum total characters of texts that are judged without waiting. Texts with more characters wait for the caller's turn. */
const mostAtOnce = 2_000;
const columnAlone = /^[\w$."\u0080-\uffff]*$/;

type Loc = (string | number)[];

const timeTypes: readonly string[] = ['date', 'timestamp', 'timestamptz'];

/**
 * Checks a binding against the real tables and writes out its defaults. Names and types that the request leaves out are read from the
 * database.
 */
@Injectable()
export class MetricBinder {
  constructor(
    private readonly warehouse: WarehouseService,
    private readonly settings: Settings,
    private readonly turns: MetricTurns,
  ) {}

  /**
   * @param loc the place of the binding in the request
   * @throws SchemaError for unknown tables and columns, names that clash, types that do not fit; FanOutJoinError for a join that
   * repeats fact rows; UnsafeFilterClauseError for SQL outside the allow-list; ConnectionNotFoundError, ConnectionForbiddenError;
   * MetricsBusyError
   */
  async bind(principal: Principal, request: BindingRequest, loc: Loc): Promise<MetricBinding> {
    refuseTooLarge(request, loc);
    const connection = await this.warehouse.open(principal, request.connection_id ?? null);
    const dialect = connection.client.dialect === 'postgres' ? null : connection.client.dialect;
    if (dialect && request.relation.sql != null) throw new NotInDialectError(dialect, 'relation.sql');
    const problems: FieldProblem[] = [];
    checkAliases(request, loc, problems);
    throwIfAny(problems);
    const fact = await this.describeFact(connection, request, loc, problems);
    const joins = await this.describeJoins(principal, connection, request.joins ?? [], fact, loc, problems);
    throwIfAny(problems);

    const tables = { fact, joins };
    const guard = guardOverTables(tables);
    const readable = dialect ? fact.columns.filter(({ type }) => isReadable(type, dialect)) : fact.columns;
    const columns = request.columns ?? defaultColumns({ ...fact, columns: readable });
    const dimensions = request.dimensions ?? defaultDimensions(columns);
    const texts = [...Object.values(columns), ...expressionsIn(request)].filter(text => typeof text === 'string');
    await this.inTurn(principal, texts, judgeInSteps(guard, new Set(texts)));
    const taken = new Map<string, string>();
    const names = { taken, guard, alias: fact.alias };
    const bound: MetricBinding = {
      connection_id: connection.id,
      ...(dialect && { dialect }),
      fact,
      grain: request.grain ?? [],
      time: this.readTime(request, columns, guard, loc, problems),
      columns: await readColumns(columns, guard, [...loc, 'columns'], names, problems),
      dimensions: [],
      entities: [],
      joins,
      row_filter: request.row_filter?.trim() ? request.row_filter : null,
      ...(request.additivity != null && { additivity: request.additivity }),
      verified_at: new Date().toISOString(),
    };
    await mapInTurns([...dimensions.entries()], ([index, dimension]) => {
      if (problems.length >= mostProblems) return;
      const [at, expression] = [[...loc, 'dimensions', index], expressionOf(dimension.column, columns)];
      // `readColumns` has guarded a column that the dimension names. Any other SQL of a dimension is guarded here.
      if (expression === dimension.column) guardPart(expression, guard, [...at, 'column'], problems);
      for (const name of [dimension.name, ...(dimension.aliases ?? [])])
        checkName(name, [...at, 'name'], { kind: 'dimension', expression, ...names }, problems);
      bound.dimensions.push({ name: dimension.name, aliases: dimension.aliases ?? [], expression, type: '' });
    });
    const entities = new Map<string, string>();
    await mapInTurns([...(request.entities ?? []).entries()], ([index, entity]) => {
      if (problems.length >= mostProblems) return;
      const [at, expression] = [[...loc, 'entities', index], expressionOf(entity.column, columns)];
      if (expression === entity.column) guardPart(expression, guard, [...at, 'column'], problems);
      checkName(entity.name, [...at, 'name'], { kind: 'entity', expression, ...names, taken: entities }, problems);
      bound.entities!.push({ name: entity.name, expression, type: '' });
    });
    if (bound.row_filter !== null) guardPart(bound.row_filter, guard, [...loc, 'row_filter'], problems);
    await mapInTurns(bound.grain, column => {
      if (problems.length < mostProblems) guardPart(column, guard, [...loc, 'grain'], problems);
    });
    throwIfAny(problems);
    await this.probeTypes(connection, bound, request, loc);
    await this.verifyJoins(connection, bound);
    return bound;
  }

  /** Runs `steps`, which judge `texts`. Steps over more than `mostAtOnce` characters wait for the caller's turn. */
  private inTurn<T>({ userId }: Principal, texts: readonly string[], steps: Steps<T>): Promise<T> {
    const work = (): Promise<T> => inLimitedTurns(steps);
    return texts.join('').length > mostAtOnce ? this.turns.run({ caller: userId }, work) : work();
  }

  private async describeFact(
    connection: UsableConnection,
    { relation, alias }: BindingRequest,
    loc: Loc,
    problems: FieldProblem[],
  ): Promise<BoundTable> {
    if ((relation.table == null) === (relation.sql == null)) {
      throw new SchemaError([
        { loc: [...loc, 'relation'], text: { zh: '需要 table 或 sql 之一', en: 'needs either table or sql' }, type: 'one_of' },
      ]);
    }
    if (relation.sql == null) return this.describeTable(connection, relation, alias, [...loc, 'relation'], problems);
    const { schema } = connection.client;
    checkSchema(relation, connection.client, [...loc, 'relation'], problems);
    const tables = new Set(await connection.catalog.listNames());
    const query = { schema, sql: relation.sql };
    const { text } = inOneTurn(() => guardQuery(query, tables));
    const read = await this.read(connection, `SELECT * FROM (\n${text}\n) AS q\nLIMIT 0`, [...loc, 'relation', 'sql']);
    const names = read.columns.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined)
      problems.push({
        loc: [...loc, 'relation', 'sql'],
        text: { zh: `有两列名为“${twice}”，请用 AS 另取名称`, en: `two columns are named '${twice}': give one another name with AS` },
        type: 'duplicate_name',
      });
    return { alias: alias ?? 'q', source: { schema, sql: text }, columns: read.columns };
  }

  private async describeTable(
    connection: UsableConnection,
    relation: BindingRelation,
    alias: string | undefined,
    loc: Loc,
    problems: FieldProblem[],
  ): Promise<BoundTable> {
    const { client } = connection;
    const table = relation.table ?? '';
    checkSchema(relation, client, loc, problems);
    const described = await findTable(connection, table);
    if (!described) problems.push(await missingTable(connection, table, [...loc, 'table']));
    const columns =
      described?.columns.map(({ name, type, collation }) => ({ name, type, ...(collation !== undefined && { collation }) })) ?? [];
    const source = client.place(table);
    return { alias: alias ?? source.table, source, columns };
  }

  private async describeJoins(
    principal: Principal,
    connection: UsableConnection,
    requests: BindingJoin[],
    fact: BoundTable,
    loc: Loc,
    problems: FieldProblem[],
  ): Promise<BoundJoin[]> {
    const joins: BoundJoin[] = [];
    for (const [index, request] of requests.entries()) {
      const at = [...loc, 'joins', index];
      const relationship = request.relationship ?? 'many_to_one';
      const table = await this.describeTable(connection, request, request.alias, at, problems);
      if (relationship === 'one_to_many' || relationship === 'many_to_many') {
        throw new FanOutJoinError(table.alias, { zh: `关系是 ${relationship}`, en: `its relationship is ${relationship}` });
      }
      if ([fact, ...joins].some(other => other.alias === table.alias)) {
        problems.push({
          loc: [...at, 'alias'],
          text: { zh: `别名“${table.alias}”已被使用`, en: `the alias '${table.alias}' is taken` },
          type: 'duplicate_name',
        });
      }
      const join: BoundJoin = { ...table, kind: request.kind ?? 'left', relationship, on: [] };
      if (table.columns.length > 0 && fact.columns.length > 0)
        join.on = await this.inTurn(
          principal,
          textsOfPairs(request.on),
          readJoinPairs(request.on, join, { fact, joins }, [...at, 'on'], problems),
        );
      joins.push(join);
    }
    return joins;
  }

  private readTime(
    request: BindingRequest,
    columns: Record<string, string>,
    guard: Guard,
    loc: Loc,
    problems: FieldProblem[],
  ): BoundTime | null {
    const { time } = request;
    if (!time) return null;
    const expression = expressionOf(time.column, columns);
    if (expression === time.column) guardPart(expression, guard, [...loc, 'time', 'column'], problems);
    const timezone = time.timezone ?? 'UTC';
    if (!isTimeZone(timezone)) problems.push({ loc: [...loc, 'time', 'timezone'], text: timeZoneForm, type: 'unknown_timezone' });
    return { expression, type: 'date', timezone, min_grain: time.min_grain ?? 'day', week_start: time.week_start ?? 'monday' };
  }

  /**
   * Asks the database for the type of each expression. An expression that does not fit its tables fails here, when the binding is
   * saved.
   */
  private async probeTypes(connection: UsableConnection, binding: MetricBinding, { time }: BindingRequest, loc: Loc): Promise<void> {
    const types = await this.typesOf(connection, binding, loc);
    for (const column of [...binding.columns, ...binding.dimensions, ...(binding.entities ?? [])]) column.type = types.shift() ?? 'other';
    if (!binding.time) return;
    const type = types[0] ?? 'other';
    if (!timeTypes.includes(type) || (time?.type != null && time.type !== type)) {
      const wanted = time?.type ?? timeTypes.join(', ');
      throw new SchemaError([
        {
          loc: [...loc, 'time', 'column'],
          text: { zh: `时间列的类型是 ${type}，应为 ${wanted}`, en: `the time column is of type ${type}, not ${wanted}` },
          type: 'time_type',
        },
      ]);
    }
    if (type === 'date' && time?.min_grain === 'hour')
      throw new SchemaError([
        {
          loc: [...loc, 'time', 'min_grain'],
          text: {
            zh: '时间列是日期，没有小时：请用 day 或更粗的粒度',
            en: 'the time column holds dates, which have no hours: give day or a coarser grain',
          },
          type: 'grain_too_fine',
        },
      ]);
    binding.time.type = type as TimeType;
    if (type !== 'date' && time?.min_grain == null) binding.time.min_grain = 'hour';
  }

  /**
   * Types of the expressions of a binding. PostgreSQL returns the types. Any other database only shows whether it can read the expressions,
   * and the translation gives their types.
   */
  private async typesOf(connection: UsableConnection, binding: MetricBinding, loc: Loc): Promise<string[]> {
    const target = targetOf([binding]);
    const probe = await inLimitedTurns(compileProbe(binding));
    if (!target) return (await this.read(connection, `${probe.sql}\nLIMIT 0`, loc, probe.parameters)).columns.map(column => column.type);
    const { columns, ...statement } = translateProbe(probe, target);
    await this.read(connection, statement.sql, loc, statement.parameters);
    return columns.map(shownTypeOf);
  }

  /** Checks that the joined keys are unique in the rows of the tables. A declared key is not trusted. */
  private async verifyJoins({ client, claim }: UsableConnection, binding: MetricBinding): Promise<void> {
    const { joins } = binding;
    if (joins.length === 0) return;
    const target = targetOf([binding]);
    const proof = target
      ? translateRepeats(
          joins.map(join => new SqlAssembly().selectKeys(join)),
          target,
        )
      : await inLimitedTurns(compileProof(joins, []));
    const { rows } = await client.query({ ...proof, claim, timeoutMs: this.settings.warehouseTimeoutMs, maxRows: 1 });
    const repeated = joins.find((_, index) => (target ? Number(rows[0]?.[index]) > 0 : rows[0]?.[index] === true));
    if (repeated) throw fanOut(repeated);
  }

  private async read({ client, claim }: UsableConnection, sql: string, loc: Loc, parameters: unknown[] = []) {
    try {
      return await client.query({
        claim,
        sql,
        parameters,
        timeoutMs: this.settings.warehouseTimeoutMs,
        maxRows: 1,
      });
    } catch (error) {
      if (!(error instanceof WarehouseQueryError)) throw error;
      throw new SchemaError([{ loc, text: error.text, type: 'binding_not_executable', ...error.context }]);
    }
  }
}

function checkSchema({ schema }: { schema?: string }, client: { schema: string }, loc: Loc, problems: FieldProblem[]): void {
  if (schema == null || schema === client.schema) return;
  const text = { zh: `连接的表在模式“${client.schema}”中`, en: `the tables of the connection are in schema '${client.schema}'` };
  problems.push({ loc: [...loc, 'schema'], text, type: 'not_one_of' });
}

async function readColumns(
  columns: Record<string, string>,
  guard: Guard,
  loc: Loc,
  names: Omit<NameCheck, 'kind' | 'expression'>,
  problems: FieldProblem[],
): Promise<BoundColumn[]> {
  const read: BoundColumn[] = [];
  await mapInTurns(Object.entries(columns) as [string, unknown][], ([name, expression]) => {
    if (problems.length >= mostProblems) return;
    const at = [...loc, name];
    if (typeof expression !== 'string') {
      problems.push({ loc: at, text: { zh: '应为字符串', en: 'must be a string' }, type: 'string_type' });
      return;
    }
    guardPart(expression, guard, at, problems);
    checkName(name, at, { kind: 'column', expression, ...names }, problems);
    read.push({ name, expression, type: '' });
  });
  return read;
}

/** Limits the size of a binding, because every execution reads all of it. */
function refuseTooLarge(request: BindingRequest, loc: Loc): void {
  const refuse = (zh: string, en: string): never => {
    throw new SchemaError([{ loc, text: { zh, en }, type: 'too_large' }]);
  };
  if (JSON.stringify(request).length > mostCharacters)
    refuse(`绑定最多 ${mostCharacters} 个字符`, `a binding must have no more than ${mostCharacters} characters`);
  const characters = expressionsIn(request).join('').length;
  if (characters > mostWritten)
    refuse(
      `绑定的表达式合计最多 ${mostWritten} 个字符；请在数据库中建视图`,
      `the expressions of a binding must have no more than ${mostWritten} characters together; make a view in the database`,
    );
}

/** The SQL expressions of a binding, without expressions that are a bare column. */
function expressionsIn({ columns, dimensions, entities, time, grain, joins, row_filter: filter }: BindingRequest): string[] {
  const named = [...(dimensions ?? []), ...(entities ?? []), ...(time ? [time] : [])].map(({ column }) => column);
  const pairs = (joins ?? []).flatMap(({ on }) => textsOfPairs(on));
  const all = [...Object.values(columns ?? {}), ...named, ...(grain ?? []), ...pairs, filter ?? ''];
  return all.filter(text => !columnAlone.test(text));
}

/** The expressions in the `on` of a join, a value whose shape is not checked yet. Empty for a value that is not an array. */
function textsOfPairs(pairs: unknown): string[] {
  return Array.isArray(pairs) ? pairs.flat().filter(text => typeof text === 'string') : [];
}

function throwIfAny(problems: FieldProblem[]): void {
  if (problems.length > 0) throw new SchemaError(problems.slice(0, mostProblems));
}

import { postgres } from '../../sql/dialects/postgres.js';
import { SqlParameters, type SqlStatement } from '../../sql/sql-parameters.js';
import { quoteTable } from '../../sql/quote-identifier.js';
import { type Guard, type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { mostOfStatement, statementTooLarge } from '../../sql-guard/check-copies.js';
import { growthSentence, maxGrowth } from '../../sql-guard/check-growth.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { type HandedList } from '../translate/handed-list.js';
import { NotInDialectError } from '../translate/not-in-dialect.error.js';
import { type Target } from '../translate/target-dialect.js';
import { translateScan, type TranslatedScan } from '../translate/translate-scan.js';
import { guardOverTable, guardOverTables, guardQuery } from './bound-sql.js';
import { type BoundJoin, type BoundTable, type MetricBinding, type TableRead } from './metric-binding.js';
import { tellsTime } from '../../sql-guard/tells-time.js';
import { type Groups, namedKeys, selectGroups } from './select-groups.js';
import { assembleInSteps, fragmentMarker, selectMarker, type SqlFragment } from '../../sql-guard/same-shape.js';
import { atOnce, type Steps } from '../../text/steps.js';
import { checkStatementLength, mostStatementCharacters } from './statement-length.js';

/** A scan that another database runs. That database also counts the repeated keys of some joins, to prove that their keys are unique. */
export interface PlacedScan extends TranslatedScan {
  /** The joins whose repeated keys the scan counts, in the order of the count columns. */
  joins: readonly BoundJoin[];
}

/** A PostgreSQL statement, with the scans that another database runs before it. */
export interface CompiledStatement extends SqlStatement {
  elsewhere: readonly PlacedScan[];
  /** Whether the rows of the statement depend on the time at which it runs. */
  tellsTime: boolean;
}

/** A placeholder among the parameters of a statement. The rows of a scan of another database replace it once they are read. */
export class RowsOf {
  constructor(
    readonly scan: PlacedScan,
    readonly position: number,
  ) {}

  /** The position of the scan, from 1. A hash of the statement contains it instead of the rows of the scan. */
  toJSON(): number {
    return this.position;
  }
}

/**
 * The earliest `from` of a range that cannot reach back into 1 BC. The week of Saturday, 6 January of the year 1, begins on 31 December 1
 * BC.
 */
const afterFirstWeek = '0001-01-07';

/** Builds a statement. Collects its bound values and the guarded pieces of client SQL. */
export class SqlAssembly {
  readonly dialect = postgres;
  private readonly bound = new SqlParameters();
  private readonly fragments: SqlFragment[] = [];
  /**
   * Factors by which values may grow: in the query of a binding, in the binding's expressions over the query, and in a formula and a
   * clause over these expressions. The factors multiply, because each layer works on the values of the layer before.
   */
  private readonly growth = { query: 1, binding: 1, request: 1 };
  /** How often PostgreSQL writes a column of each layer. The pieces of a request stand side by side, so theirs add up. */
  private readonly copies = { query: 1, binding: 1, request: 0 };
  /** The copies of all columns of bindings together. */
  private copiedToBinding = 0;

  /** Joins that the statement reads. `reads` has the tables of bindings that it reads, with their columns. */
  readonly joins: BoundJoin[] = [];
  readonly reads: TableRead[] = [];

  /** Scans that another database runs. Their rows become parameters of the statement. */
  readonly elsewhere: PlacedScan[] = [];
  /** Number of joins at the start of `joins` whose keys a scan in `elsewhere` already counts. */
  private proved = 0;

  /** Lists that scans of another database may join with or look values up in, by the name of the list. */
  private readonly lists = new Map<string, HandedList>();

  private prefix = '';

  /** The guard of each binding. A guard caches its results. */
  private readonly guards = new Map<MetricBinding, Guard>();

  /**
   * @param target the database that holds the rows; null for PostgreSQL
   * @param mostCharacters maximum characters of the statement
   */
  constructor(
    private readonly target: Target | null = null,
    private readonly mostCharacters = mostStatementCharacters,
  ) {}

  /** Chooses a prefix for the names of parts, so that no part has one of these names. To be called before the first part is named. */
  reserve(names: readonly string[]): void {
    while (names.some(name => name.startsWith(this.prefix) && /^[a-z]\d*$/.test(name.slice(this.prefix.length)))) this.prefix += '_';
  }

  /** The quoted name of a part of the WITH list, with the prefix that `reserve` chose. */
  part(name: string): string {
    return this.dialect.quote(`${this.prefix}${name}`);
  }

  /** Binds a value. Returns `$n::type`. Equal values of one type are bound once. */
  bind(value: unknown, type: string): string {
    return this.bound.bind(value, type);
  }

  /**
   * Returns a stand-in for an expression that the guard admitted. `finish` replaces the stand-in with the text in parentheses. A bare
   * column gets no stand-in: it is quoted, and qualified with `alias` if one is given and the text has no qualifier.
   */
  embed(guarded: GuardedExpression, alias?: string): string {
    const [column] = guarded.columns;
    this.grow(alias === undefined ? 'request' : 'binding', guarded);
    if (!column || !('ColumnRef' in (guarded.tree as object))) return fragmentMarker(this.fragments.push(guarded) - 1);
    const { quote } = this.dialect;
    const qualifier = column[0] ?? alias;
    return `${qualifier === undefined ? '' : `${quote(qualifier)}.`}${quote(column[1])}`;
  }

  /** Guards an expression of a binding, each text once. @throws UnsafeFilterClauseError */
  judge(binding: MetricBinding, expression: string): GuardedExpression {
    const guard = this.guards.get(binding) ?? guardOverTables(binding);
    this.guards.set(binding, guard);
    return guard(expression);
  }

  /**
   * Guards expressions of a binding before they are embedded.
   * @throws UnsafeFilterClauseError, SchemaError if the expressions are too long together
   */
  *judgeAll(binding: MetricBinding, expressions: ReadonlySet<string>): Steps<void> {
    checkStatementLength([...expressions], this.mostCharacters);
    for (const expression of expressions) {
      yield;
      this.judge(binding, expression);
    }
  }

  /** SQL for the rows of a table of a binding, as a FROM item without its alias. For a query, a stand-in with parentheses. */
  embedTable({ source }: BoundTable): string {
    if ('table' in source) return quoteTable(source.schema, source.table);
    const query = guardQuery(source);
    this.grow('query', query);
    return selectMarker(this.fragments.push(query) - 1);
  }

  private grow(layer: keyof typeof this.growth, { growth, copies }: { growth: number; copies: number }): void {
    this.growth[layer] = Math.max(this.growth[layer], growth);
    this.copies[layer] = layer === 'request' ? this.copies.request + copies : Math.max(this.copies[layer], copies);
    const product = ({ query, binding, request }: Record<keyof typeof this.growth, number>): number => query * binding * request;
    if (product(this.growth) > maxGrowth) throw new UnsafeFilterClauseError({ reason: 'length', sentence: growthSentence });
    // PostgreSQL puts the columns of the query into all columns of the binding, also into those that the request does not name.
    if (layer === 'binding') this.copiedToBinding += copies;
    const copied = Math.max(product(this.copies), this.copies.query * this.copiedToBinding);
    if (copied > mostOfStatement) throw new UnsafeFilterClauseError({ reason: 'length', sentence: statementTooLarge });
  }

  /**
   * The part of the WITH list that groups rows. If another database holds the rows, that database groups them, and the part lists the
   * groups that it returned.
   * @throws NotInDialectError
   */
  place(name: string, groups: Groups): string {
    if (!this.target) return `${name} AS (\n  ${selectGroups(groups)}\n)`;
    const { from, conditions, keys, dimensions, levels, isLevelled, measures } = groups;
    const named = [...namedKeys(groups), ...measures];
    const where = conditions.length > 0 ? `\nWHERE ${conditions.join(' AND ')}` : '';
    const statement = atOnce(this.finish(`SELECT ${named.map(each => `${each.sql} AS "${each.name}"`).join(', ')}\nFROM ${from}${where}`));
    const joins = this.joins.slice(this.proved);
    this.proved = this.joins.length;
    const template = {
      statement,
      keys: keys.length,
      dimensions: dimensions.length,
      names: named.map(each => each.name),
      levels,
      isLevelled,
      lists: this.lists,
      uniqueKeys: joins.map(join => this.selectKeys(join)),
    };
    const { scan, local } = translateScan(template, this.target);
    const placed: PlacedScan = { ...scan, joins };
    this.elsewhere.push(placed);
    const rows = this.bind(new RowsOf(placed, this.elsewhere.length), 'jsonb');
    const { quote } = this.dialect;
    const columns = scan.columns.map(column => `${quote(column.name)} ${column.type}`).join(', ');
    const list = local.map(column => `${column.sql} AS ${quote(column.name)}`).join(', ');
    return `${name} AS (\n  SELECT ${list}\n  FROM jsonb_to_recordset(${rows}) AS "rows" (${columns})\n)`;
  }

  /**
   * The part of the WITH list with a list of values. Rows join with the list or are looked up in it. Another database gets the list as a
   * parameter of its scan; then no part is returned.
   * @param select SELECT of the columns of the list
   * @param parts the parts of the WITH list that `select` reads
   */
  list(name: string, columns: HandedList['columns'], select: string, parts: readonly string[], materialized = ''): string[] {
    if (!this.target) return [`${name} AS ${materialized}(\n  ${select}\n)`];
    const reading = parts.length > 0 ? `WITH ${parts.join(',\n')}\n` : '';
    this.lists.set(name.slice(1, -1), { columns, statement: this.bound.finish(`${reading}${select}`) });
    return [];
  }

  /**
   * SQL of `time`, or NULL if the column is infinite: an infinite time lies outside all periods. Other databases have only finite
   * times.
   */
  ifFinite(column: string, time: string): string {
    return this.target ? time : `CASE WHEN ${this.dialect.isFinite(column)} THEN ${time} END`;
  }

  /**
   * SQL of the text of a time. A year before the year 1 gets BC at the end, because `to_char` leaves the era out. Rows of another database
   * stay as they are: DuckDB writes such years with a sign, and the others do not have them.
   * @param from the start of the range with the times; null if it has none
   */
  withEra(text: string, time: string, from: string | null): string {
    return this.target || (from !== null && from >= afterFirstWeek) ? text : this.dialect.withEra(text, time);
  }

  /** Refuses a construct if another database holds the rows. @throws NotInDialectError */
  refuseElsewhere(construct: string): void {
    if (this.target) throw new NotInDialectError(this.target.dialect.name, construct);
  }

  /** SELECT of the keys of a join, which must be unique in the joined table. */
  selectKeys(join: BoundJoin): SqlStatement {
    if ('sql' in join.source) throw new Error('A join reads a table');
    const { schema, table } = join.source;
    const guard = guardOverTable(join);
    const keys = join.on.map(([, key]) => this.embed(guard(key)));
    const list = keys.map((key, index) => `${key} AS "k${index}"`).join(', ');
    const rows = [...keys.map(key => `${key} IS NOT NULL`), ...(join.filter === undefined ? [] : [this.embed(guard(join.filter))])];
    return atOnce(
      this.finish(`SELECT ${list}\nFROM ${quoteTable(schema, table)} AS ${this.dialect.quote(join.alias)}\nWHERE ${rows.join(' AND ')}`),
    );
  }

  /**
   * The statement with the client's pieces verbatim in place of their stand-ins, and its shape checked.
   * @throws SchemaError if it is too long
   */
  *finish(template: string): Steps<SqlStatement> {
    checkStatementLength([template, ...this.fragments.map(({ text }) => text)], this.mostCharacters);
    return { sql: yield* assembleInSteps(template, this.fragments), parameters: this.bound.values };
  }

  /**
   * The whole statement, with the scans of another database. If that database holds the rows, the client's pieces and their parameters are
   * in the statements of the scans.
   */
  *finishAll(template: string): Steps<CompiledStatement> {
    const statement = this.target ? this.bound.finish(template) : yield* this.finish(template);
    return { ...statement, elsewhere: this.elsewhere, tellsTime: this.fragments.some(tellsTime) };
  }
}

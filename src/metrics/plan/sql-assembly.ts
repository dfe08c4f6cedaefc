import { postgres } from '../../sql/dialects/postgres.js';
import { SqlParameters, type SqlStatement } from '../../sql/sql-parameters.js';
import { quoteTable } from '../../sql/quote-identifier.js';
import { type Guard, type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { growthSentence, maxGrowth } from '../../sql-guard/check-growth.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { type HandedList } from '../translate/handed-list.js';
import { NotInDialectError } from '../translate/not-in-dialect.error.js';
import { type Target } from '../translate/target-dialect.js';
import { translateScan, type TranslatedScan } from '../translate/translate-scan.js';
import { guardOverTable, guardOverTables, guardQuery } from './bound-sql.js';
import { type BoundJoin, type BoundTable, type MetricBinding, type TableRead } from './metric-binding.js';
import { tellsTime } from './tells-time.js';
import { type Groups, namedKeys, selectGroups } from './select-groups.js';
import { assembleInSteps, fragmentMarker, selectMarker, type SqlFragment } from '../../sql-guard/same-shape.js';
import { atOnce, type Steps } from '../../text/steps.js';
import { checkStatementLength, mostStatementCharacters } from './statement-length.js';

/** A scan of another database, and where its rows go. */
export interface PlacedScan extends TranslatedScan {
  /** The joins whose keys it counts, in the order of their columns. */
  joins: readonly BoundJoin[];
}

/** A statement of PostgreSQL's, with the scans that another database runs before. */
export interface CompiledStatement extends SqlStatement {
  elsewhere: readonly PlacedScan[];
  /** Whether its rows depend on when it runs. */
  tellsTime: boolean;
}

/** Stands in the parameters of a statement for the rows of a scan. */
export class RowsOf {
  constructor(
    readonly scan: PlacedScan,
    readonly position: number,
  ) {}

  /** Position of the scan, which stands for its rows in a hash of the statement. */
  toJSON(): number {
    return this.position;
  }
}

/** Collects the references of a statement under construction: bound values and guarded pieces of client SQL. */
export class SqlAssembly {
  readonly dialect = postgres;
  private readonly bound = new SqlParameters();
  private readonly fragments: SqlFragment[] = [];
  /**
   * The growth in queries, in a binding's expressions over them, and in a formula and a clause over those. Each works on the values
   * of the one before.
   */
  private readonly growth = { query: 1, binding: 1, request: 1 };

  /** Joins and tables of bindings that the statement reads, with their columns. */
  readonly joins: BoundJoin[] = [];
  readonly reads: TableRead[] = [];

  /** The scans that another database runs. Their rows come back as parameters of the statement. */
  readonly elsewhere: PlacedScan[] = [];
  /** How many of the joins a scan has proved. */
  private proved = 0;

  /** Lists that the scans of another database may join with, by name. */
  private readonly lists = new Map<string, HandedList>();

  private prefix = '';

  /** The guard of each binding. It remembers what it has judged. */
  private readonly guards = new Map<MetricBinding, Guard>();

  /**
   * @param target the database that holds the rows, where it is not PostgreSQL
   * @param mostCharacters of the statement
   */
  constructor(
    private readonly target: Target | null = null,
    private readonly mostCharacters = mostStatementCharacters,
  ) {}

  /** Keeps the parts of the statement clear of these names. To be called before the first part is named. */
  reserve(names: readonly string[]): void {
    while (names.some(name => name.startsWith(this.prefix) && /^[a-z]\d*$/.test(name.slice(this.prefix.length)))) this.prefix += '_';
  }

  /** The quoted name of a part of the WITH list. */
  part(name: string): string {
    return this.dialect.quote(`${this.prefix}${name}`);
  }

  /** Returns `$n::type`. The same value of the same type is bound once. */
  bind(value: unknown, type: string): string {
    return this.bound.bind(value, type);
  }

  /**
   * Returns a stand-in for an expression that the guard admitted. The text replaces it, in parentheses, when the statement is
   * finished. A bare column needs no stand-in: it is quoted, and qualified with `alias` if one is given and the text has none.
   */
  embed(guarded: GuardedExpression, alias?: string): string {
    const [column] = guarded.columns;
    this.grow(alias === undefined ? 'request' : 'binding', guarded.growth);
    if (!column || !('ColumnRef' in (guarded.tree as object))) return fragmentMarker(this.fragments.push(guarded) - 1);
    const { quote } = this.dialect;
    const qualifier = column[0] ?? alias;
    return `${qualifier === undefined ? '' : `${quote(qualifier)}.`}${quote(column[1])}`;
  }

  /** Judges an expression of a binding, once. @throws UnsafeFilterClauseError */
  judge(binding: MetricBinding, expression: string): GuardedExpression {
    const guard = this.guards.get(binding) ?? guardOverTables(binding);
    this.guards.set(binding, guard);
    return guard(expression);
  }

  /**
   * Judges expressions of a binding before they are embedded.
   * @throws UnsafeFilterClauseError, SchemaError if they are too long together
   */
  *judgeAll(binding: MetricBinding, expressions: ReadonlySet<string>): Steps<void> {
    checkStatementLength([...expressions], this.mostCharacters);
    for (const expression of expressions) {
      yield;
      this.judge(binding, expression);
    }
  }

  /** SQL for the rows of a table of a binding, to stand in FROM before an alias. A query has a stand-in, with its parentheses. */
  embedTable({ source }: BoundTable): string {
    if ('table' in source) return quoteTable(source.schema, source.table);
    const query = guardQuery(source);
    this.grow('query', query.growth);
    return selectMarker(this.fragments.push(query) - 1);
  }

  private grow(layer: keyof typeof this.growth, factor: number): void {
    this.growth[layer] = Math.max(this.growth[layer], factor);
    const { query, binding, request } = this.growth;
    if (query * binding * request > maxGrowth) throw new UnsafeFilterClauseError({ reason: 'length', sentence: growthSentence });
  }

  /**
   * The part of the WITH list that groups rows. Another database groups them itself, and the part lists what it gave.
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
   * The part of the WITH list that lists values for rows to be joined with or looked up in. Another database is handed the list with
   * its scan.
   * @param select gives the columns
   * @param parts those of the WITH list that it reads
   */
  list(name: string, columns: HandedList['columns'], select: string, parts: readonly string[], materialized = ''): string[] {
    if (!this.target) return [`${name} AS ${materialized}(\n  ${select}\n)`];
    const reading = parts.length > 0 ? `WITH ${parts.join(',\n')}\n` : '';
    this.lists.set(name.slice(1, -1), { columns, statement: this.bound.finish(`${reading}${select}`) });
    return [];
  }

  /** SQL of a time that is NULL if the column is infinite, which is outside of all periods. Other databases have only finite times. */
  ifFinite(column: string, time: string): string {
    return this.target ? time : `CASE WHEN ${this.dialect.isFinite(column)} THEN ${time} END`;
  }

  /** @throws NotInDialectError where the rows are in another database */
  refuseElsewhere(construct: string): void {
    if (this.target) throw new NotInDialectError(this.target.dialect.name, construct);
  }

  /** A SELECT of the keys of a join, which its table must have once. */
  selectKeys(join: BoundJoin): SqlStatement {
    if ('sql' in join.source) throw new Error('A join reads a table');
    const { schema, table } = join.source;
    const guard = guardOverTable(join);
    const keys = join.on.map(([, key]) => this.embed(guard(key)));
    const list = keys.map((key, index) => `${key} AS "k${index}"`).join(', ');
    const known = keys.map(key => `${key} IS NOT NULL`).join(' AND ');
    return atOnce(this.finish(`SELECT ${list}\nFROM ${quoteTable(schema, table)} AS ${this.dialect.quote(join.alias)}\nWHERE ${known}`));
  }

  /** The statement with the client's pieces verbatim in their places, and its shape checked. @throws SchemaError if it is too long */
  *finish(template: string): Steps<SqlStatement> {
    checkStatementLength([template, ...this.fragments.map(({ text }) => text)], this.mostCharacters);
    return { sql: yield* assembleInSteps(template, this.fragments), parameters: this.bound.values };
  }

  /**
   * The whole statement. If another database has the rows, the client's pieces and the parameters of the scans are in its statements
   * instead.
   */
  *finishAll(template: string): Steps<CompiledStatement> {
    const statement = this.target ? this.bound.finish(template) : yield* this.finish(template);
    return { ...statement, elsewhere: this.elsewhere, tellsTime: this.fragments.some(tellsTime) };
  }
}

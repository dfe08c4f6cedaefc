import { postgres } from '../../sql/dialects/postgres.js';
import { SqlParameters, type SqlStatement } from '../../sql/sql-parameters.js';
import { type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { growthSentence, maxGrowth } from '../../sql-guard/check-growth.js';
import { type GuardedSelect } from '../../sql-guard/guard-select.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { type BoundJoin, type TableRead } from './metric-binding.js';
import { assembleSql, fragmentMarker, selectMarker, type SqlFragment } from '../../sql-guard/same-shape.js';

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

  /** What the statement reads of the tables of bindings. */
  readonly joins: BoundJoin[] = [];
  readonly reads: TableRead[] = [];

  private prefix = '';

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

  /** Does the same for a whole SELECT in FROM, with its parentheses. */
  embedSelect(fragment: GuardedSelect): string {
    this.grow('query', fragment.growth);
    return selectMarker(this.fragments.push(fragment) - 1);
  }

  private grow(layer: keyof typeof this.growth, factor: number): void {
    this.growth[layer] = Math.max(this.growth[layer], factor);
    const { query, binding, request } = this.growth;
    if (query * binding * request > maxGrowth) throw new UnsafeFilterClauseError({ reason: 'length', sentence: growthSentence });
  }

  /** The statement with the client's pieces verbatim in their places, and its shape checked. */
  finish(template: string): SqlStatement {
    return { sql: assembleSql(template, this.fragments), parameters: this.bound.values };
  }
}

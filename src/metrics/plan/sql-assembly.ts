import { postgres } from '../../sql/dialects/postgres.js';
import { SqlParameters, type SqlStatement } from '../../sql/sql-parameters.js';
import { type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { growthSentence, maxGrowth } from '../../sql-guard/check-growth.js';
import { type GuardedSelect } from '../../sql-guard/guard-select.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { assembleSql, fragmentMarker, selectMarker, type SqlFragment } from '../../sql-guard/same-shape.js';

/** Collects what a statement under construction refers to: bound values and guarded pieces of client SQL. */
export class SqlAssembly {
  readonly dialect = postgres;
  private readonly bound = new SqlParameters();
  private readonly fragments: SqlFragment[] = [];
  /** Of queries, of a binding's expressions over them, and of a formula and a clause over those: each works on the values of the one before. */
  private readonly growth = { query: 1, binding: 1, request: 1 };

  /** `$n::type`; the same value of the same type is bound once. */
  bind(value: unknown, type: string): string {
    return this.bound.bind(value, type);
  }

  /**
   * A stand-in for an expression that the guard admitted; the text takes its place, in parentheses, when the statement is finished.
   * A bare column needs none: it is quoted, and qualified with `alias` where the text is not and one is given.
   */
  embed(guarded: GuardedExpression, alias?: string): string {
    const [column] = guarded.columns;
    this.grow(alias === undefined ? 'request' : 'binding', guarded.growth);
    if (!column || !('ColumnRef' in (guarded.tree as object))) return fragmentMarker(this.fragments.push(guarded) - 1);
    const { quote } = this.dialect;
    const qualifier = column[0] ?? alias;
    return `${qualifier === undefined ? '' : `${quote(qualifier)}.`}${quote(column[1])}`;
  }

  /** The same for a whole SELECT in FROM, parentheses included. */
  embedSelect(fragment: GuardedSelect): string {
    this.grow('query', fragment.growth);
    return selectMarker(this.fragments.push(fragment) - 1);
  }

  private grow(layer: keyof typeof this.growth, factor: number): void {
    this.growth[layer] = Math.max(this.growth[layer], factor);
    const { query, binding, request } = this.growth;
    if (query * binding * request > maxGrowth) throw new UnsafeFilterClauseError({ reason: 'length', sentence: growthSentence });
  }

  /** The statement with the client's pieces verbatim in their places, its shape proven. */
  finish(template: string): SqlStatement {
    return { sql: assembleSql(template, this.fragments), parameters: this.bound.values };
  }
}

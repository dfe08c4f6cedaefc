import { type Steps } from '../../text/steps.js';
import { SqlParameters, type SqlStatement } from '../../sql/sql-parameters.js';
import { assembleInSteps, fragmentMarker, type SqlFragment } from '../../sql-guard/same-shape.js';

/**
 * Collects the parts of a statement that are not in its template: values, which become parameters, and guarded SQL of the mapping's author,
 * which `build` puts in place of markers.
 */
export class SqlBuilder {
  private readonly parameters = new SqlParameters();
  private readonly fragments: SqlFragment[] = [];

  /** Adds a parameter and returns its SQL, such as `$3::text`. */
  bind(value: unknown, type: string): string {
    return this.parameters.bind(value, type);
  }

  fragment(guarded: SqlFragment): string {
    this.fragments.push(guarded);
    return fragmentMarker(this.fragments.length - 1);
  }

  /** Inserts the fragments and proves that the statement still has the structure of `template`. */
  *build(template: string): Steps<SqlStatement> {
    const sql = this.fragments.length === 0 ? template : yield* assembleInSteps(template, this.fragments);
    return { sql, parameters: this.parameters.values };
  }
}

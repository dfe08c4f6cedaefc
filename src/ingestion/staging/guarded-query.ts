import { type GuardedSelect, guardSelect } from '../../sql-guard/guard-select.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { type Steps } from '../../text/steps.js';
import { type ElementSource } from '../mapping/mapping.js';

export type QuerySource = Extract<ElementSource, { kind: 'query' }>;

const judged = new WeakMap<QuerySource, Map<string, GuardedSelect | UnsafeFilterClauseError>>();

/**
 * The judged query of a source. A query is judged once for each schema and remembered, because a long query takes 50 ms, and a run asks for
 * it many times.
 * @throws UnsafeFilterClauseError
 */
export function guardedQuery(source: QuerySource, schema: string): GuardedSelect {
  const outcome = outcomeOf(source, schema);
  if (outcome instanceof UnsafeFilterClauseError) throw outcome;
  return outcome;
}

/** Whether the guard admits the query of a source. */
export function isAdmitted(source: QuerySource, schema: string): boolean {
  return !(outcomeOf(source, schema) instanceof UnsafeFilterClauseError);
}

export function isJudged(source: QuerySource, schema: string): boolean {
  return judged.get(source)?.has(schema) ?? false;
}

/** Judges the queries of sources in steps. Afterwards {@link guardedQuery} gives their outcomes without work. */
export function* judgeQueries(sources: readonly QuerySource[], schema: string): Steps<void> {
  for (const source of sources) {
    yield;
    outcomeOf(source, schema);
  }
}

function outcomeOf(source: QuerySource, schema: string): GuardedSelect | UnsafeFilterClauseError {
  const known = judged.get(source) ?? new Map<string, GuardedSelect | UnsafeFilterClauseError>();
  judged.set(source, known);
  const outcome = known.get(schema) ?? judge(source, schema);
  known.set(schema, outcome);
  return outcome;
}

function judge({ query }: QuerySource, schema: string): GuardedSelect | UnsafeFilterClauseError {
  try {
    return guardSelect(query, { schema });
  } catch (error) {
    if (error instanceof UnsafeFilterClauseError) return error;
    throw error;
  }
}

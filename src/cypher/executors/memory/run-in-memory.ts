import { type Clause, type CypherQuery } from '../../syntax/cypher-ast.js';
import { type CypherMap, type CypherValue } from '../../values/cypher-value.js';
import { metered } from '../../syntax/effort.js';
import { type Now } from '../../values/temporal/clock-parts.js';
import { type Behind } from './behind.js';
import { compileClauses, type Watch } from './compile-clauses.js';
import { compileCondition, compileExpression } from './compile-expression.js';
import { compileMatch } from './compile-match.js';
import { compileUnion } from './compile-union.js';
import { type Compilers } from './expression-place.js';
import { type MemoryGraph } from './memory-graph.js';
import { type Rows, RunningQuery } from './running-query.js';
import { Scope } from './scope.js';
import { Work, type WorkLimits } from './work.js';

export const compilers: Compilers = {
  expression: compileExpression,
  condition: compileCondition,
  match: compileMatch,
  clauses: compileClauses,
};

export interface MemoryRun {
  parameters: CypherMap;
  limits: WorkLimits;
  now: Now;
  /** Receives an entry for each clause while the rows are read. */
  profile?: ClauseProfile[];
}

export interface ClauseProfile {
  /** The word that the clause begins with. */
  operator: string;
  /** Number of rows that the clause yielded. */
  rows: number;
  /** Milliseconds in the clause, without the clauses before it. */
  time_ms: number;
}

/** A row of an answer with its evidence: the nodes and edges from which it was computed. */
export interface AnswerRow {
  values: CypherValue[];
  behind: Behind | null;
}

export interface PreparedQuery {
  columns: string[];
  /** Work units of work that compiling took. */
  compileUnits: number;
  /** Yields the rows of the answer, and null where the query may pause. @throws CypherValueError, WorkExceededError */
  rows(): Generator<AnswerRow | null>;
  /** Work and held bytes of the query. The caller adds the bytes of the rows that the caller keeps. */
  work: Work;
  /** Whether the rows so far depend on nodes and edges that no row cites. */
  hasUncited(): boolean;
}

/**
 * Prepares a query to run on a graph in memory. This executor defines what openCypher means in this service; the SQL executor must agree.
 * @throws CypherSyntaxError, CypherValueError for errors that show before the query runs; MissingParameterError
 */
export function prepareInMemory(query: CypherQuery, graph: MemoryGraph, { parameters, limits, now, profile }: MemoryRun): PreparedQuery {
  const running = new RunningQuery(query.text, graph, parameters, new Work(limits), now, compilers);
  const { work } = running;
  const watch = profile && watching(profile);
  // Count the work of compiling, because compiling evaluates constants.
  const union = metered(work, () =>
    compileUnion(query, running, clauses => compileClauses(clauses, { query: running, scope: new Scope(running.frame) }, watch)),
  );
  return { columns: union.columns, compileUnits: work.unitsInOneGo, rows, work, hasUncited: () => running.hasUncited };

  function* rows(): Generator<AnswerRow | null> {
    const found = union.run(() => running.frame.emptyRow());
    // Reset the count of work units, so that compiling does not count for the first row.
    work.resume();
    try {
      for (;;) {
        const next = metered(work, () => found.next());
        if (next.done) return;
        yield next.value && { values: next.value.values, behind: next.value.row.behind ?? null };
        work.resume();
      }
    } finally {
      // End the clauses' generators: no further rows will be read.
      found.return(undefined);
    }
  }
}

/** Records the rows and the time of each clause. The time of a clause excludes the time of the clauses that give it rows. */
function watching(profile: ClauseProfile[]): Watch {
  let inner = 0;
  return (clause, rows) => watched(clause, rows);

  function* watched({ kind, ...clause }: Clause, rows: Rows): Rows {
    const word = 'optional' in clause && clause.optional ? 'OPTIONAL MATCH' : kind.toUpperCase();
    const entry = { operator: word, rows: 0, time_ms: 0 };
    // The generator of the last clause starts first, so the entry of each clause before it is put in front.
    profile.unshift(entry);
    try {
      for (;;) {
        const [before, started] = [inner, performance.now()];
        const next = rows.next();
        const spent = performance.now() - started;
        entry.time_ms += spent - (inner - before);
        inner = before + spent;
        if (next.done) return;
        if (next.value !== null) entry.rows += next.value.times ?? 1;
        yield next.value;
      }
    } finally {
      rows.return(undefined);
    }
  }
}

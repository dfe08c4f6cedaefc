import { type Clause, type MatchClause, type UnwindClause } from '../../syntax/cypher-ast.js';
import { CypherValueError } from '../../syntax/cypher.errors.js';
import { iterateRange } from '../../functions/list-functions.js';
import { type CypherValue, isList } from '../../values/cypher-value.js';
import { compileMatch } from './compile-match.js';
import { compileProjection } from './compile-projection.js';
import { compileCountedMatch, type CountedMatch } from './counted-match.js';
import { compile, type CompiledClauses, type ExpressionPlace, type Rows } from './expression-place.js';
import { forgotten } from './forgotten-rows.js';
import { type Row, type Scope, valuesIn } from './scope.js';
import { type SlotsRead } from './slots-read.js';

interface CompiledClause {
  scope: Scope;
  run(rows: Rows): Rows;
}

/** A compiled MATCH. Call `countFor` if the next clause only groups and counts the matches by the slots `read`. */
interface CompiledMatching extends CompiledClause {
  countFor(read: SlotsRead): void;
}

/** Wraps the rows of a clause, in order to observe them. */
export type Watch = (clause: Clause, rows: Rows) => Rows;

/** Compiles clauses that follow each other. Each clause reads the rows of the clause before it. */
export function compileClauses(clauses: Clause[], place: ExpressionPlace, watch?: Watch): CompiledClauses {
  let { scope } = place;
  let columns: CompiledClauses['columns'] = null;
  const steps: CompiledClause['run'][] = [];
  let first: CompiledMatching | null = null;
  for (const [i, clause] of clauses.entries()) {
    const here = { query: place.query, scope };
    let compiled: CompiledClause;
    if (clause.kind === 'match') {
      const matching = compileMatching(clause, here);
      if (i === 0 && scope.variables.size === 0) first = matching;
      compiled = matching;
    } else if (clause.kind === 'unwind') compiled = compileUnwind(clause, here);
    else {
      const projection = compileProjection(clause, here);
      if (clause.kind === 'return') ({ columns } = projection);
      if (i === 1 && projection.counted) first?.countFor(projection.counted);
      compiled = projection;
    }
    ({ scope } = compiled);
    steps.push(watch ? rows => watch(clause, compiled.run(rows)) : compiled.run.bind(compiled));
  }
  return { columns, scope, run: input => steps.reduce<Rows>((rows, step) => forgotten(step(rows)), given(input)) };
}

function* given(rows: readonly Row[]): Rows {
  yield* rows;
}

function compileMatching(clause: MatchClause, place: ExpressionPlace): CompiledMatching {
  const { work } = place.query;
  let counted: CountedMatch | null = null;
  const match = compileMatch(clause, place);
  const known = new Set([...place.scope.variables.values()].map(({ slot }) => slot));
  const added = [...match.scope.variables.values()].filter(({ slot }) => !known.has(slot));
  const own = added.map(({ slot }) => slot);
  const walks = added.filter(({ type }) => type === 'path' || type === 'edges');
  return { scope: match.scope, run, countFor: read => (counted = compileCountedMatch(clause, match.parts, read, place)) };

  function* run(rows: Rows): Rows {
    const holding = work.holding();
    /**
     * The paths and lists of edges that some expression reads. Each of them may be as long as the graph. A path or list that no expression
     * reads is built only as far as evidence needs it.
     */
    const wholeWalks = walks.filter(({ slot }) => place.query.frame.isRead(slot));
    try {
      for (const row of rows) {
        if (row === null) {
          yield null;
          continue;
        }
        if (counted && (yield* countedRows(counted))) continue;
        let isFound = false;
        for (const found of match.run(copied(row))) {
          if (found === null) {
            yield null;
            continue;
          }
          isFound = true;
          if (wholeWalks.length > 0) holding.passing(valuesIn(found, wholeWalks));
          work.row(row.length);
          if (work.isDue) yield null;
          yield copied(found, row);
        }
        if (isFound || !clause.optional) continue;
        work.row(row.length);
        if (work.isDue) yield null;
        const missed = copied(row);
        for (const slot of own) missed[slot] = null;
        yield missed;
      }
    } finally {
      holding.release();
    }
  }
}

/**
 * Counts the matches. Returns false, before it has yielded a row, if a condition throws an error. The caller then makes the matches one by
 * one, where another condition may exclude the match first.
 */
function* countedRows(counted: CountedMatch): Generator<Row | null, boolean> {
  try {
    return yield* counted();
  } catch (error) {
    if (error instanceof CypherValueError) return false;
    throw error;
  }
}

function copied(row: Row, from: Row = row): Row {
  const copy: Row = [...row];
  if (from.behind) copy.behind = from.behind;
  return copy;
}

function compileUnwind(clause: UnwindClause, place: ExpressionPlace): CompiledClause {
  const { query } = place;
  const { list, variable, position } = clause;
  if (place.scope.find(variable))
    throw query.error(
      'VariableAlreadyBound',
      { zh: `变量 ${variable} 已有含义`, en: `The variable ${variable} is bound already` },
      position,
    );
  const items = itemsOf();
  const { scope, slot } = place.scope.with(variable, 'any');
  return { scope, run };

  function* run(rows: Rows): Rows {
    const holding = query.work.holding();
    try {
      for (const row of rows) {
        if (row === null) {
          yield null;
          continue;
        }
        const found = items(row);
        holding.passing(Array.isArray(found) ? [found as CypherValue[]] : []);
        for (const item of found) {
          const next = copied(row);
          next[slot] = item;
          query.work.row(row.length);
          if (query.work.isDue) yield null;
          yield next;
        }
      }
    } finally {
      holding.release();
    }
  }

  /** Compiles the items of UNWIND. The items of `range()` are made one by one without building a list, so a range may be long. */
  function itemsOf(): (row: Row) => Iterable<CypherValue> {
    if (list.kind === 'call' && list.name.toLowerCase() === 'range' && list.args.length >= 2 && list.args.length <= 3) {
      const args = list.args.map(arg => compile(arg, place));
      return row => {
        try {
          return iterateRange(args.map(arg => arg(row))) ?? [];
        } catch (fault) {
          throw query.placed(fault, list.position);
        }
      };
    }
    const value = compile(list, place);
    return row => {
      const found = value(row);
      if (found === null) return [];
      return isList(found) ? found : [found];
    };
  }
}

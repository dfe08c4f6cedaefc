import { type Clause, type UnionQuery } from '../../syntax/cypher-ast.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { type CompiledClauses } from './expression-place.js';
import { KeptRows } from './kept-rows.js';
import { type RunningQuery } from './running-query.js';
import { type Row } from './scope.js';

/** Work units to begin one query of a UNION, without the units for its clauses and its input row. */
const unitsOfPart = 80;

/** A row of a UNION, with its values in the order of the first part's columns. */
export interface UnionRow {
  values: CypherValue[];
  row: Row;
}

export interface CompiledUnion {
  /** Names of the columns; empty if the query has no RETURN. */
  columns: string[];
  /** @param input makes an input row for each query of the UNION. Yields null where the query may pause. */
  run(input: () => Row): Generator<UnionRow | null>;
}

/**
 * Compiles queries joined by UNION, or a single query. Without ALL, equal rows of a UNION are given as one row, with the evidence of all of
 * them.
 * @throws CypherSyntaxError if the queries have different columns
 */
export function compileUnion(
  { queries, distinct }: UnionQuery,
  query: RunningQuery,
  compile: (clauses: Clause[]) => CompiledClauses,
): CompiledUnion {
  const parts = queries.map(compile);
  const columns = namesOf(parts[0]!);
  for (const [i, part] of parts.entries()) {
    const names = namesOf(part);
    if (names.length !== columns.length || columns.some(name => !names.includes(name)))
      throw query.error(
        'DifferentColumnsInUnion',
        { zh: 'UNION 两边的列须相同', en: 'Both sides of UNION must have the same columns' },
        queries[i]!.at(-1)!.position,
      );
  }
  const slots = parts.map(part => columns.map(name => part.columns!.find(column => column.name === name)!.slot));
  return { columns, run };

  function* run(input: () => Row): Generator<UnionRow | null> {
    const kept = parts.length > 1 && distinct ? new KeptRows(query, false) : null;
    let isWhole = false;
    try {
      for (const [i, part] of parts.entries()) {
        const first = input();
        query.work.spend(unitsOfPart + (first.length >> 3));
        for (const row of part.run([first])) {
          if (row === null) {
            yield null;
            continue;
          }
          const values = slots[i]!.map(slot => row[slot] ?? null);
          if (kept?.take(row, values) !== false) yield { values, row };
        }
      }
      isWhole = true;
    } finally {
      kept?.end(isWhole);
    }
  }
}

function namesOf({ columns }: CompiledClauses): string[] {
  return (columns ?? []).map(({ name }) => name);
}

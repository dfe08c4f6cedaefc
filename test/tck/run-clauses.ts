import { compileClauses } from '../../src/cypher/executors/memory/compile-clauses.js';
import { type MemoryGraph } from '../../src/cypher/executors/memory/memory-graph.js';
import { compilers, type MemoryRun } from '../../src/cypher/executors/memory/run-in-memory.js';
import { RunningQuery } from '../../src/cypher/executors/memory/running-query.js';
import { type Row, Scope } from '../../src/cypher/executors/memory/scope.js';
import { Work } from '../../src/cypher/executors/memory/work.js';
import { type Clause } from '../../src/cypher/syntax/cypher-ast.js';
import { type CypherValue } from '../../src/cypher/values/cypher-value.js';

/** The rows that one clause passes to the next. */
export interface Table {
  columns: string[];
  rows: CypherValue[][];
}

/** Runs clauses over rows with the given columns, without the pauses of the service. */
export function runClauses(clauses: Clause[], graph: MemoryGraph, run: MemoryRun, input: Table): Table {
  const running = new RunningQuery('', graph, run.parameters, new Work(run.limits), run.now, compilers);
  let scope = new Scope(running.frame);
  const slots = input.columns.map(name => {
    const declared = scope.with(name, 'any');
    ({ scope } = declared);
    return declared.slot;
  });
  const compiled = compileClauses(clauses, { query: running, scope });
  const found = compiled.columns ?? [...compiled.scope.variables].map(([name, { slot }]) => ({ name, slot }));
  const given = input.rows.map(values => {
    const row: Row = running.frame.emptyRow();
    slots.forEach((slot, i) => {
      row[slot] = values[i] ?? null;
    });
    return row;
  });
  const rows: CypherValue[][] = [];
  for (const row of compiled.run(given)) {
    running.work.resume();
    if (row !== null) rows.push(found.map(({ slot }) => row[slot] ?? null));
  }
  return { columns: found.map(({ name }) => name), rows };
}

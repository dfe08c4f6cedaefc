import { type Expression } from '../../syntax/cypher-ast.js';
import { keyOf } from '../../values/equality.js';
import { GrowingList } from '../../values/growing-list.js';
import { type ExpressionPlace, type Rows } from './expression-place.js';
import { occurs } from './compile-pattern-expression.js';
import { type Evaluate, type Row } from './scope.js';

/** `EXISTS { … }`, `COUNT { … }` and `COLLECT { … }`, which see the variables around them. */
export function compileSubquery(expression: Expression & { kind: 'subquery' }, place: ExpressionPlace): Evaluate {
  const { query } = place;
  const { form, position } = expression;
  const { queries, distinct } = expression.query;
  const compiled = queries.map(clauses => query.compilers.clauses(clauses, { query, scope: place.scope }));
  const [first] = compiled;
  if (form === 'COLLECT' && first?.columns?.length !== 1)
    throw query.error(
      'UnexpectedSyntax',
      { zh: 'COLLECT { … } 须以一列的 RETURN 结尾', en: 'COLLECT { … } ends with RETURN and one column' },
      position,
    );
  const isUnion = distinct && compiled.length > 1;
  return query.at(position, row => {
    if (form === 'EXISTS') return compiled.some(part => occurs(part.run([[...row]])));
    const values = new GrowingList();
    let count = 0n;
    const seen = new Set<string>();
    for (const { run, columns } of compiled) {
      for (const found of rowsOf(run([[...row]]))) {
        const key = isUnion ? (columns ?? []).map(({ slot }) => keyOf(found[slot] ?? null)).join('\n') : null;
        if (key !== null && seen.has(key)) continue;
        if (key !== null) seen.add(key);
        count += 1n;
        if (form === 'COLLECT') values.push(found[columns![0]!.slot] ?? null);
      }
    }
    return form === 'COUNT' ? count : values.items;
  });
}

function* rowsOf(rows: Rows): Generator<Row> {
  for (const row of rows) if (row !== null) yield row;
}

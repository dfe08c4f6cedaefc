import { type Expression, type ReturnClause, type UnionQuery } from '../../syntax/cypher-ast.js';
import { GrowingList } from '../../values/growing-list.js';
import { compileUnion } from './compile-union.js';
import { type ExpressionPlace } from './expression-place.js';
import { type Evaluate } from './scope.js';

/** Work units to begin a query inside an expression, without the units for the query's parts. */
const unitsOfSubquery = 20;

/** Compiles `EXISTS { … }`, `COUNT { … }` and `COLLECT { … }`. The query in braces sees the variables around it. */
export function compileSubquery(expression: Expression & { kind: 'subquery' }, place: ExpressionPlace): Evaluate {
  const { query, scope } = place;
  const { form, position } = expression;
  const isCounted = form === 'COUNT' && scope.variables.size === 0 && isMatchAlone(expression.query);
  const inner = isCounted ? withCount(expression.query, position) : expression.query;
  const union = compileUnion(inner, query, clauses => query.compilers.clauses(clauses, { query, scope }));
  if (form === 'COLLECT' && union.columns.length !== 1)
    throw query.error(
      'UnexpectedSyntax',
      { zh: 'COLLECT { … } 须以一列的 RETURN 结尾', en: 'COLLECT { … } ends with RETURN and one column' },
      position,
    );
  const matches = expression.query.queries.some(clauses => clauses.some(({ kind }) => kind === 'match'));
  return query.at(position, row => {
    query.work.spend(unitsOfSubquery);
    const values = new GrowingList();
    let count = 0n;
    for (const found of union.run(() => [...row])) {
      if (found === null) continue;
      if (isCounted) {
        count = found.values[0] as bigint;
        query.hasUncited ||= count > 0n;
        continue;
      }
      if (matches) query.hasUncited = true;
      if (form === 'EXISTS') return true;
      count += 1n;
      if (form === 'COLLECT') values.push(found.values[0] ?? null);
    }
    return form === 'EXISTS' ? false : form === 'COUNT' ? count : values.whole();
  });
}

/** Whether the query is one MATCH without RETURN. The rows of such a query may be counted without being made. */
function isMatchAlone({ queries: [clauses, ...others] }: UnionQuery): boolean {
  return others.length === 0 && clauses?.length === 1 && clauses[0]!.kind === 'match';
}

function withCount(query: UnionQuery, position: number): UnionQuery {
  const count = { name: 'count', aliased: true, expression: { kind: 'countAll' as const, position } };
  const clause: ReturnClause = {
    kind: 'return',
    distinct: false,
    star: false,
    items: [count],
    orderBy: [],
    skip: null,
    limit: null,
    position,
  };
  return { ...query, queries: query.queries.map(clauses => [...clauses, clause]) };
}

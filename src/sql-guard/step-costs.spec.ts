import { castTypes, operators, scalarFunctions } from './allow-lists.js';
import { guardExpression } from './guard-expression.js';
import { loadSqlParser } from './sql-parser.js';

const costOf = (expression: string): number => guardExpression(expression, { columns: 'any' }).cost;
const valueOf = (name: string): number => (scalarFunctions.get(name) ?? operators.get(name) ?? castTypes.get(name))!.value!;

describe('the cost of a step', () => {
  beforeAll(loadSqlParser);

  it.each([
    ['lower(t)', valueOf('lower')],
    ['lower(upper(t))', valueOf('lower') + valueOf('upper')],
    ['lower(left(t, 8000000))', Math.round(valueOf('left') / 2) + Math.round(valueOf('lower') / 2)],
    ['btrim(t)', valueOf('btrim') + scalarFunctions.get('btrim')!.perSought!],
    [`btrim(t, 'xyz')`, valueOf('btrim') + 3 * scalarFunctions.get('btrim')!.perSought!],
    [`to_char(n, 'FM999999')`, 24],
    ['a::text', valueOf('text')],
    ['ROW(t, u)::text', 2 * valueOf('text')],
    [`concat(t, ' ', u)`, valueOf('concat') + 2 * valueOf('text')],
    [`d || e`, valueOf('||')],
    [`d || '{"x": 1}'`, valueOf('||')],
    [`t || ' ' || u`, 2 * valueOf('text')],
    [`d - 'x' - 'y'`, 2 * valueOf('-')],
    [`d -> 'x' ->> 'y'`, valueOf('->') + valueOf('->>')],
    [`(|| t) || 'x' IS NULL AND (- t) - 1 IS NULL`, valueOf('text') + valueOf('-')],
    [`t ~ 'x'`, valueOf('~')],
    [`t ILIKE 'x%'`, valueOf('~~*')],
    [`t LIKE '%xy%'`, 4 * operators.get('~~')!.perSought!],
    ['a[2:]', 8],
    ['t::int[]', 80],
    ['t::json', valueOf('json')],
    ['substr(t, 8000001, 3)', Math.round(valueOf('substr') / 2)],
    ['substr(t, n, 3)', valueOf('substr')],
    ['substr(t, 2)', valueOf('substr')],
    ['power(n, 101)', valueOf('power')],
    ['n ^ m', valueOf('^')],
    [`jsonb_extract_path_text(d, 'x')`, valueOf('jsonb_extract_path_text')],
    [`COALESCE(d, '1') || '1'`, valueOf('||')],
    [`COALESCE(d, 'null')::text`, valueOf('text')],
    [`COALESCE(t, '-')::text`, 0],
    [`NULLIF(d, '1') - 'x'`, valueOf('-')],
    ['left(t, 100000)::jsonb', valueOf('jsonb')],
  ])('%s is that of its passes over whole values', (expression, cost) => expect(costOf(expression)).toBe(cost));

  it.each([
    `lower('X')`,
    'lower(left(t, 200))',
    'left(t, 1000)',
    't = u AND t < u',
    `t LIKE 'x%'`,
    'a + b - 1',
    'round(a, 2) - b',
    'power(a, 2) + b ^ 0.5 + b ^ -3',
    'abs(a) - abs(b)',
    `lower('x') || ' ' || left(t, 20)`,
    `left(t, 20) || '-' || left(u, 20) || '2024-'`,
    `'x'::text`,
    `ARRAY['x', 'y']::text[]`,
    'a[2]',
    'a BETWEEN b AND c',
    'n::int',
  ])('%s is nothing', expression => expect(costOf(expression)).toBe(0));

  it('is known for each operator, and an operator without a cost is refused', () => {
    for (const operator of ['<->', '-|-', '&<', '<<=', '*<', '~=', '##', '?-', '@-@'])
      expect(() => costOf(`a ${operator} b`)).toThrow(`this operator or construct is not allowed: '${operator}'`);
  });
});

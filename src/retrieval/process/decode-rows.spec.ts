import { Pace } from '../../common/turns/pace.js';
import { type CompiledQuery } from '../../cypher/executors/sql/compile-plan.js';
import { type CypherValue } from '../../cypher/values/cypher-value.js';
import { decodeRows } from './decode-rows.js';

const ofConstant = (constant: CypherValue): CompiledQuery => ({
  sql: '',
  parameters: [],
  columns: [{ name: 'c', constant }],
  evidence: 'none',
});
const rows = (count: number) => Array.from({ length: count }, () => []);

describe('decodeRows', () => {
  it('counts a constant in each of its rows, and stops before they take more than an answer may', async () => {
    const list = Array.from({ length: 1_000 }, () => 1n);
    const decode = (count: number) => decodeRows(ofConstant(list), rows(count), 20_020, new Pace());
    expect((await decode(10)).map(({ values }) => values)).toEqual(rows(10).map(() => [list]));
    await expect(decode(11)).rejects.toMatchObject({ status: 422, code: 'answer_too_large' });
  });
});

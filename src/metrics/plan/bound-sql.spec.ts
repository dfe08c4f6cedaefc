import { type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { atOnce } from '../../text/steps.js';
import { judgeInSteps } from './bound-sql.js';

it('judges texts up to the fiftieth that is refused, since each refusal seeks names that are near', () => {
  const judged: string[] = [];
  const guard = (text: string): GuardedExpression => {
    judged.push(text);
    if (text.startsWith('no')) throw new UnsafeFilterClauseError({ reason: 'column', token: text }, text);
    return {} as GuardedExpression;
  };
  const texts = Array.from({ length: 1_000 }, (_, index) => `${index % 2 === 0 ? 'no' : 'yes'} ${index}`);
  atOnce(judgeInSteps(guard, texts));
  expect(judged).toHaveLength(99);
});

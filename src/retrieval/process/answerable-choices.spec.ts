import { type QuestionChoice, type Unplanned } from '../../questions/planning/question-plan.js';
import { planAnswerable } from './answerable-choices.js';

const reason = (text: string) => ({ zh: text, en: text });
const asking = (...tokens: string[]): Unplanned => ({
  reason: reason('which?'),
  choices: tokens.map((token): QuestionChoice => ({ token, text: token })),
});
const refused = (text: string): Unplanned => ({ reason: reason(text) });
const answered = { cypher: 'MATCH (t) RETURN t' };

/** Plans a question whose outcome depends on the last chosen token. */
const planned = (outcomes: Record<string, object>, chosen: string[] = []) =>
  planAnswerable(chosen, choices => Promise.resolve({ outcome: outcomes[choices.at(-1) ?? ''] ?? answered }), Infinity);

const offered = async (outcomes: Record<string, object>, chosen: string[] = []) => (await planned(outcomes, chosen)).outcome;

describe('planAnswerable', () => {
  it('offers the choices with which the question can be answered', async () => {
    expect(await offered({ '': asking('a', 'b', 'c'), b: refused('no') })).toEqual(asking('a', 'c'));
  });

  it('still asks if one choice is left, because another meaning may be meant', async () => {
    expect(await offered({ '': asking('a', 'b'), a: refused('no') })).toEqual(asking('b'));
  });

  it('refuses for the reason of the likeliest if none can be taken', async () => {
    expect(await offered({ '': asking('a', 'b'), a: refused('first'), b: refused('second') })).toEqual(refused('first'));
  });

  it('follows choices that lead to further choices', async () => {
    expect(await offered({ '': asking('a', 'b'), a: asking('c', 'd'), c: refused('no') })).toEqual(asking('a', 'b'));
    expect(await offered({ '': asking('a', 'b'), a: asking('c'), c: refused('no') })).toEqual(asking('b'));
  });

  it('keeps what the request chose before', async () => {
    expect(await offered({ a: asking('b', 'c'), c: refused('no') }, ['a'])).toEqual(asking('b'));
  });

  it('leaves answers and refusals as they are', async () => {
    expect(await offered({ '': refused('no') })).toEqual(refused('no'));
    expect(await offered({})).toEqual(answered);
  });

  it('tests a bounded number of choices, and offers the others', async () => {
    const tokens = Array.from({ length: 40 }, (_, i) => String(i));
    const outcome = await offered({ '': asking(...tokens), ...Object.fromEntries(tokens.map(token => [token, refused('no')])) });
    expect(outcome).toEqual(asking(...tokens.slice(30)));
  });
});

import { createHash } from 'node:crypto';
import { version } from '../config/version.js';
import { hashOf, readQueryRequest, toCursor } from './read-query-request.js';

const read = (body: object) => readQueryRequest({ parametersText: null, ...body }, 60_000);
const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');
const hash = (body: object, context: unknown = null) => hashOf(read(body), context).toString('hex');

describe('readQueryRequest', () => {
  it('takes null for an absent field and fills in the defaults of the kind', () => {
    expect(read({ search: '华为', question: null, cypher: null })).toMatchObject({
      kind: 'search',
      limit: 20,
      offset: 0,
      answer: 'auto',
      refresh: false,
    });
    expect(read({ cypher: 'MATCH (n) RETURN n' }).limit).toBe(1000);
  });

  it('names the release in the key of an answer, and what else decides it', () => {
    expect(hash({ search: '华为' }, { retrieval: null })).toBe(
      digest([version, 'search', '华为', {}, 20, 0, null, false, { retrieval: null }]),
    );
    expect(hash({ search: '华为' }, { retrieval: null })).not.toBe(hash({ search: '华为' }, { retrieval: 'http://other:1' }));
    expect(hash({ question: '昨天', timezone: 'UTC' }, null)).not.toBe(hash({ question: '昨天' }, null));
    expect(hash({ question: '昨天', choices: ['a'] }, null)).not.toBe(hash({ question: '昨天' }, null));
    expect(hash({ question: '昨天', choices: ['a', 'b'] }, null)).toBe(hash({ question: '昨天', choices: ['b', 'a'] }, null));
  });

  it('reads back the cursor that it made', () => {
    expect(read({ search: 'a', cursor: toCursor(7, 40) })).toMatchObject({ offset: 40, cursorVersion: 7 });
  });

  it('bounds the work by the ceiling of the operator, and refuses more with a sentence that names it', () => {
    expect(read({ search: 'a' }).timeoutMs).toBe(60_000);
    expect(read({ search: 'a', timeout_ms: 60_000 }).timeoutMs).toBe(60_000);
    expect(() => read({ search: 'a', timeout_ms: 60_001 })).toThrow(
      expect.objectContaining({
        problems: [
          expect.objectContaining({
            loc: ['body', 'timeout_ms'],
            text: { zh: expect.stringContaining('60000'), en: expect.stringContaining('60000') },
          }),
        ],
      }),
    );
  });

  it('lists all options without effect at once', () => {
    expect(() => read({ search: 'a', parameters: {}, answer: 'llm' })).toThrow(expect.objectContaining({ problems: [expect.objectContaining({ loc: ['body', 'parameters'] }), expect.objectContaining({ loc: ['body', 'answer'] })] })); // prettier-ignore
  });
});

describe('puts the release, and everything else that decides an answer, into its key', () => {
  it('is the same for options that only shape the answer or bound the work, and for parameters in another order', () => {
    const same = { cypher: 'RETURN $a + $b', parameters: { a: 1, b: { x: 1, y: 2 } } };
    expect(hash(same)).toBe(
      hash({ ...same, parameters: { b: { y: 2, x: 1 }, a: 1 }, include: ['plan'], answer: 'none', cache: 'refresh', timeout_ms: 5 }),
    );
  });

  it('tells long parameters by their text, and shorter ones in any order', () => {
    const of = (parametersText: string) => hash({ cypher: 'a', parameters: {}, parametersText });
    const value = (length: number) => `"${'x'.repeat(length)}"`;
    const inBothOrders = (length: number) => [of(`{"a": 1, "b": ${value(length)}}`), of(`{"b": ${value(length)}, "a": 1}`)];
    const [first, second] = inBothOrders(8_000);
    expect(first).toBe(second);
    const [long, other] = inBothOrders(9_000);
    expect(long).not.toBe(other);
    expect(inBothOrders(9_000)[0]).toBe(long);
  });

  it.each([
    [{ search: 'a' }, { search: 'b' }],
    [{ search: 'a' }, { question: 'a' }],
    [{ search: 'a' }, { search: 'a', limit: 5 }],
    [
      { cypher: 'a', parameters: { n: 1 } },
      { cypher: 'a', parameters: { n: '1' } },
    ],
    [
      { cypher: 'a', parameters: {}, parametersText: '{"n": 1}' },
      { cypher: 'a', parameters: {}, parametersText: '{"n": 1.0}' },
    ],
    [
      { cypher: 'a', parameters: {}, parametersText: '{"n": 0.0}' },
      { cypher: 'a', parameters: {}, parametersText: '{"n": -0.0}' },
    ],
    [
      { cypher: 'a', parameters: {}, parametersText: '{"n": 9007199254740993}' },
      { cypher: 'a', parameters: {}, parametersText: '{"n": 9007199254740992}' },
    ],
    [
      { cypher: 'a', parameters: {}, parametersText: '{"n": 1}' },
      { cypher: 'a', parameters: {}, parametersText: '{"n": "i1"}' },
    ],
    [{ cypher: 'a' }, { cypher: 'a', timezone: 'Asia/Shanghai' }],
    [{ cypher: 'a' }, { cypher: 'a', include: ['profile'] }],
    [{ cypher: "RETURN 'a '" }, { cypher: "RETURN 'a'" }],
  ])('differs between %j and %j', (a, b) => {
    expect(hash(a)).not.toBe(hash(b));
  });

  it('depends on the day for a question', () => {
    expect(hash({ question: '去年' }, { today: '2026-01-01' })).not.toBe(hash({ question: '去年' }, { today: '2026-12-31' }));
  });
});

import pg from 'pg';
import { type ClonedDatabase, cloneDatabase } from '../../../test/support/database.js';
import { Dice } from '../../../test/support/dice.js';
import { atOnce } from '../../text/steps.js';
import { type PropertyType, type Rule } from '../mapping/mapping.js';
import { toPostgresRegex } from '../mapping/regex-subset.js';
import { parsedValue } from './column-sql.js';
import { patternBroken } from './pattern-sql.js';
import { firstFailure, type RuleContext, typeFailed, warned } from './rule-sql.js';
import { SqlBuilder } from './sql-builder.js';

let database: ClonedDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await cloneDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const rule = (own: object, severity: Rule['severity'] = 'error'): Rule =>
  ({ message: null, when: null, path: [], severity, ...own }) as unknown as Rule;

/** Runs the SQL that `compile` returns over one row with the value `v` and the result `x0` of an expression. */
async function run(value: string | null, type: PropertyType['name'], compile: (context: RuleContext) => string, x0 = 'NULL::boolean') {
  const sql = new SqlBuilder();
  const context: RuleContext = {
    sql,
    value: parsedValue('v', { name: type } as PropertyType),
    ref: 'v',
    type: { name: type } as PropertyType,
    expressionRefs: new Map([[0, 'x0']]),
    joinedRef: null,
    conditionRefs: new Map([['p', 'x0']]),
  };
  const statement = atOnce(
    sql.build(`SELECT ${compile(context)} AS broken FROM (SELECT ${sql.bind(value, 'text')} AS v, ${x0} AS x0) AS s`),
  );
  return (await client.query(statement.sql, statement.parameters)).rows[0].broken;
}

const cases: [own: object, type: PropertyType['name'], good: string, bad: string][] = [
  [{ kind: 'one_of', values: ['a', 'b'] }, 'string', 'b', 'c'],
  [{ kind: 'pattern', written: 'a+', regex: '^(?:a+)$' }, 'string', 'aa', 'ab'],
  ...(
    [
      ['.{2,3}', '𠮷字', 'abcd'],
      ['.{2,3}', 'abc', 'a'],
      ['.{2,3}', 'ab', 'a\nb'],
      ['.{0,2}', '', 'abc'],
      ['\\d{3}', '123', '1234'],
      ['\\d{3}', '123', '12'],
      ['\\d{3}', '123', '12x'],
      ['[^<>]{2,}', 'a\nb'.repeat(99), 'a'],
      ['[^<>]{2,}', 'ab', 'a>b'],
      ['[]x-]{2}', ']-', ']a'],
      ['[a^[]{2}', '^[', 'b['],
      ['[\\]\\\\]{1,2}', ']\\', 'x'],
      ['[[:alpha:]_]{2,3}', 'a_b', 'a1'],
      ['\\W{2}', '--', '-a'],
      ['.{2}|a', 'a', 'b'],
      ['(?:ab){2}', 'abab', 'ab'],
      ['a{2}', 'aa', 'a'],
      ['a{2,3}?', 'aaa', 'aaaa'],
    ] as const
  ).map(([written, good, bad]): (typeof cases)[number] => [
    { kind: 'pattern', written, regex: toPostgresRegex(written) },
    'string',
    good,
    bad,
  ]),
  [{ kind: 'precision', precision: 3, scale: 2 }, 'float', '9.990', '-10'],
  [{ kind: 'min', bound: '3' }, 'int', '3', '2'],
  [{ kind: 'min', bound: '1.5' }, 'int', '2', '1'],
  [{ kind: 'max', bound: '3' }, 'int', '3', '4'],
  [{ kind: 'max', bound: '2024-02-29' }, 'date', '2024-02-29', '2024-03-01'],
  [{ kind: 'min_length', length: 2 }, 'string', '𠮷𠮷', '𠮷'],
  [{ kind: 'max_length', length: 2 }, 'string', '𠮷𠮷', '𠮷𠮷𠮷'],
  [{ kind: 'precision', precision: 5, scale: 2 }, 'float', '123.450', '1.005'],
  [{ kind: 'precision', precision: 5, scale: 2 }, 'float', '-999.99', '1000'],
  [{ kind: 'precision', precision: 3, scale: 0 }, 'int', '999', '-1000'],
  [{ kind: 'not_in_future' }, 'date', '2020-02-29', '9999-01-01'],
  [{ kind: 'not_in_future' }, 'datetime', '2020-02-29 10:00', '9999-01-01 10:00'],
];

describe('a pattern', () => {
  const classes = [
    '.',
    '\\S',
    '\\D',
    '\\d',
    '\\w',
    '[^<>]',
    '[^\\]\\\\^-]',
    '[^a-c]',
    '[^字𠮷]',
    '[^\\n\\t]',
    '[^[:alpha:]]',
    '[^\\v]',
    '[<a字]',
    '[^\\x{41}]',
  ];
  const quantifiers = ['*', '+', '?', '', '{2}', '{1,}', '{0,2}', '{1,3}', '*?'];
  const characters = [...'a<>]\\^-𠮷字 \n\t\v\f5A'];

  it('breaks for exactly the texts that its regular expression does not match', async () => {
    const dice = new Dice(7);
    const searches: string[] = [];
    for (let round = 0; round < 300; round++) {
      const written = Array.from(
        { length: dice.between(1, 2) },
        () => dice.of(classes) + (dice.chance(0.3) ? '' : dice.of(quantifiers)),
      ).join('');
      const regex = toPostgresRegex(written);
      const sql = new SqlBuilder();
      const broken = patternBroken(sql, 't', regex);
      if (broken.includes('strpos')) searches.push(written);
      const texts = ['', ...Array.from({ length: 60 }, () => dice.many(4, () => dice.of(characters)).join(''))];
      const { sql: text, parameters } = atOnce(
        sql.build(
          `SELECT t FROM unnest(${sql.bind(texts, 'text[]')}) AS t WHERE (${broken}) IS DISTINCT FROM (t !~ ${sql.bind(regex, 'text')})`,
        ),
      );
      const { rows } = await client.query(text, parameters);
      expect({ written, rows }).toEqual({ written, rows: [] });
    }
    expect(new Set(searches).size).toBeGreaterThan(15);
  });
});

describe('a rule under a condition', () => {
  const under = (own: object, severity: Rule['severity'] = 'error'): Rule => rule({ ...own, when: { predicate: 'p', path: [] } }, severity);
  /** The results where the condition is true, false and unknown. */
  const forEach = async (result: (x0: string) => Promise<unknown>) => [
    await result('true'),
    await result('false'),
    await result('NULL::boolean'),
  ];

  it('is checked only where the condition is true', async () => {
    const rules = [under({ kind: 'min', bound: '3' }), rule({ kind: 'min', bound: '1' })];
    const failure = (value: string, x0: string) => run(value, 'int', context => firstFailure(rules, context)!, x0);
    expect(await forEach(x0 => failure('2', x0))).toEqual([0, null, null]);
    expect(await forEach(x0 => failure('0', x0))).toEqual([0, 1, 1]);
  });

  it('may require a value', async () => {
    const failure = (x0: string) => run(null, 'int', context => firstFailure([under({ kind: 'required' })], context)!, x0);
    expect(await forEach(failure)).toEqual([0, null, null]);
  });

  it('warns only where the condition is true', async () => {
    const isBroken = (own: object, value: string | null, x0: string) =>
      run(value, 'int', context => warned(under(own, 'warn'), 0, context), x0);
    expect(await forEach(x0 => isBroken({ kind: 'min', bound: '3' }, '2', x0))).toEqual([true, false, false]);
    expect(await forEach(x0 => isBroken({ kind: 'required' }, null, x0))).toEqual([true, false, false]);
  });
});

describe('the format', () => {
  it.each([
    ['email', 'a.b+c@example.co.uk', '!a@b', '!a b@c.de', '!@b.cd', '!a@-b.cd', `!${'a'.repeat(250)}@b.cd`],
    [
      'url',
      'https://example.com:8080/a?b=c#d',
      'http://[::1]/',
      'HTTP://例子.中国',
      '!x.com',
      '!ftp://x.com',
      '!http://',
      '!http://a b.com',
      '!http://u@h/',
    ],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', '!123e4567e89b12d3a456426614174000', '!123e4567-e89b-12d3-a456-42661417400g'],
    [
      'phone_cn',
      '13800138000',
      '+86 13800138000',
      '010-62345678',
      '02162345678',
      '400-800-1234',
      '!12800138000',
      '!1380013800',
      '!138001380001',
    ],
    [
      'id_card_cn',
      '11010519491231002X',
      '11010519491231002x',
      '440524188001010014',
      '!110105194912310021',
      '!11010519490231002X',
      '!110105491231002',
      '!x',
    ],
    ['uscc_cn', '91350100M000100Y43', '!91350100M000100Y44', '!91350100m000100y43', '!91350100M000100Y4', '!91350100M000100I43'],
    ['iso_country', 'CN', 'GB', '!UK', '!cn', '!CHN', '!C'],
    ['json', '{"a": 1}', '"x"', 'null', '!{a}', '!'],
  ])('%s is seen', async (format, ...texts) => {
    const own = rule({ kind: 'format', format });
    for (const text of texts) {
      // A leading exclamation mark marks a text that breaks the format.
      const failure = await run(text.replace(/^!/, ''), 'string', context => firstFailure([own], context)!);
      expect([text, failure]).toEqual([text, text.startsWith('!') ? 0 : null]);
    }
  });

  it('checks every character of an identity number', async () => {
    for (const [format, good] of [
      ['id_card_cn', '11010519491231002X'],
      ['uscc_cn', '91350100M000100Y43'],
    ] as const) {
      const own = rule({ kind: 'format', format });
      const changed = [...good].map((character, index) => good.slice(0, index) + (character === '2' ? '3' : '2') + good.slice(index + 1));
      for (const text of changed) expect([text, await run(text, 'string', context => firstFailure([own], context)!)]).toEqual([text, 0]);
    }
  });
});

describe('firstFailure', () => {
  it.each(cases)('checks %j on %s: %j and none pass, %j breaks', async (own, type, good, bad) => {
    const failure = (value: string | null) => run(value, type, context => firstFailure([rule(own)], context)!);
    expect([await failure(good), await failure(null), await failure(bad)]).toEqual([null, null, 0]);
  });

  it('is the first of several, and the type before all', async () => {
    const rules = [rule({ kind: 'min', bound: '3' }), rule({ kind: 'min', bound: '2' })];
    const failure = (value: string) => run(value, 'int', context => firstFailure(rules, context)!);
    expect([await failure('1'), await failure('2'), await failure('x')]).toEqual([0, 0, typeFailed]);
    rules.reverse();
    expect(await failure('2')).toBe(1);
  });

  it('is a required value that is missing', async () => {
    const rules = [rule({ kind: 'min', bound: '3' }), rule({ kind: 'required' })];
    expect(await run(null, 'int', context => firstFailure(rules, context)!)).toBe(1);
    expect(await run(null, 'string', context => firstFailure([rule({ kind: 'required' })], context)!)).toBe(0);
  });

  it('is the first of all broken rules, also of the expressions that were judged together', async () => {
    const expression = rule({ kind: 'expression', predicate: 'p' });
    const rules = [expression, rule({ kind: 'min_length', length: 2 }), expression];
    const failure = (value: string, joined: string) =>
      run(value, 'string', context => firstFailure(rules, { ...context, joinedRef: 'x0' })!, `${joined}::int`);
    expect([await failure('a', '0'), await failure('a', '2'), await failure('a', 'NULL')]).toEqual([0, 1, 1]);
    expect([await failure('ab', '0'), await failure('ab', '2'), await failure('ab', 'NULL')]).toEqual([0, 2, null]);
  });

  it('is no SQL when nothing can fail: a text, and rules that only warn', async () => {
    const warns = [rule({ kind: 'min_length', length: 9 }, 'warn'), rule({ kind: 'required' }, 'warn'), rule({ kind: 'unique' })];
    let compiled: string | null = '';
    await run('a', 'string', context => (compiled = firstFailure(warns, context)) ?? 'NULL');
    expect(compiled).toBeNull();
  });
});

describe('warned', () => {
  it.each(cases)('judges %j on %s: %j and none are false, %j is true', async (own, type, good, bad) => {
    const isBroken = (value: string | null) => run(value, type, context => warned(rule(own, 'warn'), 0, context));
    expect([await isBroken(good), await isBroken(null), await isBroken(bad)]).toEqual([false, false, true]);
  });

  it('is true when a required value is missing, and false when the value cannot be read', async () => {
    expect(await run(null, 'int', context => warned(rule({ kind: 'required' }, 'warn'), 0, context))).toBe(true);
    expect(await run('x', 'int', context => warned(rule({ kind: 'min', bound: '3' }, 'warn'), 0, context))).toBe(false);
  });
});

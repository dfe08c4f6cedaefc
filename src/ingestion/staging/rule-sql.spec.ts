import pg from 'pg';
import { type ClonedDatabase, cloneDatabase } from '../../../test/support/database.js';
import { atOnce } from '../../text/steps.js';
import { type PropertyType, type Rule } from '../mapping/mapping.js';
import { parsedValue } from './column-sql.js';
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
  ({ message: null, path: [], severity, ...own }) as unknown as Rule;

/** Runs the SQL that `compile` makes for a value, beside the result `x0` of an expression. */
async function run(value: string | null, type: PropertyType['name'], compile: (context: RuleContext) => string, x0 = 'NULL::boolean') {
  const sql = new SqlBuilder();
  const context: RuleContext = {
    sql,
    value: parsedValue('v', { name: type } as PropertyType),
    ref: 'v',
    type: { name: type } as PropertyType,
    expressionRefs: new Map([[0, 'x0']]),
  };
  const statement = atOnce(
    sql.build(`SELECT ${compile(context)} AS broken FROM (SELECT ${sql.bind(value, 'text')} AS v, ${x0} AS x0) AS s`),
  );
  return (await client.query(statement.sql, statement.parameters)).rows[0].broken;
}

const cases: [own: object, type: PropertyType['name'], good: string, bad: string][] = [
  [{ kind: 'one_of', values: ['a', 'b'] }, 'string', 'b', 'c'],
  [{ kind: 'pattern', written: 'a+', regex: '^(?:a+)$' }, 'string', 'aa', 'ab'],
  [{ kind: 'min', bound: '3' }, 'int', '3', '2'],
  [{ kind: 'min', bound: '1.5' }, 'int', '2', '1'],
  [{ kind: 'max', bound: '3' }, 'int', '3', '4'],
  [{ kind: 'max', bound: '2024-02-29' }, 'date', '2024-02-29', '2024-03-01'],
  [{ kind: 'min_length', length: 2 }, 'string', '𠮷𠮷', '𠮷'],
  [{ kind: 'max_length', length: 2 }, 'string', '𠮷𠮷', '𠮷𠮷𠮷'],
];

describe('firstFailure', () => {
  it.each(cases)('of %j on %s passes %j and none, and breaks on %j', async (own, type, good, bad) => {
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

  it('is an expression that is false; a NULL passes', async () => {
    const failure = (x0: string) =>
      run('a', 'string', context => firstFailure([rule({ kind: 'expression', predicate: 'p' })], context)!, x0);
    expect([await failure('false'), await failure('true'), await failure('NULL::boolean')]).toEqual([0, null, null]);
  });

  it('is no SQL when nothing can fail: a text, and rules that only warn', async () => {
    const warns = [rule({ kind: 'min_length', length: 9 }, 'warn'), rule({ kind: 'required' }, 'warn'), rule({ kind: 'unique' })];
    let compiled: string | null = '';
    await run('a', 'string', context => (compiled = firstFailure(warns, context)) ?? 'NULL');
    expect(compiled).toBeNull();
  });
});

describe('warned', () => {
  it.each(cases)('of %j on %s is false for %j and none, and true for %j', async (own, type, good, bad) => {
    const isBroken = (value: string | null) => run(value, type, context => warned(rule(own, 'warn'), 0, context));
    expect([await isBroken(good), await isBroken(null), await isBroken(bad)]).toEqual([false, false, true]);
  });

  it('is true when a required value is missing, and false when the value cannot be read', async () => {
    expect(await run(null, 'int', context => warned(rule({ kind: 'required' }, 'warn'), 0, context))).toBe(true);
    expect(await run('x', 'int', context => warned(rule({ kind: 'min', bound: '3' }, 'warn'), 0, context))).toBe(false);
  });
});

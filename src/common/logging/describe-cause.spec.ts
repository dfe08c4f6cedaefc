import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { ApiError } from '../errors/api-error.js';
import { describeCause } from './describe-cause.js';
import { withholdText } from './withhold-text.js';

function databaseError(code: string, message: string, more: object = {}): Error {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code, severity: 'ERROR', ...more });
}

describe('describing an error for the log', () => {
  it('keeps type, code, text and frames of a fault of ours', () => {
    const described = describeCause(new TypeError('x is not a function'));
    expect(described).toMatchObject({ type: 'TypeError', message: 'x is not a function' });
    expect(described.stack).toMatch(/^at .*describe-cause\.spec/);
  });

  it.each([
    ['22P02', 'invalid input syntax for type integer: "hunter2"'],
    ['22001', 'value hunter2 too long'],
    ['42601', 'syntax error at or near "hunter2"'],
    ['P0001', 'hunter2'],
  ])('withholds the text of SQLSTATE %s, which quotes values', (code, message) => {
    const described = describeCause(databaseError(code, message, { detail: 'hunter2', where: 'COPY t, line 1: "hunter2"' }));
    expect(described.code).toBe(code);
    expect(JSON.stringify(described)).not.toContain('hunter2');
  });

  it.each([
    ['23505', 'duplicate key value violates unique constraint "users_username_key"'],
    ['57P01', 'terminating connection due to administrator command'],
    ['42P01', 'relation "x" does not exist'],
    ['53300', 'sorry, too many clients already'],
  ])('keeps the text of SQLSTATE %s, which names objects and circumstances', (code, message) => {
    const described = describeCause(databaseError(code, message, { detail: 'Key (username)=(hunter2) already exists.' }));
    expect(described.message).toBe(message);
    expect(JSON.stringify(described)).not.toContain('hunter2');
  });

  it("keeps the code of another server's error, if it is one, and none of its words", () => {
    const described = (code: string): string => {
      const error = databaseError(code, 'hunter2', { table: 'hunter2', constraint: 'hunter2' });
      withholdText(error);
      return JSON.stringify(describeCause(new Error('ours', { cause: error })));
    };
    expect(described('57P01')).toContain('"code":"57P01"');
    for (const code of ['57P01', '08006', 'hunter2 is the password']) expect(described(code)).not.toContain('hunter2');
  });

  it('shows neither statement nor parameters of what TypeORM throws', () => {
    const driverError = databaseError('22P02', 'invalid input syntax for type integer: "hunter2"');
    const described = describeCause(new QueryFailedError('SELECT $1', ['hunter2'], driverError));
    expect(described).toMatchObject({ type: 'DatabaseError', code: '22P02' });
    expect(JSON.stringify(described)).not.toContain('hunter2');
  });

  it.each([
    () => JSON.parse('{"password":hunter2}') as unknown,
    () => BigInt('hunter2'),
    () => Buffer.from('x', 'hunter2' as BufferEncoding),
    () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error
      throw 'hunter2';
    },
    () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error
      throw { password: 'hunter2' };
    },
    () => {
      throw Object.assign(new SyntaxError('bad\n    at hunter2 (file.js:1)'), { body: 'hunter2' });
    },
  ])('withholds texts that quote their input: %s', fail => {
    let thrown: unknown;
    try {
      fail();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeDefined();
    const described = describeCause(thrown);
    expect(JSON.stringify(described)).not.toContain('hunter2');
  });

  it('follows causes to a bounded depth', () => {
    const error = new ApiError(500, 'x', { zh: '错', en: 'wrong' }, { cause: new Error('inner') });
    expect(describeCause(error)).toMatchObject({ type: 'ApiError', message: '错 / wrong', cause: { message: 'inner' } });
    const loop = new Error('round and round');
    loop.cause = loop;
    expect(JSON.stringify(describeCause(loop)).match(/round and round/g)?.length).toBeLessThan(20);
  });
});

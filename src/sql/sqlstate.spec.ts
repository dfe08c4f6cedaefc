import { sqlstates, sqlstateOf } from './sqlstate.js';

describe('sqlstateOf', () => {
  it.each([
    [{ code: '42P01' }, sqlstates.undefinedTable],
    [Object.assign(new Error('x'), { code: '57014' }), sqlstates.queryCanceled],
    [{ code: 'EPERM' }, ''],
    [{ code: 'ECONNRESET' }, ''],
    [{ code: 42501 }, ''],
    [new Error('x'), ''],
    [null, ''],
    [undefined, ''],
  ])('reads %p as %p', (error, state) => {
    expect(sqlstateOf(error)).toBe(state);
  });

  it('has each state once', () => {
    const states = Object.values(sqlstates);
    expect(new Set(states).size).toBe(states.length);
  });
});

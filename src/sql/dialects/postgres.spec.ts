import { postgres } from './postgres.js';

describe('the PostgreSQL table', () => {
  it('starts weeks on Monday or on Sunday', () => {
    expect(postgres.startOf('t', 'week', 'monday')).toBe("date_trunc('week', t)");
    expect(postgres.startOf('t', 'week', 'sunday')).toBe("(date_trunc('week', t + interval '1 day') - interval '1 day')");
    expect(postgres.startOf('t', 'month', 'sunday')).toBe("date_trunc('month', t)");
  });

  it('steps through quarters by three months, because there is no interval of a quarter', () => {
    expect(postgres.periods('a', 'b', 'quarter').from).toContain("interval '3 month'");
  });

  it('keeps a leading AND of a condition apart from the others', () => {
    expect(postgres.aggregateWhere('SUM(x)', [])).toBe('SUM(x)');
    expect(postgres.aggregateWhere('SUM(x)', ['a'])).toBe('SUM(x) FILTER (WHERE a)');
    expect(postgres.aggregateWhere('SUM(x)', ['a', 'b'])).toBe('SUM(x) FILTER (WHERE TRUE AND a AND b)');
  });

  it('counts one key as itself and several as a row', () => {
    expect([postgres.tuple(['a']), postgres.tuple(['a', 'b'])]).toEqual(['a', '(a, b)']);
  });
});

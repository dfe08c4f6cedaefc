import { SqlParameters } from './sql-parameters.js';

describe('SqlParameters', () => {
  it('gives equal values of one type one place, and each other value its own', () => {
    const parameters = new SqlParameters();
    const places = [parameters.bind(1, 'int'), parameters.bind('1', 'text'), parameters.bind(1, 'int'), parameters.bind(1, 'bigint')];
    expect([places, parameters.values]).toEqual([
      ['$1::int', '$2::text', '$1::int', '$3::bigint'],
      [1, '1', 1],
    ]);
  });

  it('numbers the placeholders of a statement as they appear, and leaves out values that do not', () => {
    const parameters = new SqlParameters();
    const [unused, second, first] = [parameters.bind('unused', 'text'), parameters.bind('b', 'text'), parameters.bind('a', 'text')];
    expect(unused).toBe('$1::text');
    expect(parameters.finish(`SELECT ${first}, ${second}, ${first}`)).toEqual({
      sql: 'SELECT $1::text, $2::text, $1::text',
      parameters: ['a', 'b'],
    });
  });
});

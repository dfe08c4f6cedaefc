import { loginOf, withLoginOf } from './database-access.js';

describe('the login of another URL', () => {
  const other = 'postgresql://graph_reader:p%40ss%2Fword@db.example.com:5432/graph';

  it.each([
    ['postgresql://replica.example.com:5433/graph', 'postgresql://graph_reader:p%40ss%2Fword@replica.example.com:5433/graph'],
    ['postgres://replica/graph?sslmode=verify-full', 'postgres://graph_reader:p%40ss%2Fword@replica/graph?sslmode=verify-full'],
    ['postgresql://@/graph?host=/run/postgresql', 'postgresql://graph_reader:p%40ss%2Fword@/graph?host=/run/postgresql'],
  ])('is added to %s', (url, expected) => {
    expect(withLoginOf(url, other)).toBe(expected);
    expect(loginOf(expected)).toEqual({ name: 'graph_reader', password: 'p@ss/word', database: 'graph' });
  });

  it.each(['postgresql://me:word@replica/graph', 'postgresql://me@replica/graph', 'postgresql://replica/graph?user=me'])(
    'is not added to %s, which has one',
    url => expect(withLoginOf(url, other)).toBe(url),
  );
});

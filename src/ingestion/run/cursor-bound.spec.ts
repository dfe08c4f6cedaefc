import pg from 'pg';
import { type ClonedDatabase, cloneDatabase } from '../../../test/support/database.js';
import { cursorBound } from './cursor-bound.js';

let database: ClonedDatabase;
let client: pg.PoolClient;
beforeAll(async () => {
  database = await cloneDatabase();
  client = new pg.Client(database.url) as unknown as pg.PoolClient;
  await client.connect();
  await client.query(`SET TIME ZONE 'UTC'`);
});
afterAll(async () => {
  await (client as unknown as pg.Client).end();
  await database.drop();
});

describe('cursorBound', () => {
  it.each([
    ['2024-03-05 12:00:00+00', 0, '2024-03-05 12:00:00.000000+00'],
    ['2024-03-05 12:00:00+00', 3_600_000, '2024-03-05 11:00:00.000000+00'],
    ['0044-03-15 12:00:00+00 BC', 0, null],
    ['0001-01-01 00:00:00+00', 1, null],
    ['12024-01-01 00:00:00+00', 0, null],
    ['infinity', 0, null],
  ])('of %s less %d ms: %s', async (value, lag, bound) => {
    expect(await cursorBound(client, 'datetime', 'timestamptz', { value, lag })).toBe(bound);
  });
});

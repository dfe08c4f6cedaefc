import pg from 'pg';
import { cloneDatabase } from '../../test/support/database.js';
import { quoteIdentifier } from './quote-identifier.js';

describe('quoteIdentifier', () => {
  it('keeps any name one name in PostgreSQL', async () => {
    const database = await cloneDatabase();
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      for (const name of ['plain', '销售额', 'two words', 'a"; DROP TABLE users; --', "it's"]) {
        const { fields } = await client.query(`SELECT 1 AS ${quoteIdentifier(name)}`);
        expect(fields[0]?.name).toBe(name);
      }
    } finally {
      await client.end();
      await database.drop();
    }
  });

  it('refuses names that PostgreSQL cannot hold', () => {
    expect(() => quoteIdentifier('')).toThrow();
    expect(() => quoteIdentifier('a\0b')).toThrow();
  });
});

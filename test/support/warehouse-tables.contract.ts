import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { from as copyFrom } from 'pg-copy-streams';
import { type ServicePool } from '../../src/database/service-pool.js';
import { quoteIdentifier } from '../../src/sql/quote-identifier.js';
import { type Reading, type WarehouseClient } from '../../src/warehouse/clients/warehouse.client.js';

/** The client of an engine under test, the statements that make its tables, and the facts in which engines differ. */
export interface TablesWorld {
  client: WarehouseClient;
  /** The service's own database, into which the tests load rows. */
  pool: ServicePool;
  /** Runs one statement on the client's tables, as a user who may change them. */
  change: (sql: string) => Promise<unknown>;
  /**
   * Statements that make these tables in the schema of the client:
   * - `contract_orders`: `id` integer, `name` text, `amount` decimal with two places, `day` date, `seen` a time of microseconds or
   *   milliseconds without zone, or in UTC where every time is a moment, `ratio` double. `id` is the primary key and the only
   *   required column. Comments 订单 on the table and 金额（元） on `amount`. Rows 1 and 2 as in `orders` below.
   * - `contract_lines`: `order_id` integer that refers to `contract_orders`, `line` integer, `note` text; primary key (order_id, line).
   *   One row for each of `notes` below, of order 1, numbered from 1.
   * - `contract_odd`: `id` integer, `odd` of a type that has no counterpart.
   */
  setUp: string[];
  /** The type and the native type of each column of `contract_orders` in order. */
  types: [type: string, nativeType: string][];
  guarantee: Reading['guarantee'];
  /** A SELECT of one row that takes some seconds at least. */
  slow: string;
  /** Features that the engine does not have. */
  lacks?: ('keys' | 'foreign keys' | 'comments' | 'odd types' | 'local times')[];
}

/** The values of `contract_orders`, as PostgreSQL writes them. */
export const orders = [
  ['1', '华为', '12.50', '2024-02-29', '2024-02-29 10:00:00.123', '0.1'],
  ['2', null, null, null, null, null],
];

/** Texts that COPY must escape, and texts that look like escapes of COPY. */
export const notes = ['a\tb', 'a\nb', 'a\r\nb', 'a\\b', '\\N', '\\.', '', '😀 "quoted", it\'s', null];

/** The notes as literals of standard SQL, for `setUp`. Engines that read backslashes as escapes need others. */
export const noteLiterals = notes.map(note => (note === null ? 'NULL' : `'${note.replaceAll("'", "''")}'`));

const claim = { caller: 1 };
const columns = ['id', 'name', 'amount', 'day', 'seen', 'ratio'];

/** Tests what every kind of warehouse client does with tables, in its own SQL. `open` is called once, before the first test. */
export function describeWarehouseTables(name: string, open: () => TablesWorld): void {
  describe(`${name} has tables that`, () => {
    let world: TablesWorld;
    let client: WarehouseClient;
    let reading: Reading | undefined;
    const lacks = (what: NonNullable<TablesWorld['lacks']>[number]): boolean => world.lacks?.includes(what) ?? false;

    beforeAll(async () => {
      world = open();
      client = world.client;
      for (const sql of world.setUp) await world.change(sql);
    });
    afterEach(() => reading?.close());

    /** Opens a reading, and closes the former one first: a caller may have one place only. */
    const read = async (signal?: AbortSignal): Promise<Reading> => {
      await reading?.close();
      reading = await client.openReading({ claim, timeoutMs: 20_000, ...(signal && { signal }) });
      return reading;
    };

    /** Loads rows into columns of the described types, as a run does. Returns the values as text. */
    const load = async (from: Reading, table: string, wanted: string[], since?: { column: string; value: string | null }) => {
      const described = new Map((await client.catalog(claim).describe(table))!.columns.map(column => [column.name, column.type]));
      return world.pool.transaction(async own => {
        const typed = wanted.map(column => `${quoteIdentifier(column)} ${described.get(column)}`).join(', ');
        await own.query(`CREATE TEMP TABLE loaded (${typed}) ON COMMIT DROP`);
        await pipeline(from.rows({ table, columns: wanted, ...(since && { since }) }), own.query(copyFrom('COPY loaded FROM STDIN')));
        const texts = wanted.map(column => `${quoteIdentifier(column)}::text`).join(', ');
        return (await own.query({ text: `SELECT ${texts} FROM loaded ORDER BY 1`, rowMode: 'array' })).rows as (string | null)[][];
      });
    };

    it('are listed, found and described', async () => {
      expect(await client.catalog(claim).listNames()).toEqual(expect.arrayContaining(['contract_lines', 'contract_orders']));
      const comment = lacks('comments') ? null : '订单';
      expect(await client.catalog(claim).find('contract_orders')).toMatchObject({ name: 'contract_orders', columnCount: 6, comment });
      const { columns: described } = (await client.catalog(claim).describe('contract_orders'))!;
      expect(described.map(column => column.name)).toEqual(columns);
      expect(described.map(column => [column.type, column.nativeType])).toEqual(world.types);
      expect(described.map(column => column.comment)).toEqual([null, null, lacks('comments') ? null : '金额（元）', null, null, null]);
      expect(described.slice(1).map(column => column.nullable)).toEqual([true, true, true, true, true]);
    });

    it('have keys, and know the tables that they refer to', async () => {
      const { keys, foreignKeys } = (await client.catalog(claim).describe('contract_lines'))!;
      expect(keys).toEqual(lacks('keys') ? [] : [{ primary: true, columns: ['order_id', 'line'] }]);
      expect(foreignKeys).toEqual(lacks('foreign keys') ? [] : [{ columns: ['order_id'], table: 'contract_orders', references: ['id'] }]);
    });

    it('show some of their rows', async () => {
      const { rows, columns: shown } = await client.sample({ claim, table: 'contract_lines', maxRows: 2, timeoutMs: 5_000 });
      expect(shown.map(column => column.name)).toEqual(['order_id', 'line', 'note']);
      expect(rows).toHaveLength(2);
      await expect(client.sample({ claim, table: 'contract_nothing', maxRows: 2, timeoutMs: 5_000 })).rejects.toMatchObject({
        code: 'table_not_found',
      });
    });

    it('are read as text that PostgreSQL loads as the described types', async () => {
      const reading = await read();
      expect(reading.guarantee).toBe(world.guarantee);
      const moment = (text: string | null): string | null => (text === null || !lacks('local times') ? text : `${text}+00`);
      expect(await load(reading, 'contract_orders', columns)).toEqual(orders.map(row => row.with(4, moment(row[4]!))));
      expect(await load(reading, 'contract_orders', ['day', 'id'])).toEqual([['2024-02-29', '1'], [null, '2']]); // prettier-ignore
    });

    it('keep every character of a text', async () => {
      const rows = await load(await read(), 'contract_lines', ['line', 'note']);
      expect(rows.map(([, note]) => note)).toEqual(notes);
    });

    it('are read from a value on, that value and empty ones included', async () => {
      const reading = await read();
      const from = async (column: string, value: string | null) =>
        (await load(reading, 'contract_orders', ['id'], { column, value })).flat();
      expect(await from('id', '2')).toEqual(['2']);
      expect(await from('day', '2024-02-29')).toEqual(['1', '2']);
      expect(await from('day', '2024-03-01')).toEqual(['2']);
      expect(await from('name', "'; --")).toEqual(['1', '2']);
      expect(await from('day', null)).toEqual(['1', '2']);
    });

    it('are read in pieces, without holding all of their rows', async () => {
      const rows = (await read()).rows({ table: 'contract_lines', columns: ['line'] });
      expect((await text(rows)).split('\n')).toHaveLength(notes.length + 1);
    });

    it('say which table or column a reading lacks', async () => {
      const failing = async (table: string, wanted: string[]) => text((await read()).rows({ table, columns: wanted }));
      await expect(failing('contract_nothing', ['id'])).rejects.toMatchObject({ code: 'table_not_found' });
      await expect(failing('contract_orders', ['id', 'amont'])).rejects.toMatchObject({
        code: 'column_not_found',
        context: { table: 'contract_orders', column: 'amont' },
        detail: expect.stringContaining("did you mean 'amount'?"),
      });
    });

    it('name the column whose type has no counterpart, and read the others', async () => {
      if (lacks('odd types')) return;
      const { columns: described } = (await client.catalog(claim).describe('contract_odd'))!;
      expect(described.map(column => column.type)).toEqual([expect.any(String), 'other']);
      const reading = await read();
      expect(await load(reading, 'contract_odd', ['id'])).toEqual([['1']]);
      await expect(text(reading.rows({ table: 'contract_odd', columns: ['odd'] }))).rejects.toMatchObject({
        code: 'column_type_not_readable',
        context: { table: 'contract_odd', column: 'odd', native_type: expect.any(String) },
      });
    });

    it('are read at one moment, if the client says so', async () => {
      if (world.guarantee !== 'snapshot') return;
      const reading = await read();
      expect(await load(reading, 'contract_orders', ['id'])).toHaveLength(2);
      await world.change("INSERT INTO contract_orders (id, name) VALUES (3, 'late')");
      expect(await load(reading, 'contract_orders', ['id'])).toHaveLength(2);
      expect(await load(await read(), 'contract_orders', ['id'])).toHaveLength(3);
      await world.change('DELETE FROM contract_orders WHERE id = 3');
    });

    it('are no longer read once the signal aborts', async () => {
      const ended = new AbortController();
      const reading = await read(ended.signal);
      ended.abort(new Error('cancelled'));
      await expect(text(reading.rows({ table: 'contract_orders', columns: ['id'] }))).rejects.toThrow('cancelled');
    });

    it('are left in peace by a statement whose caller has gone', async () => {
      const gone = new AbortController();
      const bounds = { parameters: [], timeoutMs: 60_000, maxRows: 1 };
      const asked = client.query({ ...bounds, claim: { ...claim, signal: gone.signal }, sql: world.slow });
      setTimeout(() => gone.abort(new Error('gone')), 300);
      await expect(asked).rejects.toThrow('gone');
      expect((await client.query({ ...bounds, claim, sql: 'SELECT 1 AS one' })).rows).toEqual([[1]]);
    });

    it('are read by others after a reading that nobody finished', async () => {
      // Five readings are more than the places of any client here.
      for (let again = 0; again < 5; again++) {
        const reading = await client.openReading({ claim, timeoutMs: 20_000 });
        reading.rows({ table: 'contract_lines', columns: ['line'] }).on('error', () => undefined);
        await reading.close();
      }
      expect(await load(await read(), 'contract_orders', ['id'])).toHaveLength(2);
    });
  });
}

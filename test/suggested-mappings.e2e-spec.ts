import { type TestApp, startTestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { shared } from './support/ingestion.js';
import { describeWithShared } from './support/shared-data.js';
import { readDraft, runDraft, suggest } from './support/suggestions.js';

let app: TestApp;
let foreign: ForeignPostgres;

beforeAll(async () => {
  [app, foreign] = await Promise.all([startTestApp({ WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' }), ForeignPostgres.start()]);
}, 60_000);
afterAll(async () => {
  await Promise.all([app.close(), foreign.remove()]);
});

/** Makes a schema with a connection of its own. */
async function aSchema(name: string, sql: string): Promise<void> {
  await foreign.run(`CREATE SCHEMA ${name}; GRANT USAGE ON SCHEMA ${name} TO reader; SET search_path = ${name}; ${sql}; RESET search_path`);
  await aForeignConnection(app, foreign, name, { schema_allowlist: [name] });
}

const count = async (sql: string): Promise<number> => Number((await foreign.run(`SELECT count(*) AS n FROM ${sql}`)).rows[0].n);

describeWithShared('Northwind with its keys', 'data/northwind/northwind.sql', () => {
  beforeAll(async () => {
    const sql = shared('data/northwind/northwind.sql').toString();
    await aSchema('northwind', sql.replace(/^SET .*$/gm, '').replace(/^DROP .*$/gm, ''));
  }, 60_000);

  it('becomes the graph that its keys describe', async () => {
    const draft = await suggest(app, { connection: 'northwind' });
    expect(draft.guesses.filter(({ kind }: any) => kind !== 'display')).toEqual([]);
    const { nodes, edges } = await runDraft(app, draft);
    const links = ['order_details', 'employee_territories', 'customer_customer_demo'];
    const { rows: tables } = await foreign.run(
      `SELECT relname FROM pg_class WHERE relnamespace = 'northwind'::regnamespace AND relkind = 'r'`,
    );
    for (const { relname } of tables) {
      if (links.includes(relname)) expect(nodes).not.toHaveProperty(relname);
      else expect([relname, nodes[relname]]).toEqual([relname, await count(`northwind.${relname}`)]);
    }
    expect(edges).toEqual({
      'orders: order_id, customer_id': await count('northwind.orders WHERE customer_id IS NOT NULL'),
      'orders: order_id, employee_id': await count('northwind.orders WHERE employee_id IS NOT NULL'),
      'orders: order_id, ship_via': await count('northwind.orders WHERE ship_via IS NOT NULL'),
      'products: product_id, category_id': await count('northwind.products WHERE category_id IS NOT NULL'),
      'products: product_id, supplier_id': await count('northwind.products WHERE supplier_id IS NOT NULL'),
      'territories: territory_id, region_id': await count('northwind.territories'),
      'employees: employee_id, reports_to': await count('northwind.employees WHERE reports_to IS NOT NULL'),
      'order_details: order_id, product_id': 2155,
      'employee_territories: employee_id, territory_id': 49,
      'customer_customer_demo: customer_id, customer_type_id': 0,
    });
  });

  it('gives a link table its own columns, and names what no property can hold', async () => {
    const draft = await suggest(app, { connection: 'northwind' });
    const { edges, nodes } = readDraft(draft);
    const details = edges.find((edge: any) => edge.table === 'order_details');
    expect(details).toEqual({
      type: 'ORDER_DETAILS',
      table: 'order_details',
      from: { node: 'orders', match: { order_id: 'order_id' } },
      to: { node: 'products', match: { product_id: 'product_id' } },
      columns: [
        { column: 'unit_price', type: 'float' },
        { column: 'quantity', type: 'int' },
        { column: 'discount', type: 'float' },
      ],
    });
    expect(edges.map((edge: any) => edge.type)).toEqual(
      expect.arrayContaining(['ORDERS_CUSTOMER', 'ORDERS_EMPLOYEE', 'ORDERS_SHIP_VIA', 'EMPLOYEES_REPORTS_TO']),
    );
    expect(nodes.find((node: any) => node.table === 'customers')).toMatchObject({
      id: 'customers',
      label: 'customers',
      key: ['customer_id'],
      display: 'company_name',
    });
    expect(draft.left_out.map(({ table, columns }: any) => [table, columns])).toEqual([
      ['categories', ['picture']],
      ['employees', ['photo']],
    ]);
    expect(draft.checked).toEqual({ source: true, guesses: true });
  });

  it('is drafted as YAML alone for a client that asks for YAML', async () => {
    const { text, headers } = await app.admin
      .post('/api/ingestion/mappings/suggest')
      .set('Accept', 'application/yaml')
      .buffer(true)
      .send({ connection: 'northwind', tables: ['region', 'territories'] })
      .expect(200);
    expect(headers['content-type']).toContain('application/yaml');
    expect(text).toBe((await suggest(app, { connection: 'northwind', tables: ['region', 'territories'] })).mapping_yaml);
  });
});

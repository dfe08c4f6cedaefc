import { type TestApp, startTestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignSchema } from './support/foreign-tables.js';
import { shared, upload } from './support/ingestion.js';
import { describeWithShared } from './support/shared-data.js';
import { readDraft, runDraft, suggest } from './support/suggestions.js';
import { rentalCounts, rentalStatements } from './support/rental-tables.js';
import { itLong } from './support/tier.js';

let test: TestApp;
let foreign: ForeignPostgres;

beforeAll(async () => {
  [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
});
afterAll(async () => {
  await Promise.all([test.close(), foreign.remove()]);
});

const count = async (sql: string): Promise<number> => Number((await foreign.run(`SELECT count(*) AS n FROM ${sql}`)).rows[0].n);

describeWithShared('Northwind with its keys', 'data/northwind/northwind.sql', () => {
  beforeAll(async () => {
    const sql = shared('data/northwind/northwind.sql').toString();
    await aForeignSchema(test, foreign, 'northwind', sql.replace(/^SET .*$/gm, '').replace(/^DROP .*$/gm, ''));
  });

  it('becomes the graph that its keys describe', async () => {
    const draft = await suggest(test, { connection: 'northwind' });
    expect(draft.guesses.filter(({ kind }: any) => kind !== 'display')).toEqual([]);
    const { nodes, edges } = await runDraft(test, draft);
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
    const draft = await suggest(test, { connection: 'northwind' });
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
    const { text, headers } = await test.admin
      .post('/api/ingestion/mappings/suggest')
      .set('Accept', 'application/yaml')
      .buffer(true)
      .send({ connection: 'northwind', tables: ['region', 'territories'] })
      .expect(200);
    expect(headers['content-type']).toContain('application/yaml');
    expect(text).toBe((await suggest(test, { connection: 'northwind', tables: ['region', 'territories'] })).mapping_yaml);
  });
});

describeWithShared('Northwind as uploaded files', 'data/northwind/csv', () => {
  const tables = [
    'categories',
    'customers',
    'employees',
    'order_details',
    'orders',
    'products',
    'region',
    'shippers',
    'suppliers',
    'territories',
  ];
  beforeAll(async () => {
    for (const table of tables) await upload(test, table, shared(`data/northwind/csv/${table}.csv`));
  });

  it('gets its keys and edges from names that the data confirms', async () => {
    const draft = await suggest(test, { tables });
    const { nodes, edges } = await runDraft(test, draft);
    expect(nodes).toEqual({
      categories: 8,
      customers: 91,
      employees: 9,
      orders: 830,
      products: 77,
      region: 4,
      shippers: 6,
      suppliers: 29,
      territories: 53,
    });
    // No table is named like `ship_via`, so no reference to the shippers is guessed.
    expect(edges).toEqual({
      'employees: employee_id, reports_to': 8,
      'orders: order_id, customer_id': 830,
      'orders: order_id, employee_id': 830,
      'products: product_id, supplier_id': 77,
      'products: product_id, category_id': 77,
      'territories: territory_id, region_id': 53,
      'order_details: order_id, product_id': 2155,
    });
    expect(draft.left_out).toEqual([]);
  });

  it('marks each guess with its line, its evidence and a comment', async () => {
    const draft = await suggest(test, { tables: ['orders', 'customers'] });
    const lines = draft.mapping_yaml.split('\n');
    const guess = draft.guesses.find(({ kind }: any) => kind === 'edge');
    expect(guess).toMatchObject({ path: 'edges[0]', evidence: { sampled: 89, found: 89 } });
    expect(lines[guess.line - 1]).toBe('  - type: ORDERS_CUSTOMER');
    expect(lines[guess.line - 2]).toBe(`  # guess: ${guess.text.en}`);
    expect(lines[guess.line - 3]).toBe(`  # 推测：${guess.text.zh}`);
    const key = draft.guesses.find(({ path }: any) => path === 'nodes[0].key');
    expect(key).toMatchObject({ kind: 'key', evidence: { rows: 830, distinct: 830, checked: 'all' } });
    expect(lines[key.line - 1]).toBe('    key: [order_id]');
  });
});

describeWithShared('Divisions of China as uploaded files', 'data/china_divisions', () => {
  itLong('get all edges between their levels', async () => {
    const levels = {
      provinces: 'code',
      cities: 'code,provinceCode',
      areas: 'code,cityCode,provinceCode',
      streets: 'code,areaCode,provinceCode,cityCode',
    };
    for (const [table, codes] of Object.entries(levels)) {
      const types = codes.replaceAll(/\w+/g, '$&:text');
      await upload(test, table, shared(`data/china_divisions/${table}.csv`), types);
    }
    const draft = await suggest(test, { tables: Object.keys(levels) });
    const { nodes, edges } = await runDraft(test, draft);
    expect(nodes).toEqual({ provinces: 31, cities: 342, areas: 2978, streets: 41352 });
    expect(edges).toEqual({
      'cities: code, provinceCode': 342,
      'areas: code, cityCode': 2978,
      'areas: code, provinceCode': 2978,
      'streets: code, areaCode': 41352,
      'streets: code, provinceCode': 41352,
      'streets: code, cityCode': 41352,
    });
  });
});

describe('tables of a film rental', () => {
  itLong('become the graph that their keys describe, also where these refer in a circle', async () => {
    await aForeignSchema(test, foreign, 'rental', rentalStatements({ keys: true }).join(';'));
    const draft = await suggest(test, { connection: 'rental' });
    const { nodes, edges } = await runDraft(test, draft);
    expect({ nodes, edges }).toEqual(rentalCounts());
    expect(draft.guesses.map(({ kind, path }: any) => [kind, path])).toContainEqual([
      'sensitive',
      expect.stringMatching(/^nodes\[\d+\]\.columns\[2\]$/),
    ]);
    expect(readDraft(draft).edges.map(({ type }: any) => type)).toEqual(
      expect.arrayContaining(['FILM_LANGUAGE', 'FILM_ORIGINAL_LANGUAGE']),
    );
  });

  itLong('become the same graph without keys, but for what no name tells', async () => {
    await aForeignSchema(test, foreign, 'keyless', rentalStatements({ keys: false }).join(';'));
    const draft = await suggest(test, { connection: 'keyless' });
    const { nodes, edges } = await runDraft(test, draft);
    expect({ nodes, edges }).toEqual(rentalCounts());
  });
});

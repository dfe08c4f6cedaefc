import { startTestApp, type TestApp } from './support/app.js';
import { upload } from './support/ingestion.js';
import { readDraft, suggest } from './support/suggestions.js';

let test: TestApp;

beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** The edges of a draft, each as its type, the referring column, and the column to which it refers. */
const edgesOf = (draft: any): unknown[] =>
  (readDraft(draft).edges ?? []).map(({ type, to }: any) => [type, ...Object.entries<string>(to.match)[0]!]);
const leftOf = (draft: any, table: string): unknown[] =>
  draft.left_out.filter((each: any) => each.table === table).map(({ columns, reason }: any) => [columns, reason.en]);

describe('a draft of uploaded tables', () => {
  it('has the references of a table to itself', async () => {
    await upload(test, 'employees', 'id,full_name,manager_id\n1,Ada,\n2,Bo,1\n3,Cy,1\n');
    await upload(test, 'categories', 'category_id,name,parent_category_id\n1,Food,\n2,Tea,1\n');
    await upload(test, '部门', '部门编号,名称,上级部门编号\n1,总部,\n2,研发,1\n');
    const draft = await suggest(test, { tables: ['employees', 'categories', '部门'] });
    expect(edgesOf(draft).sort()).toEqual([
      ['CATEGORIES_PARENT_CATEGORY', 'parent_category_id', 'category_id'],
      ['EMPLOYEES_MANAGER', 'manager_id', 'id'],
      ['部门_上级部门', '上级部门编号', '部门编号'],
    ]);
    expect(draft.left_out).toEqual([]);
  });

  it('takes a role for a reference to another table where that is named so', async () => {
    await upload(test, 'managers', 'id,name\n1,Ada\n2,Bo\n');
    await upload(test, 'shops', 'id,name,manager_id\n1,North,1\n2,South,2\n');
    expect(edgesOf(await suggest(test, { tables: ['managers', 'shops'] }))).toEqual([['SHOPS_MANAGER', 'manager_id', 'id']]);
  });

  it('has the references by texts of the same name, also where that is not the name of a key', async () => {
    await upload(test, 'articles', 'sku,title\nA-1,Tea\nA-2,Coffee\nB-1,Milk\n');
    await upload(test, 'sales', 'sale_id,sku,qty\n1,A-1,2\n2,A-1,5\n3,B-1,1\n');
    await upload(test, 'stock', 'sku,qty\nA-1,5\nA-2,5\n');
    const draft = await suggest(test, { tables: ['articles', 'sales', 'stock'] });
    expect(edgesOf(draft)).toEqual([
      ['SALES_SKU', 'sku', 'sku'],
      ['STOCK_SKU', 'sku', 'sku'],
    ]);
  });

  it('has one of two references between the keys of two tables, whatever their order', async () => {
    await upload(test, 'lamp_prices', 'lamp_sku,price\nL-1,20\nL-2,20\n');
    await upload(test, 'lamps', 'lamp_sku,title\nL-1,Moon\nL-2,Sun\n');
    for (const tables of [
      ['lamps', 'lamp_prices'],
      ['lamp_prices', 'lamps'],
    ]) {
      const draft = await suggest(test, { tables });
      expect(readDraft(draft).edges).toMatchObject([
        { type: 'LAMP_PRICES_LAMP_SKU', from: { node: 'lamp_prices' }, to: { node: 'lamps' } },
      ]);
      expect(leftOf(draft, 'lamps')).toEqual([[['lamp_sku'], expect.stringContaining('the keys of both')]]);
    }
  });

  it('takes no captions for references, however alike they are', async () => {
    await upload(test, 'cities', 'id,name\n1,York\n2,Rome\n');
    await upload(test, 'ships', 'id,name\n7,York\n8,Rome\n');
    expect(edgesOf(await suggest(test, { tables: ['cities', 'ships'] }))).toEqual([]);
  });

  it('has the references between numbers that are equal and written otherwise', async () => {
    await upload(test, 'st_customers', 'customer_id,name\n7,Lin Trading\n12,Nord Handel\n', 'customer_id:integer');
    await upload(test, 'st_orders', 'order_id,customer_id\n1,12.0\n3,7.0\n', 'customer_id:numeric');
    const draft = await suggest(test, { tables: ['st_customers', 'st_orders'] });
    expect(edgesOf(draft)).toEqual([['ST_ORDERS_CUSTOMER', 'customer_id', 'customer_id']]);
  });

  it('shows a node by its key where no column is named like a name', async () => {
    await upload(test, 'payments', 'payment_id,status,method\nP1,paid,card\nP2,open,cash\n');
    const draft = await suggest(test, { tables: ['payments'] });
    expect(readDraft(draft).nodes[0]).toMatchObject({ key: ['payment_id'], display: 'payment_id' });
    expect(draft.guesses).toContainEqual(expect.objectContaining({ kind: 'display', evidence: { column: 'payment_id' } }));
  });

  it('keeps the names of relations whole', async () => {
    await upload(test, '用户', '账号,姓名\na1,林\nb2,王\n');
    await upload(test, '登录', '登录编号,账号\n1,a1\n2,a1\n');
    expect(edgesOf(await suggest(test, { tables: ['用户', '登录'] }))).toEqual([['登录_账号', '账号', '账号']]);
  });

  it('says which columns sound like references and are none, and why', async () => {
    await upload(test, 'visits', 'visit_id,region_id,customer_id\n1,5,x7\n2,6,y1\n');
    const draft = await suggest(test, { tables: ['visits', 'st_customers'] });
    expect(leftOf(draft, 'visits')).toEqual([
      [['customer_id'], expect.stringContaining('values of another type')],
      [['region_id'], expect.stringContaining('no table of this draft')],
    ]);
  });
});

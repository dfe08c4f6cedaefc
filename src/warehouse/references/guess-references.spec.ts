import { guessReferences, type Referable } from './guess-references.js';
import { ReferablesByName } from './referables-by-name.js';
import { type SourceProbe } from './source-probe.js';
import { type SourceTable } from './source-table.js';

function aTable(name: string, columns: string[], comments: Record<string, string> = {}): SourceTable {
  const described = columns.map(column => ({
    name: column,
    type: 'integer',
    nativeType: 'int4',
    nullable: false,
    comment: comments[column] ?? null,
  }));
  return { name, bareName: name, comment: comments[name] ?? null, columns: described, keys: [], foreignKeys: [] };
}

const probe = (isOver: () => boolean) =>
  ({
    get isOver() {
      return isOver();
    },
    overlap: () => Promise.resolve({ sampled: 3, found: 3 }),
  }) as unknown as SourceProbe;

describe('guessReferences', () => {
  const customers = aTable('customers', ['id', 'name']);
  const departments = aTable('部门表', ['部门编号', '上级部门编号']);
  const products = aTable('dim_product', ['sku_code'], { dim_product: 'article' });
  const orders = aTable('orders', ['id', 'billing_customer_id', '部门编号', 'article_id', 'sku_code', 'parent_id', 'quantity', 'by'], {
    by: 'customer',
  });
  const referable: Referable[] = [
    { table: customers, key: 'id' },
    { table: departments, key: '部门编号' },
    { table: products, key: 'sku_code' },
    { table: orders, key: 'id' },
  ];

  it('finds the same references by name as by comparing every column with every table', async () => {
    const byName = new ReferablesByName(referable);
    for (const { table, key } of referable) {
      const all = await guessReferences(table, { columns: [key] }, () => referable, probe(() => false)); // prettier-ignore
      const found = await guessReferences(table, { columns: [key] }, column => byName.for(table, column), probe(() => false)); // prettier-ignore
      expect(found).toEqual(all);
      if (table === orders) expect(found.references.map(({ columns, table: to }) => [...columns, to])).toEqual([
        ['billing_customer_id', 'customers'],
        ['部门编号', '部门表'],
        ['article_id', 'dim_product'],
        ['sku_code', 'dim_product'],
        ['parent_id', 'orders'],
        ['by', 'customers'],
      ]); // prettier-ignore
    }
  });

  it.each([['序号'], ['row_id'], ['serial_no'], ['line_no']])('takes no numbers of rows for a reference: %s', async name => {
    const [income, costs] = [aTable('收入', [name, '月份', '金额']), aTable('支出', [name, '月份', '金额'])];
    const rows = [income, costs].map(table => ({ table, key: name }));
    const found = await guessReferences(
      income,
      { columns: [name] },
      () => rows,
      probe(() => false),
    );
    expect(found).toEqual({ references: [], leftOut: [] });
    const lines = aTable('lines', ['id', name]);
    const { references } = await guessReferences(
      lines,
      { columns: ['id'] },
      () => rows.slice(0, 1),
      probe(() => false),
    );
    expect(references).toEqual([expect.objectContaining({ columns: [name], table: '收入' })]);
  });

  it.each([
    ['rooms', 'room_id', 'beds_per_room'],
    ['orders', 'order_id', 'pid'],
    ['departments', 'department_id', 'manager_id'],
  ])('takes no small numbers of %s (%s) for a reference to itself: %s', async (name, key, column) => {
    const table = aTable(name, [key, column]);
    const found = await guessReferences(
      table,
      { columns: [key] },
      () => [{ table, key }],
      probe(() => false),
    );
    expect(found.references).toEqual([]);
  });

  it('compares a column only with tables that its name may mean', () => {
    const many = Array.from({ length: 100 }, (_, n) => ({ table: aTable(`thing${n}`, ['id']), key: 'id' }));
    const wide = aTable('wide', Array.from({ length: 1_600 }, (_, n) => `column${n}`)); // prettier-ignore
    const byName = new ReferablesByName(many);
    expect(wide.columns.flatMap(column => byName.for(wide, column))).toEqual([]);
    expect(byName.for(wide, aTable('w', ['thing7_id']).columns[0]!)).toEqual([many[7]]);
  });

  it('ends with the time, and says that columns were left out', async () => {
    let asked = 0;
    const { references, leftOut } = await guessReferences(orders, null, () => referable, probe(() => ++asked > 2)); // prettier-ignore
    expect(asked).toBe(3);
    expect(references).toHaveLength(1);
    expect(leftOut).toEqual([
      { table: 'orders', columns: [], reason: expect.objectContaining({ en: expect.stringContaining('the time was over') }) },
    ]);
  });
});

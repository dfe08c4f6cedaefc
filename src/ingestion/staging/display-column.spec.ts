import { type NodeMapping } from '../mapping/mapping.js';
import { displayColumn } from './display-column.js';

interface Column {
  column: string;
  property?: string;
  type?: 'string' | 'int';
  sensitive?: boolean;
}

function shownBy(columns: Column[], display: string | null = null): string | null {
  const mapped = columns.map(({ column, property = column, sensitive = false }) => ({
    source: { kind: 'column', column },
    property,
    sensitive,
  }));
  const node = { display, key: ['id'], columns: mapped } as unknown as NodeMapping;
  return displayColumn(
    node,
    columns.map(({ type = 'string' }) => ({ name: type })),
  );
}

describe('displayColumn', () => {
  it('takes the column that the mapping names', () => {
    expect(shownBy([{ column: 'name' }, { column: 'code' }], 'code')).toBe('code');
  });

  it.each([
    [[{ column: 'id' }, { column: 'country' }, { column: 'company_name' }], 'company_name'],
    [[{ column: 'id' }, { column: 'nm', property: '产品名称' }], 'nm'],
    [[{ column: 'first_name' }, { column: 'name' }], 'name'],
    [[{ column: 'id' }, { column: 'Title' }], 'Title'],
    [[{ column: 'firstName' }], 'firstName'],
  ])('takes a text that is called a name: %j', (columns, expected) => expect(shownBy(columns)).toBe(expected));

  it.each<[Column[]]>([
    [[{ column: 'id' }, { column: 'country' }]],
    [[{ column: 'name', type: 'int' }]],
    [[{ column: 'full_name', sensitive: true }]],
    [[{ column: 'username' }, { column: 'filename' }]],
  ])('takes none of %j', columns => expect(shownBy(columns)).toBeNull());

  it('takes no key column', () => expect(shownBy([{ column: 'id', property: 'name' }])).toBeNull());
});

import { isReadable, matchKind } from './key-kind.js';

const column = (name: string, type: string) => ({ name, type, nativeType: type, nullable: true, comment: null });

it('takes no column whose name PostgreSQL cuts or keeps for itself (risk: a mapping of another table column would be a 500)', () => {
  const names = ['id', '客户', 'new\nline', '', 'xmin', 'ctid', 'x'.repeat(64)];
  expect(names.filter(name => isReadable(column(name, 'text')))).toEqual(['id', '客户', 'new\nline']);
  expect(isReadable(column('id', 'other'))).toBe(false);
});

it('compares numbers of any type as one kind, and other values by their type', () => {
  const types = ['integer', 'bigint', 'numeric', 'numeric(12,2)', 'double precision', 'varchar(8)', 'text', 'uuid', 'jsonb'];
  expect(types.map(type => matchKind(column('c', type)))).toEqual([...Array<string>(5).fill('number'), 'text', 'text', 'uuid', null]);
});

import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { parseMapping } from '../mapping/parse-mapping.js';
import { ForeignTables } from './foreign-tables.js';
import { targetsOf } from './target.js';

beforeAll(loadSqlParser);

const place = (name: string) => (name.startsWith('hr.') ? { schema: 'hr', table: name.slice(3) } : { schema: 'public', table: name });
const column = (name: string, type: string) => ({ name, type, nativeType: type, nullable: true, comment: null });
const columns = [column('id', 'integer'), column('name', 'text'), column('at', 'date'), column('odd', 'other')];

function plan(elements: string, names: string[]) {
  const tables = new ForeignTables({ schema: 'public', place });
  for (const name of names) tables.add(name, { columns, keys: [], foreignKeys: [] });
  const targets = targetsOf(parseMapping(`version: 1\nnodes:\n${elements}`).mapping);
  return tables.plan(targets).map(({ name, copy, used, feedsQuery, incremental }) => {
    return [name, copy, used.map(each => each.name).join(), feedsQuery, incremental?.target ?? null];
  });
}

const node = (id: string, rest: string) => `  - {id: ${id}, label: ${id}, key: [id], columns: [{column: id}], ${rest}}\n`;

describe('ForeignTables', () => {
  it('copies each table once, with the columns that all its targets use', () => {
    expect(plan(node('a', "table: t, where: name <> ''") + node('b', 'table: t') + node('c', 'table: hr.t'), ['t', 'hr.t'])).toEqual([
      ['t', 'source_0', 'id,name', false, null],
      ['hr.t', 'source_1', 'id', false, null],
    ]);
  });

  it('copies all readable columns of the tables of a query', () => {
    expect(plan(node('a', "query: 'SELECT id FROM t'"), ['t'])).toEqual([['t', 'source_0', 'id,name,at', true, null]]);
  });

  it('reads on from a cursor only for the one target that reads the table', () => {
    const from = 'table: t, incremental: {cursor: at, type: date}';
    expect(plan(node('a', from), ['t'])).toEqual([['t', 'source_0', 'id,at', false, 'a']]);
    expect(plan(node('a', from) + node('b', 'table: t'), ['t'])).toEqual([['t', 'source_0', 'id,at', false, null]]);
  });

  it.each([
    'integer', 'numeric(12,2)', 'timestamptz(3)', 'timestamp(3)[]', 'double precision', 'bit varying(5)', '"char"', 'time(3) with time zone',
    'interval day to second(3)', 'varchar(40)[]', 'numeric(3,-2)',
  ])('takes the type %s', type => {
    const tables = new ForeignTables({ schema: 'public', place });
    tables.add('t', { columns: [column('a', type)], keys: [], foreignKeys: [] });
    expect(tables.get('t')!.columns.get('a')!.type).toBe(type);
  }); // prettier-ignore

  it.each(['integer); DROP TABLE users; --', 'text DEFAULT x', 'text check (1)', 'text references users', 'public.users', ''])(
    'takes no type %s, which would be more than a type',
    type => {
      const tables = new ForeignTables({ schema: 'public', place });
      tables.add('t', { columns: [column('a', type)], keys: [], foreignKeys: [] });
      expect(tables.get('t')!.columns.get('a')!.type).toBe('other');
    },
  );
});

import { type Dice } from './dice.js';

type Row = (number | string | null)[];

interface Table {
  name: string;
  /** The columns of the key with their types. */
  key: [name: string, type: string][];
  rows: Row[];
  /** Each reference has its columns, and the table to whose key they refer. */
  references: { columns: string[]; to: Table }[];
  columns: [name: string, type: string][];
}

export interface RandomSchema {
  statements: string[];
  /** The number of rows of each table that becomes nodes. */
  nodes: Record<string, number>;
  /** The number of edges, by the table and the columns of both ends. */
  edges: Record<string, number>;
}

const words = ['order', 'SELECT', '客户', 'Item', 'line item', 'grüße', 'a"b', "o'clock", '表', 'user', 'null', 'true', 'x.y', 'Größe'];
const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (value: number | string | null): string => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value));

/**
 * Random tables with declared keys of one to three columns. They have references to themselves, in circles, twice to the same table, and
 * with nulls. Some are link tables. Returns also the counts of the graph that they describe.
 */
export function randomSchema(dice: Dice): RandomSchema {
  const things = Array.from({ length: dice.between(2, 6) }, (_, index) => aThing(dice, index));
  for (const table of things) {
    for (let index = dice.below(4); index > 0; index--) refer(dice, table, dice.of(things), `ref ${index}`);
  }
  const links = Array.from({ length: dice.below(3) }, (_, index) => aLink(dice, things, index));
  const tables = [...things, ...links];
  return {
    statements: [...tables.map(create), ...tables.flatMap(fill), ...tables.flatMap(constrain)],
    nodes: Object.fromEntries(things.map(({ name, rows }) => [name, rows.length])),
    edges: Object.fromEntries([...things.flatMap(edgesOf), ...links.map(linkOf)]),
  };
}

function aThing(dice: Dice, index: number): Table {
  const key = Array.from({ length: dice.of([1, 1, 1, 2, 3]) }, (_, part): [string, string] => [
    `${dice.of(words)} k${part}`,
    dice.of(['int', 'bigint', 'text', 'date', 'uuid', 'numeric(12,2)']),
  ]);
  const count = dice.of([0, 1, dice.between(2, 40)]);
  const rows = Array.from({ length: count }, (_, row): Row => [...key.map(([, type]) => keyValue(type, row + 1)), dice.chance(0.2) ? null : dice.of(words)]); // prettier-ignore
  return { name: `${dice.of(words)} ${index}`, key, rows, references: [], columns: [...key, [dice.of(words), 'text']] };
}

function keyValue(type: string, row: number): number | string {
  if (type === 'text') return `k'${row}"\\`;
  if (type === 'date') return new Date(Date.UTC(2000, 0, row)).toISOString().slice(0, 10);
  if (type === 'uuid') return `00000000-0000-4000-8000-${String(row).padStart(12, '0')}`;
  return row;
}

/** Adds columns that contain the key of a random row of `to`, or null. */
function refer(dice: Dice, table: Table, to: Table, name: string): void {
  const columns = to.key.map(([, type], part): [string, string] => [`${name} ${part}`, type]);
  table.columns.push(...columns);
  table.references.push({ columns: columns.map(([column]) => column), to });
  for (const row of table.rows) {
    const other = to.rows.length === 0 || dice.chance(0.3) ? null : dice.of(to.rows);
    row.push(...columns.map((_, part) => (other === null ? null : other[part]!)));
  }
}

/** A link table: its key consists of the keys of two other tables. */
function aLink(dice: Dice, things: Table[], index: number): Table {
  const ends = [dice.of(things), dice.of(things)];
  const columns = ends.flatMap((to, end) => to.key.map(([, type], part): [string, string] => [`end ${end} ${part}`, type]));
  const pairs = ends[0]!.rows.flatMap(a => ends[1]!.rows.map(b => [a, b] as const)).filter(() => dice.chance(0.1));
  let at = 0;
  const references = ends.map(to => ({ columns: columns.slice(at, (at += to.key.length)).map(([column]) => column), to }));
  const rows = pairs.map(([a, b]): Row => [...a.slice(0, ends[0]!.key.length), ...b.slice(0, ends[1]!.key.length), 'note']);
  return { name: `link ${index}`, key: columns, rows, references, columns: [...columns, ['note', 'text']] };
}

function create({ name, columns, key }: Table): string {
  const list = columns.map(([column, type]) => `${quote(column)} ${type}`);
  return `CREATE TABLE ${quote(name)} (${list.join(', ')}, PRIMARY KEY (${key.map(([column]) => quote(column)).join(', ')}))`;
}

function fill({ name, rows }: Table): string[] {
  if (rows.length === 0) return [];
  return [`INSERT INTO ${quote(name)} VALUES ${rows.map(row => `(${row.map(literal).join(', ')})`).join(', ')}`];
}

function constrain({ name, references }: Table): string[] {
  return references.map(({ columns, to }) => {
    const key = to.key.map(([column]) => quote(column)).join(', ');
    return `ALTER TABLE ${quote(name)} ADD FOREIGN KEY (${columns.map(quote).join(', ')}) REFERENCES ${quote(to.name)} (${key})`;
  });
}

function edgesOf({ name, key, columns, rows, references }: Table): [string, number][] {
  return references.map(reference => {
    const place = columns.findIndex(([column]) => column === reference.columns[0]);
    const ends = [...key.map(([column]) => column), ...reference.columns];
    return [`${name}: ${ends.join(', ')}`, rows.filter(row => row[place] !== null).length];
  });
}

function linkOf({ name, rows, references }: Table): [string, number] {
  return [`${name}: ${references.flatMap(({ columns }) => columns).join(', ')}`, rows.length];
}

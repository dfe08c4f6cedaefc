/** Tables of a film rental, some of whose keys refer in a circle. Their SQL runs on PostgreSQL and MariaDB. */
type Value = string | number | null;

const times = (count: number, row: (n: number) => Value[]): Value[][] => Array.from({ length: count }, (_, index) => row(index + 1));
const named = (word: string, count: number): Value[][] => times(count, n => [n, `${word} ${n}`]);
const oneOf = (n: number, count: number): number => (n % count) + 1;

export const rentalRows: Record<string, { columns: string; key: string; rows: Value[][] }> = {
  language: { columns: 'language_id int, name varchar(20)', key: 'language_id', rows: named('Language', 6) },
  country: { columns: 'country_id int, country varchar(50)', key: 'country_id', rows: named('Country', 5) },
  city: { columns: 'city_id int, city varchar(50), country_id int', key: 'city_id', rows: times(20, n => [n, `City ${n}`, oneOf(n, 5)]) },
  address: {
    columns: 'address_id int, address varchar(50), city_id int',
    key: 'address_id',
    rows: times(40, n => [n, `Street ${n}`, oneOf(n, 20)]),
  },
  category: { columns: 'category_id int, name varchar(25)', key: 'category_id', rows: named('Category', 8) },
  actor: {
    columns: 'actor_id int, first_name varchar(45), last_name varchar(45)',
    key: 'actor_id',
    rows: times(40, n => [n, `F${n}`, `L${n}`]),
  },
  film: {
    columns: 'film_id int, title varchar(128), description text, language_id int, original_language_id int, rental_rate decimal(4,2)',
    key: 'film_id',
    rows: times(60, n => [n, `Film ${n}`, 'A text', oneOf(n, 6), n % 10 === 0 ? oneOf(n, 6) : null, '4.99']),
  },
  film_actor: { columns: 'actor_id int, film_id int', key: 'actor_id, film_id', rows: times(120, n => [oneOf(n, 40), Math.ceil(n / 2)]) },
  film_category: {
    columns: 'film_id int, category_id int, last_update date',
    key: 'film_id, category_id',
    rows: times(60, n => [n, oneOf(n, 8), '2024-01-02']),
  },
  staff: {
    columns: 'staff_id int, last_name varchar(45), password varchar(40), store_id int',
    key: 'staff_id',
    rows: times(4, n => [n, `S${n}`, 'x', oneOf(n, 2)]),
  },
  store: { columns: 'store_id int, manager_staff_id int, address_id int', key: 'store_id', rows: times(2, n => [n, n, n]) },
  customer: {
    columns: 'customer_id int, last_name varchar(45), store_id int, address_id int',
    key: 'customer_id',
    rows: times(30, n => [n, `C${n}`, oneOf(n, 2), n + 5]),
  },
  inventory: {
    columns: 'inventory_id int, film_id int, store_id int',
    key: 'inventory_id',
    rows: times(80, n => [n, oneOf(n, 60), oneOf(n, 2)]),
  },
  rental: {
    columns: 'rental_id int, rental_date timestamp, inventory_id int, customer_id int, staff_id int',
    key: 'rental_id',
    rows: times(150, n => [n, '2024-05-06 07:08:09', oneOf(n, 80), oneOf(n, 30), oneOf(n, 4)]),
  },
  payment: {
    columns: 'payment_id int, customer_id int, staff_id int, rental_id int, amount decimal(5,2)',
    key: 'payment_id',
    rows: times(200, n => [n, oneOf(n, 30), oneOf(n, 4), n > 150 ? null : n, '2.50']),
  },
};

/** The referring column, and the key to which it refers. */
const foreignKeys: [table: string, column: string, other: string, key: string][] = [
  ['city', 'country_id', 'country', 'country_id'],
  ['address', 'city_id', 'city', 'city_id'],
  ['film', 'language_id', 'language', 'language_id'],
  ['film', 'original_language_id', 'language', 'language_id'],
  ['film_actor', 'actor_id', 'actor', 'actor_id'],
  ['film_actor', 'film_id', 'film', 'film_id'],
  ['film_category', 'film_id', 'film', 'film_id'],
  ['film_category', 'category_id', 'category', 'category_id'],
  ['staff', 'store_id', 'store', 'store_id'],
  ['store', 'manager_staff_id', 'staff', 'staff_id'],
  ['store', 'address_id', 'address', 'address_id'],
  ['customer', 'store_id', 'store', 'store_id'],
  ['customer', 'address_id', 'address', 'address_id'],
  ['inventory', 'film_id', 'film', 'film_id'],
  ['inventory', 'store_id', 'store', 'store_id'],
  ['rental', 'inventory_id', 'inventory', 'inventory_id'],
  ['rental', 'customer_id', 'customer', 'customer_id'],
  ['rental', 'staff_id', 'staff', 'staff_id'],
  ['payment', 'customer_id', 'customer', 'customer_id'],
  ['payment', 'staff_id', 'staff', 'staff_id'],
  ['payment', 'rental_id', 'rental', 'rental_id'],
];

/** Statements that make all tables, with or without their keys. */
export function rentalStatements({ keys }: { keys: boolean }): string[] {
  const tables = Object.entries(rentalRows).flatMap(([table, { columns, key, rows }]) => [
    `CREATE TABLE ${table} (${columns}${keys ? `, PRIMARY KEY (${key})` : ''})`,
    `INSERT INTO ${table} VALUES ${rows.map(row => `(${row.map(literal).join(', ')})`).join(', ')}`,
  ]);
  const references = foreignKeys.map(
    ([table, column, other, key], index) =>
      `ALTER TABLE ${table} ADD CONSTRAINT rental_${index} FOREIGN KEY (${column}) REFERENCES ${other} (${key})`,
  );
  return keys ? [...tables, ...references] : tables;
}

const links = ['film_actor', 'film_category'];

/** The expected counts: a node for each row, and an edge for each foreign key with a value. Each row of a link table is an edge. */
export function rentalCounts(): { nodes: Record<string, number>; edges: Record<string, number> } {
  const nodes = Object.fromEntries(
    Object.entries(rentalRows).flatMap(([table, { rows }]) => (links.includes(table) ? [] : [[table, rows.length]])),
  );
  const edges = foreignKeys.flatMap(([table, column]): [string, number][] => {
    const { columns, key, rows } = rentalRows[table]!;
    if (links.includes(table)) return [[`${table}: ${key}`, rows.length]];
    const place = columns.split(/, (?=\w+ )/).findIndex(each => each.startsWith(`${column} `));
    return [[`${table}: ${key}, ${column}`, rows.filter(row => row[place] !== null).length]];
  });
  return { nodes, edges: Object.fromEntries(edges) };
}

function literal(value: Value): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** The eleven tables of Chinook, a music shop (https://github.com/lerocha/chinook-database, MIT), with rows of our own. */
type Value = string | number | null;

interface ChinookTable {
  columns: string;
  key: string[];
  references: [column: string, table: string, key: string][];
  rows: Value[][];
}

const times = (count: number, row: (n: number) => Value[]): Value[][] => Array.from({ length: count }, (_, index) => row(index + 1));
const named = (word: string, count: number): Value[][] => times(count, n => [n, `${word} ${n}`]);
const oneOf = (n: number, count: number): number => (n % count) + 1;

export const chinookTables: Record<string, ChinookTable> = {
  Artist: { columns: 'ArtistId int, Name varchar(120)', key: ['ArtistId'], references: [], rows: named('Artist', 20) },
  Album: {
    columns: 'AlbumId int, Title varchar(160), ArtistId int',
    key: ['AlbumId'],
    references: [['ArtistId', 'Artist', 'ArtistId']],
    rows: times(30, n => [n, `Album ${n}`, oneOf(n, 20)]),
  },
  Genre: { columns: 'GenreId int, Name varchar(120)', key: ['GenreId'], references: [], rows: named('Genre', 6) },
  MediaType: { columns: 'MediaTypeId int, Name varchar(120)', key: ['MediaTypeId'], references: [], rows: named('Type', 5) },
  Track: {
    columns: 'TrackId int, Name varchar(200), AlbumId int, MediaTypeId int, GenreId int, Composer varchar(220), Milliseconds int, Bytes int, UnitPrice decimal(10,2)',
    key: ['TrackId'],
    references: [['AlbumId', 'Album', 'AlbumId'], ['MediaTypeId', 'MediaType', 'MediaTypeId'], ['GenreId', 'Genre', 'GenreId']],
    rows: times(200, n => [n, `Track ${n}`, oneOf(n, 30), oneOf(n, 5), n % 7 === 0 ? null : oneOf(n, 6), n % 3 === 0 ? null : 'C', 1000 * n, 7 * n, '0.99']),
  },
  Playlist: { columns: 'PlaylistId int, Name varchar(120)', key: ['PlaylistId'], references: [], rows: named('List', 8) },
  PlaylistTrack: {
    columns: 'PlaylistId int, TrackId int',
    key: ['PlaylistId', 'TrackId'],
    references: [['PlaylistId', 'Playlist', 'PlaylistId'], ['TrackId', 'Track', 'TrackId']],
    rows: times(300, n => [oneOf(n, 8), oneOf(n, 200)]).filter((row, at, all) => all.findIndex(each => each.join() === row.join()) === at),
  },
  Employee: {
    columns: 'EmployeeId int, LastName varchar(20), FirstName varchar(20), Title varchar(30), ReportsTo int, BirthDate timestamp, City varchar(40)',
    key: ['EmployeeId'],
    references: [['ReportsTo', 'Employee', 'EmployeeId']],
    rows: times(8, n => [n, `L${n}`, `F${n}`, 'T', n === 1 ? null : Math.ceil(n / 3), '1970-01-02 00:00:00', 'Calgary']),
  },
  Customer: {
    columns: 'CustomerId int, FirstName varchar(40), LastName varchar(20), Company varchar(80), Email varchar(60), SupportRepId int',
    key: ['CustomerId'],
    references: [['SupportRepId', 'Employee', 'EmployeeId']],
    rows: times(40, n => [n, `F${n}`, `L${n}`, null, `c${n}@example.com`, n % 9 === 0 ? null : oneOf(n, 8)]),
  },
  Invoice: {
    columns: 'InvoiceId int, CustomerId int, InvoiceDate timestamp, BillingCity varchar(40), Total decimal(10,2)',
    key: ['InvoiceId'],
    references: [['CustomerId', 'Customer', 'CustomerId']],
    rows: times(100, n => [n, oneOf(n, 40), '2024-05-06 07:08:09', 'Paris', '1.98']),
  },
  InvoiceLine: {
    columns: 'InvoiceLineId int, InvoiceId int, TrackId int, UnitPrice decimal(10,2), Quantity int',
    key: ['InvoiceLineId'],
    references: [['InvoiceId', 'Invoice', 'InvoiceId'], ['TrackId', 'Track', 'TrackId']],
    rows: times(250, n => [n, oneOf(n, 100), oneOf(n, 200), '0.99', 1]),
  },
}; // prettier-ignore

const quoted = (name: string): string => `"${name}"`;
const literal = (value: Value): string => (typeof value === 'string' ? `'${value}'` : String(value));

/** Statements that make and fill all tables, with or without their keys. */
export function chinookStatements({ keys }: { keys: boolean }): string[] {
  const made = Object.entries(chinookTables).flatMap(([table, { columns, key, rows }]) => [
    `CREATE TABLE ${quoted(table)} (${columns.replace(/(^|, )(\w+) /g, '$1"$2" ')}${keys ? `, PRIMARY KEY (${key.map(quoted).join(', ')})` : ''})`,
    `INSERT INTO ${quoted(table)} VALUES ${rows.map(row => `(${row.map(literal).join(', ')})`).join(', ')}`,
  ]);
  const references = Object.entries(chinookTables).flatMap(([table, { references: all }]) =>
    all.map(([column, other, key]) => `ALTER TABLE ${quoted(table)} ADD FOREIGN KEY (${quoted(column)}) REFERENCES ${quoted(other)} (${quoted(key)})`),
  ); // prettier-ignore
  return keys ? [...made, ...references] : made;
}

/** The expected counts: a node for each row of all tables but PlaylistTrack, and an edge for each reference with a value. */
export function chinookCounts(): { nodes: Record<string, number>; edges: Record<string, number> } {
  const nodes: Record<string, number> = {};
  const edges: Record<string, number> = {};
  for (const [table, { columns, key, references, rows }] of Object.entries(chinookTables)) {
    if (table === 'PlaylistTrack') {
      edges[`${table}: ${key.join(', ')}`] = rows.length;
      continue;
    }
    nodes[table] = rows.length;
    for (const [column] of references) {
      const place = columns.split(/, (?=\w+ )/).findIndex(each => each.startsWith(`${column} `));
      edges[`${table}: ${key.join(', ')}, ${column}`] = rows.filter(row => row[place] !== null).length;
    }
  }
  return { nodes, edges };
}

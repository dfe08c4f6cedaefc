import { quoteIdentifier, quoteTable } from '../sql/quote-identifier.js';
import { type TableDescription } from './manifest.js';

/** DDL for a table of the mirror or of a graph, whose description `findManifestFault` has checked. */
export function createTable({ schema, name, comment, columns }: TableDescription): string {
  const table = quoteTable(schema, name);
  const lines = columns.map(column => {
    const preset = column.default === null ? '' : ` DEFAULT ${column.default}`;
    return `${quoteIdentifier(column.name)} ${column.type}${preset}${column.not_null ? ' NOT NULL' : ''}`;
  });
  const comments = columns
    .filter(column => column.comment !== null)
    .map(column => `COMMENT ON COLUMN ${table}.${quoteIdentifier(column.name)} IS ${quoteText(column.comment!)}`);
  if (comment !== null) comments.push(`COMMENT ON TABLE ${table} IS ${quoteText(comment)}`);
  return [`CREATE TABLE ${table} (${lines.join(', ')})`, ...comments].join('; ');
}

/** DDL for the keys and indexes of a table, to be run after its rows are loaded. */
export function createIndexes({ schema, name, indexes }: TableDescription): string[] {
  const table = quoteTable(schema, name);
  return indexes.map(({ primary, unique, columns }) => {
    const list = `(${columns.map(quoteIdentifier).join(', ')})`;
    if (!primary && !unique) return `CREATE INDEX ON ${table} ${list}`;
    return `ALTER TABLE ${table} ADD ${primary ? 'PRIMARY KEY' : 'UNIQUE'} ${list}`;
  });
}

/** Quotes a text for a statement that takes no parameters. */
function quoteText(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

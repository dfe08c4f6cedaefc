import { isPlainName } from '../duckdb-dsn.js';

export type FileFormat = 'parquet' | 'csv' | 'json';

export interface TableFile {
  table: string;
  file: string;
  format: FileFormat;
}

const formats: Readonly<Record<string, FileFormat>> = {
  parquet: 'parquet',
  csv: 'csv',
  tsv: 'csv',
  'csv.gz': 'csv',
  'tsv.gz': 'csv',
  json: 'json',
  ndjson: 'json',
  jsonl: 'json',
  'json.gz': 'json',
  'ndjson.gz': 'json',
  'jsonl.gz': 'json',
};

/**
 * Finds the tables of a folder. A table has the name of its file without the ending. Tables that would have the same name keep the endings,
 * so that no file replaces another. DuckDB ignores case in names, so files whose names differ only in case are left out. Names that could
 * match several files are left out too.
 */
export function tablesOfFolder(files: readonly string[]): { tables: TableFile[]; leftOut: string[] } {
  const known = files.flatMap(file => {
    const [, bare = '', ending = ''] = /^(.+?)\.([a-z]+(?:\.gz)?)$/i.exec(file) ?? [];
    const format = formats[ending.toLowerCase()];
    return format ? [{ file, bare, format }] : [];
  });
  const byBare = countBy(known.map(({ bare }) => bare));
  const byFile = countBy(known.map(({ file }) => file));
  const named = known.map(({ file, bare, format }) => ({ file, format, table: byBare.get(bare.toLowerCase()) === 1 ? bare : file }));
  const byTable = countBy(named.map(({ table }) => table));
  const isTable = ({ file, table }: TableFile): boolean =>
    isPlainName(file) && byFile.get(file.toLowerCase()) === 1 && byTable.get(table.toLowerCase()) === 1;
  return {
    tables: named.filter(isTable).sort((a, b) => Buffer.compare(Buffer.from(a.table), Buffer.from(b.table))),
    leftOut: named
      .filter(table => !isTable(table))
      .map(({ file }) => file)
      .sort(),
  };
}

function countBy(names: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  return counts;
}

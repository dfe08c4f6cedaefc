import { graphIdOf } from '../database/graph-tables.js';
import { tableRights } from '../database/roles/table-rights.js';

export const formatVersion = 1;

/** First entry of a backup file: all facts that are needed to create the tables again. */
export interface Manifest {
  kind: 'graph-service backup';
  format: number;
  release: string;
  created_at: string;
  server_version: string;
  /** The names of the migrations that had been applied to the tables of `public`, the oldest first. */
  migrations: string[];
  /** The tables in the order in which the file has their rows: a table comes after the tables that its foreign keys refer to. */
  tables: TableDescription[];
  sequences: { schema: string; name: string; next: string }[];
}

export interface TableDescription {
  schema: 'public' | 'mirror' | 'graph_data';
  name: string;
  comment: string | null;
  columns: ColumnDescription[];
  /** The table's plain B-tree indexes. Empty for a table of `public`, whose indexes the migrations create. */
  indexes: { primary: boolean; unique: boolean; columns: string[] }[];
}

export interface ColumnDescription {
  name: string;
  /** The type as PostgreSQL's `format_type` writes it: `numeric(10,2)`, `text[]`. */
  type: string;
  not_null: boolean;
  /** The default as SQL, one of `knownDefaults`; null for none. */
  default: string | null;
  comment: string | null;
}

/**
 * Last entry of a backup file, for facts that are known only after the rows are written. `tables` is in the order of the manifest's tables.
 */
export interface Summary {
  manifest_sha256: string;
  tables: { rows: number; bytes: number; sha256: string }[];
}

/** The defaults that columns of graph tables have. A default becomes part of an SQL text, so no other default is taken from a file. */
export const knownDefaults = [`nextval('graph_data.node_ids'::regclass)`, `nextval('graph_data.edge_ids'::regclass)`, `'{}'::jsonb`];

/** The tables of `public` that a backup leaves out. */
const passingTables = new Set(['migrations', 'graph_changes', 'metric_results', 'query_claims', 'seen_versions']);
/** The tables of `public` that a backup contains. */
export const recordTables = Object.keys(tableRights).filter(name => !passingTables.has(name));

/** Matches the name of a type, with its schema and modifiers. It matches no other text, because the name becomes part of an SQL text. */
const typeName =
  /^(?:"(?:[^"\0]|"")+"|[a-z_][a-z0-9_]*)(?:\.(?:"(?:[^"\0]|"")+"|[a-z_][a-z0-9_]*))?(?: [a-z]+)*(?:\(\d+(?:,-?\d+)?\))?(?: [a-z]+)*(?:\[\])*$/;

/** Checks a manifest, which may have been written by hand. @returns what is wrong with the manifest, or null */
export function findManifestFault(value: unknown): string | null {
  const manifest = value as Manifest;
  if (typeof value !== 'object' || value === null || manifest.kind !== 'graph-service backup') return 'no backup of this service';
  if (!isInteger(manifest.format) || typeof manifest.release !== 'string') return 'manifest without format or release';
  if (manifest.format > formatVersion) return null;
  if (!isListOf(manifest.migrations, isText)) return 'manifest without migrations';
  if (!isListOf(manifest.sequences, isSequence)) return 'manifest with a wrong sequence';
  if (!Array.isArray(manifest.tables)) return 'manifest without tables';
  const wrong = (manifest.tables as unknown[]).findIndex(table => !isTable(table));
  if (wrong >= 0) return `manifest with a wrong table, number ${wrong + 1}`;
  const names = new Set(manifest.tables.map(({ schema, name }) => `${schema}.${name}`));
  return names.size === manifest.tables.length ? null : 'manifest with a table twice';
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isName = (value: unknown): boolean => isText(value) && value !== '' && !value.includes('\0') && Buffer.byteLength(value) <= 63;
const isInteger = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isComment = (value: unknown): boolean => value === null || (isText(value) && !value.includes('\0'));
const isListOf = (value: unknown, is: (each: unknown) => boolean): boolean => Array.isArray(value) && value.every(is);

function isSequence(value: unknown): boolean {
  const { schema, name, next } = (value ?? {}) as Partial<Manifest['sequences'][number]>;
  return (schema === 'public' || schema === 'graph_data') && isName(name) && isText(next) && /^\d{1,19}$/.test(next);
}

function isTable(value: unknown): boolean {
  const { schema, name, comment, columns, indexes } = (value ?? {}) as Partial<TableDescription>;
  if (!isName(name) || !isComment(comment) || !isListOf(columns, isColumn) || columns!.length === 0 || !Array.isArray(indexes))
    return false;
  const names = new Set(columns!.map(column => column.name));
  if (!(indexes as unknown[]).every(index => isIndex(index, names))) return false;
  if (schema === 'public') return recordTables.includes(name!);
  return schema === 'mirror' || (schema === 'graph_data' && graphIdOf(name!) !== null);
}

function isColumn(value: unknown): boolean {
  const { name, type, not_null: notNull, default: preset, comment } = (value ?? {}) as Partial<ColumnDescription>;
  const isPreset = preset === null || knownDefaults.includes(preset!);
  return isName(name) && isText(type) && typeName.test(type) && typeof notNull === 'boolean' && isPreset && isComment(comment);
}

function isIndex(value: unknown, names: ReadonlySet<string>): boolean {
  const { primary, unique, columns } = (value ?? {}) as Partial<TableDescription['indexes'][number]>;
  return typeof primary === 'boolean' && typeof unique === 'boolean' && isListOf(columns, each => names.has(each as string));
}

/** Checks the summary of a backup with `tables` tables. @returns what is wrong with the summary, or null */
export function findSummaryFault(value: unknown, tables: number): string | null {
  const summary = (value ?? {}) as Partial<Summary>;
  const isCount = (each: unknown): boolean => {
    const { rows, bytes, sha256 } = (each ?? {}) as Partial<Summary['tables'][number]>;
    return isInteger(rows) && isInteger(bytes) && isText(sha256);
  };
  if (!isText(summary.manifest_sha256) || !isListOf(summary.tables, isCount)) return 'wrong summary';
  return summary.tables!.length === tables ? null : 'summary of other tables';
}

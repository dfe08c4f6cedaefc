import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import {
  aggregateFunctions,
  castTypes,
  scalarFunctions,
  systemColumns,
  valueFunctions,
  windowFunctions,
} from '../../src/sql-guard/allow-lists.js';
import { selectNodes } from '../../src/sql-guard/node-rules.js';
import { tableRights } from '../../src/database/roles/table-rights.js';
import { loadSqlParser, parseSql, SqlSyntaxError } from '../../src/sql-guard/sql-parser.js';
import { nameParts, type NodeFields } from '../../src/sql-guard/walk-tree.js';
import { PostgresCatalog } from '../../src/warehouse/clients/postgres/postgres-catalog.js';
import { TableNames } from '../../src/warehouse/clients/postgres/table-names.js';

/**
 * Checks SQL of users once more, at the driver. The service sends each statement that contains such SQL with `queryMode: 'extended'`. Each
 * of these statements is parsed again. It may contain only nodes and functions that the guard admits, and those that the service itself
 * writes around the SQL of users. A test that sends another statement fails.
 */
const list = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/).filter(Boolean));

/** Nodes that the service itself writes, besides those that the guard admits. `ownFunctions` are such functions. */
const ownNodes = list('ParamRef RangeFunction CollateClause JsonIsPredicate ColumnDef');
const ownFunctions = list(`
  pg_temp.show_count jsonb_build_object jsonb_build_array jsonb_strip_nulls jsonb_agg to_jsonb array_agg pg_input_is_valid
  generate_series unnest jsonb_to_recordset jsonb_array_elements_text
`);

const ownTables: ReadonlySet<string> = new Set(Object.keys(tableRights).map(table => `public.${table}`));

const sent = new Set<string>();
const checked = new Set<string>();

let isOff = false;
/** Switches the check off, for test files that send arbitrary SQL to a warehouse without the service. */
export function allowAnyStatement(): void {
  isOff = true;
}

/** Services that this test file starts append their statements to this file, one JSON string on each line. */
const sentElsewhere = path.join(os.tmpdir(), `statements-${randomUUID()}`);
let linesRead = 0;

/** Node arguments with which a service records its statements, see note-statements.mjs. */
export const notesStatements: readonly string[] = [
  '--import',
  `${pathToFileURL(path.join(__dirname, 'note-statements.mjs')).href}?to=${encodeURIComponent(sentElsewhere)}`,
];

/** All test files of a worker share the driver. Under this key it keeps its original `query`. */
const unwatched = Symbol.for('query of the driver');

let isWatching = false;
/** Wraps the driver for this test file. After each test, checks the statements that the file and the services that it started have sent. */
export function checkStatements(): void {
  if (isWatching) return;
  isWatching = true;
  type Query = (...call: unknown[]) => unknown;
  const prototype = pg.Client.prototype as unknown as { query: Query; [unwatched]?: Query };
  // A file whose tests are all skipped leaves its wrapper in place, so the original `query` is kept under the key.
  const query = (prototype[unwatched] ??= prototype.query);
  Object.assign(prototype, {
    query(this: pg.Client, ...call: unknown[]) {
      const [config] = call as [{ queryMode?: unknown; text?: unknown } | undefined];
      if (config?.queryMode === 'extended' && !isOff) sent.add(String(config.text));
      return query.apply(this, call);
    },
  });
  afterEach(async () => {
    const refused = await refusedAtWire();
    if (refused.length > 0) throw new Error(`SQL that the guard does not admit was sent:\n${refused.join('\n')}`);
  });
  afterAll(() => {
    Object.assign(prototype, { query });
    rmSync(sentElsewhere, { force: true });
  });
}

/** @returns a text for each statement, sent since the last call, that contains something the guard does not admit */
export async function refusedAtWire(): Promise<string[]> {
  if (!isOff) noteSentElsewhere();
  const catalogueTexts = await (ofCatalogue ??= catalogueStatements());
  const statements = [...sent].filter(sql => !checked.has(sql) && !catalogueTexts.has(sql) && !isFixed(sql));
  sent.clear();
  if (statements.length > 0) await loadSqlParser();
  return statements.flatMap(sql => {
    checked.add(sql);
    const refused = refusedIn(sql);
    return refused.length === 0 ? [] : [`${refused.join(', ')} in\n${sql}`];
  });
}

function noteSentElsewhere(): void {
  if (!existsSync(sentElsewhere)) return;
  const lines = readFileSync(sentElsewhere, 'utf8').split('\n').slice(0, -1);
  for (const line of lines.slice(linesRead)) sent.add(JSON.parse(line) as string);
  linesRead = lines.length;
}

/** Statements on the catalogue contain no SQL of users. The set has all that {@link PostgresCatalog} makes. */
let ofCatalogue: Promise<ReadonlySet<string>> | undefined;
async function catalogueStatements(): Promise<ReadonlySet<string>> {
  const texts = new Set<string>();
  for (const isBare of [true, false]) {
    const read = (sql: string) => Promise.resolve(texts.add(sql) && []);
    const catalog = new PostgresCatalog(read, new TableNames(['s'], isBare));
    await Promise.all([catalog.listNames(), catalog.list('', 1), catalog.find('t'), catalog.describe('t')]);
  }
  return texts;
}

/** Statements that are contained word for word in these files have no SQL of users either. */
let sources: string[] | undefined;
function isFixed(sql: string): boolean {
  sources ??= ['clients/postgres/test-postgres.ts', 'mirror/mirror-versions.ts'].map(file =>
    readFileSync(path.resolve(__dirname, '../../src/warehouse', file), 'utf8'),
  );
  return sources.some(source => source.includes(sql));
}

/** Numbers of the options NO SCROLL (4) and WITH HOLD (32) of a cursor. PostgreSQL's parser adds 256, the plan for the first rows. */
const cursorOptions: ReadonlySet<number> = new Set([4 + 256, 4 + 32 + 256]);

/** Matches a condition of compile-proof.ts: it looks in the catalogue for a unique index that proves a join. */
const provenByIndex = new RegExp(
  String.raw`EXISTS (SELECT 1 FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS t ON t.oid = i.indrelid
    JOIN pg_catalog.pg_namespace AS n ON n.oid = t.relnamespace WHERE n.nspname = $0::text AND t.relname = $0::text
    AND (t.relkind = 'p' OR NOT t.relhassubclass) AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL
    AND i.indexprs IS NULL AND ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = i.indrelid
    AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])) <@ $0::text[])`
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\s+/g, '\\s+')
    .replaceAll('\\$0', '\\$\\d+'),
  'g',
);

/** @returns the parts that a statement with user SQL must not contain; empty if it has only what the service writes */
export function refusedIn(sql: string): string[] {
  const refused = new Set<string>();
  let statements: ReturnType<typeof parseSql>;
  try {
    statements = parseSql(sql.replace(provenByIndex, 'TRUE'));
  } catch (error) {
    // The server refuses a statement with a syntax error too.
    if (error instanceof SqlSyntaxError) return [];
    throw error;
  }
  if (statements.length !== 1) return [`${statements.length} statements`];
  checkTop(statements[0]!.stmt as Record<string, NodeFields>);
  return [...refused];

  function checkTop({
    SelectStmt: select,
    ExplainStmt: explain,
    InsertStmt: insert,
    CreateStmt: create,
    DeclareCursorStmt: cursor,
    FetchStmt: fetch,
    ...other
  }: Record<string, NodeFields>) {
    Object.keys(other).forEach(type => refused.add(type));
    if (select) visit({ SelectStmt: select });
    if (explain) {
      visit(explain.query);
      for (const { DefElem: option } of explain.options as { DefElem: NodeFields }[]) {
        if (option.defname !== 'format') refused.add(`EXPLAIN ${String(option.defname)}`);
      }
    }
    // DECLARE and FETCH read the rows of an export, see cursor-rows.ts.
    if (cursor) {
      if (cursor.portalname !== 'result' || !cursorOptions.has(Number(cursor.options))) refused.add('DECLARE');
      visit(cursor.query);
    }
    if (fetch && (fetch.portalname !== 'result' || fetch.direction !== 'FETCH_FORWARD' || fetch.ismove)) refused.add('FETCH');
    if (insert) {
      const { relation, selectStmt, cols: _, override: __, ...more } = insert as { relation: NodeFields } & NodeFields;
      Object.keys(more).forEach(key => refused.add(`INSERT ${key}`));
      if (relation.schemaname !== 'pg_temp') refused.add(`INSERT INTO ${String(relation.schemaname)}`);
      visit(selectStmt);
    }
    // CREATE TABLE makes copies of tables. The types of its columns come from another server.
    for (const { ColumnDef: column } of (create?.tableElts as { ColumnDef?: NodeFields }[] | undefined) ?? []) {
      const { typeName, constraints = [], colname: _, is_local: __, location: ___, ...more } = column ?? { other: true };
      Object.keys(more).forEach(key => refused.add(`CREATE TABLE … ${key}`));
      if (/^(reg|pg_)/.test(nameOf((typeName as NodeFields).names)))
        refused.add(`CREATE TABLE … ${nameOf((typeName as NodeFields).names)}`);
      for (const { Constraint: each } of constraints as { Constraint: NodeFields }[]) {
        if (each.contype !== 'CONSTR_NOTNULL') refused.add(String(each.contype));
      }
    }
  }

  function visit(node: unknown): void {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (/^[A-Z]/.test(key)) checkNode(key, value as NodeFields);
      else if (key === 'typeName') checkNode('TypeName', value as NodeFields);
      else if (['intoClause', 'lockingClause', 'recursive'].includes(key)) refused.add(key);
      visit(value);
    }
  }

  function checkNode(type: string, node: NodeFields): void {
    if (!Object.hasOwn(selectNodes, type) && !ownNodes.has(type)) refused.add(type);
    if (type === 'FuncCall') {
      const name = nameOf(node.funcname);
      if (![scalarFunctions, aggregateFunctions, windowFunctions, ownFunctions].some(each => each.has(name))) refused.add(`${name}()`);
    } else if (type === 'TypeName') {
      if (!castTypes.has(nameOf(node.names))) refused.add(`::${nameOf(node.names)}`);
    } else if (type === 'SQLValueFunction') {
      if (!valueFunctions.has(String(node.op))) refused.add(String(node.op));
    } else if (type === 'RangeVar') {
      const place = [node.schemaname, node.relname].filter(part => typeof part === 'string').join('.');
      if (/^(pg_(?!temp\.)|information_schema\.|graph_data\.)/i.test(place) || ownTables.has(place)) refused.add(`FROM ${place}`);
    } else if (type === 'ColumnRef') {
      const name = nameParts(node.fields).at(-1);
      if (name != null && systemColumns.has(name)) refused.add(name);
    } else if (type === 'A_Expr' && nameParts(node.name).length > 1 && nameParts(node.name)[0] !== 'pg_catalog') {
      refused.add(nameOf(node.name));
    }
  }
}

function nameOf(parts: unknown): string {
  return nameParts(parts).join('.').replace(/^pg_catalog\./, ''); // prettier-ignore
}

import { guessNamedKey, guessOtherKey } from './guess-keys.js';
import { guessReferences, type Referable } from '../../warehouse/references/guess-references.js';
import { ReferablesByName } from '../../warehouse/references/referables-by-name.js';
import { isOwnKey, namesForeignKey } from '../../text/key-names.js';
import { type TableColumn } from '../../warehouse/clients/warehouse.client.js';
import { type SourceProbe } from '../../warehouse/references/source-probe.js';
import { type LeftOut, type Reference, type RowKey, type SourceTable } from '../../warehouse/references/source-table.js';
import { declaredKey, resolveReferences } from './resolve-references.js';

/** A table with its key and its references to other tables. */
export interface KnownTable extends SourceTable {
  /** The columns that identify a row; null if no such columns were found. */
  key: RowKey | null;
  references: Reference[];
}

/**
 * Finds out the key and the references of each table. Declared keys and references come first. Names of columns suggest the others, and
 * counts of the source's rows confirm or refute the suggestions.
 */
export async function knowTables(sources: SourceTable[], probe: SourceProbe): Promise<{ tables: KnownTable[]; leftOut: LeftOut[] }> {
  const leftOut: LeftOut[] = [];
  const keys = new Map<string, RowKey | null>();
  for (const table of sources) keys.set(table.name, declaredKey(table) ?? (await guessNamedKey(table, sources, probe)));
  const byName = new Map(sources.map(table => [table.name, table]));
  const keyOf = (name: string) => {
    const table = byName.get(name);
    return table ? { table, key: keys.get(name) ?? null } : null;
  };
  const referable = sources.flatMap(table => {
    const [only, ...more] = keys.get(table.name)?.columns ?? [];
    return only === undefined || more.length > 0 ? [] : [{ table, key: only }];
  });
  const byWord = new ReferablesByName(referable);
  const tables: KnownTable[] = [];
  for (const table of sources) {
    const key = keys.get(table.name) ?? null;
    const declared = resolveReferences(table, keyOf);
    const inForeignKey = new Set(table.foreignKeys.flatMap(({ columns }) => columns));
    // A table with foreign keys is expected to declare all of its references to other tables, so only a reference to itself is guessed.
    const others = (column: TableColumn): Referable[] => {
      const named = inForeignKey.has(column.name) ? [] : byWord.for(table, column);
      return inForeignKey.size > 0 ? named.filter(other => other.table === table) : named;
    };
    const guessed = await guessReferences(table, key, others, probe);
    leftOut.push(...declared.leftOut, ...guessed.leftOut.filter(({ columns }) => columns.length > 0 || inForeignKey.size === 0));
    tables.push({ ...table, key, references: [...declared.references, ...guessed.references] });
  }
  for (const table of tables) {
    if (table.key) continue;
    const isReferredTo = tables.some(({ references }) => references.some(reference => reference.table === table.name));
    const guessed = await guessOtherKey(table, table.references, !isReferredTo && table.foreignKeys.length <= 2, probe);
    if ('key' in guessed) table.key = guessed.key;
    else leftOut.push({ table: table.name, columns: [], reason: guessed.reason });
  }
  const isResolved = await referToLateKeys(tables, tables.filter(({ name }) => !keys.get(name)), probe); // prettier-ignore
  const left = [...leftOut.filter(each => !isResolved(each)), ...dropMutual(tables)];
  return { tables, leftOut: [...left, ...referringNowhere(tables, left)] };
}

/**
 * Guesses the references to the tables `found`. Their keys were found last, by `guessOtherKey`, because the names of their columns do not
 * look like keys.
 * @returns a check whether an entry of `leftOut` now has its reference
 */
async function referToLateKeys(tables: KnownTable[], found: KnownTable[], probe: SourceProbe): Promise<(left: LeftOut) => boolean> {
  const referable = found.flatMap(table => (table.key?.columns.length === 1 ? [{ table, key: table.key.columns[0]! }] : []));
  const byWord = new ReferablesByName(referable);
  const resolved = new Set<string>();
  for (const table of referable.length > 0 ? tables.filter(({ foreignKeys }) => foreignKeys.length === 0) : []) {
    const taken = new Set(table.references.flatMap(({ columns }) => columns));
    const others = (column: TableColumn): Referable[] => (taken.has(column.name) ? [] : byWord.for(table, column));
    const { references } = await guessReferences(table, table.key, others, probe);
    table.references = [...table.references, ...references];
    for (const { columns } of references) resolved.add(JSON.stringify([table.name, columns]));
  }
  return ({ table, columns }) => resolved.has(JSON.stringify([table, columns]));
}

/**
 * Removes one of two guessed references by which the rows of two tables refer to each other with the keys of both. Both references would
 * make two edges of one fact. The reference to the table with the shorter name stays (`user_details` to `users`), whatever the order of the
 * tables.
 */
function dropMutual(tables: KnownTable[]): LeftOut[] {
  const byName = new Map(tables.map(table => [table.name, table]));
  const refersByKey = (from: KnownTable, to: string): Reference | undefined =>
    from.references.find(({ table, columns, evidence }) => evidence && table === to && columns.join() === from.key?.columns.join());
  return tables.flatMap(table => {
    const dropped = table.references.filter(reference => {
      const other = byName.get(reference.table);
      return other && isBase(table, other) && reference === refersByKey(table, other.name) && refersByKey(other, table.name);
    });
    table.references = table.references.filter(reference => !dropped.includes(reference));
    return dropped.map(({ columns }): LeftOut => ({ table: table.name, columns, reason: mutual }));
  });
}

/** Whether a table is the base of another by its name: the shorter one, or the first of two equally long ones. */
function isBase({ name }: KnownTable, other: KnownTable): boolean {
  return name.length === other.name.length ? name < other.name : name.length < other.name.length;
}

/** The columns that are named like references but refer to no table, of tables whose references were guessed. */
function referringNowhere(tables: KnownTable[], leftOut: LeftOut[]): LeftOut[] {
  const noted = new Set(leftOut.map(({ table, columns }) => JSON.stringify([table, columns])));
  return tables
    .filter(({ name, foreignKeys }) => foreignKeys.length === 0 && !noted.has(JSON.stringify([name, []])))
    .flatMap((table): LeftOut[] => {
      const known = new Set([...table.references.flatMap(({ columns }) => columns), ...(table.key?.columns ?? [])]);
      const isLost = ({ name }: TableColumn): boolean => namesForeignKey(name) && !known.has(name) && !isOwnKey(name, table);
      const lost = table.columns.filter(isLost).map(({ name }) => name);
      const columns = lost.filter(name => !noted.has(JSON.stringify([table.name, [name]])));
      return columns.length > 0 ? [{ table: table.name, columns, reason: noTable }] : [];
    });
}

const noTable = {
  zh: '名称像是引用，但本草稿的表中没有以此为键的表，因此没有这条关系',
  en: 'it is named like a reference, but no table of this draft has such a key, so there is no such edge',
};
const mutual = {
  zh: '两张表以各自的键互相引用；草稿中只有一条关系',
  en: 'the two tables refer to each other by the keys of both; the draft has one of the two edges',
};

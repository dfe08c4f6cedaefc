import { guessNamedKey, guessOtherKey } from './guess-keys.js';
import { guessReferences } from '../../warehouse/references/guess-references.js';
import { ReferablesByName } from '../../warehouse/references/referables-by-name.js';
import { type SourceProbe } from '../../warehouse/references/source-probe.js';
import { type LeftOut, type Reference, type RowKey, type SourceTable } from '../../warehouse/references/source-table.js';
import { declaredKey, resolveReferences } from './resolve-references.js';

/** A table with its key and its references to other tables. */
export interface KnownTable extends SourceTable {
  /** The columns that identify a row; null if no columns do. */
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
    const found =
      table.foreignKeys.length > 0
        ? resolveReferences(table, keyOf)
        : await guessReferences(table, key, column => byWord.for(table, column), probe);
    leftOut.push(...found.leftOut);
    tables.push({ ...table, key, references: found.references });
  }
  for (const table of tables) {
    if (table.key) continue;
    const isReferredTo = tables.some(({ references }) => references.some(reference => reference.table === table.name));
    const guessed = await guessOtherKey(table, table.references, !isReferredTo && table.foreignKeys.length <= 2, probe);
    if ('key' in guessed) table.key = guessed.key;
    else leftOut.push({ table: table.name, columns: [], reason: guessed.reason });
  }
  return { tables, leftOut };
}

import { type Bilingual } from '../../text/bilingual.js';
import { keyKind, mayBeKey } from './column-types.js';
import { fitOfNames, isKeyName, refersToOwnTable, wordIn } from '../../text/key-names.js';
import { type Probe } from './probe.js';
import { type LeftOut, type Reference, type RowKey, type SourceTable } from './source-table.js';

/** A table that others may refer to by one column. */
interface Referable {
  table: SourceTable;
  key: string;
}

/**
 * The references of a table without foreign keys: columns that are named like the key of another table, have its type, and hold only
 * values that are keys there. A name without values proves nothing, and values without a name neither.
 */
export async function guessReferences(
  table: SourceTable,
  key: RowKey | null,
  others: Referable[],
  probe: Probe,
): Promise<{ references: Reference[]; leftOut: LeftOut[] }> {
  const references: Reference[] = [];
  const leftOut: LeftOut[] = [];
  for (const column of table.columns.filter(mayBeKey)) {
    const isOwnKey = key?.columns.length === 1 && key.columns[0] === column.name;
    const fitting = others.flatMap(other => {
      const target = other.table.columns.find(({ name }) => name === other.key)!;
      const fit = other.table === table ? Number(refersToOwnTable(column.name)) * 3 : fitOf(table, column.name, other);
      const isSame = other.table === table && other.key === column.name;
      return isSame || keyKind(target) !== keyKind(column) || fit === 0 || (isOwnKey && fit < 3) ? [] : [{ other, fit }];
    });
    const best = Math.max(...fitting.map(({ fit }) => fit));
    const found: Reference[] = [];
    let reason: Bilingual | null = null;
    for (const { other } of fitting.filter(({ fit }) => fit === best)) {
      const overlap = await probe.overlap({ table, column: column.name }, { table: other.table, column: other.key });
      if (!overlap) reason = notChecked;
      else if (overlap.sampled === 0) reason = noValues;
      else if (overlap.found < overlap.sampled) reason = notFound(overlap.found, overlap.sampled);
      else found.push({ columns: [column.name], table: other.table.name, references: [other.key], evidence: { ...overlap } });
    }
    if (found.length > 1) reason = ambiguous;
    if (found.length === 1) references.push(found[0]!);
    // A word such as `units_on_order` only sounds like one.
    else if (reason && isKeyName(column.name)) leftOut.push({ table: table.name, columns: [column.name], reason });
  }
  return { references, leftOut };
}

/** By the names of the column and the table, or by their comments where those are one word. */
function fitOf({ columns }: SourceTable, column: string, { table, key }: Referable): number {
  const comment = wordIn(columns.find(({ name }) => name === column)?.comment ?? null);
  const keyComment = wordIn(table.columns.find(({ name }) => name === key)?.comment ?? null);
  const called = [column, ...(comment === null ? [] : [comment])];
  const tables = [table.bareName, ...(wordIn(table.comment) === null ? [] : [wordIn(table.comment)!])];
  const keys = [key, ...(keyComment === null ? [] : [keyComment])];
  return Math.max(...called.flatMap(name => tables.flatMap(other => keys.map(each => fitOfNames(name, other, each)))));
}

function notFound(found: number, sampled: number): Bilingual {
  return {
    zh: `名称像是引用，但抽查的 ${sampled} 个值中只有 ${found} 个是那张表的键，因此没有这条关系`,
    en: `it is named like a reference, but only ${found} of ${sampled} values that were looked up are keys there, so there is no edge`,
  };
}

const noValues = {
  zh: '名称像是引用，但没有值可以核对，因此没有这条关系',
  en: 'it is named like a reference, but has no values to check that by, so there is no edge',
};
const notChecked = {
  zh: '名称像是引用，但未能在时限内核对其值，因此没有这条关系',
  en: 'it is named like a reference, but its values could not be checked in time, so there is no edge',
};
const ambiguous = {
  zh: '名称与值同样符合多张表，无法判断所引用的是哪一张',
  en: 'it fits several tables alike, by its name and its values, so it is not clear which it refers to',
};

import { type Bilingual } from '../../text/bilingual.js';
import { isReadable, keyKind, matchKind } from '../../warehouse/references/key-kind.js';
import { type LeftOut, type Reference, type RowKey, type SourceTable } from '../../warehouse/references/source-table.js';

/** The most columns that the key of a mapping may have. */
const mostKeyColumns = 32;

/**
 * The declared key of a table: the primary key, or else the first unique constraint whose columns are never empty. Null if there is none.
 */
export function declaredKey({ keys, columns }: SourceTable): RowKey | null {
  const isUsable = (names: string[], primary: boolean): boolean =>
    names.length > 0 &&
    names.length <= mostKeyColumns &&
    names.every(name => {
      const column = columns.find(each => each.name === name);
      return column !== undefined && isReadable(column) && keyKind(column) !== null && (primary || !column.nullable);
    });
  const found = keys.find(({ primary, columns: names }) => isUsable(names, primary));
  return found ? { columns: found.columns, evidence: null } : null;
}

/**
 * The declared foreign keys of a table that lead to the key of another table. All other foreign keys are returned in `leftOut`, with the
 * reason why they make no edge. A foreign key that repeats another one is ignored.
 */
export function resolveReferences(
  table: SourceTable,
  keyOf: (name: string) => { table: SourceTable; key: RowKey | null } | null,
): { references: Reference[]; leftOut: LeftOut[] } {
  const references: Reference[] = [];
  const leftOut: LeftOut[] = [];
  const seen = new Set<string>();
  for (const { columns, table: other, references: referred } of table.foreignKeys) {
    const found = keyOf(other);
    const same = JSON.stringify([columnSet(columns), other]);
    if (seen.has(same)) continue;
    seen.add(same);
    const problem = problemOf(table, columns, referred, found);
    if (problem) leftOut.push({ table: table.name, columns, reason: problem });
    else references.push({ columns, table: found!.table.name, references: referred, evidence: null });
  }
  return { references, leftOut };
}

function problemOf(
  table: SourceTable,
  columns: string[],
  referred: string[],
  found: { table: SourceTable; key: RowKey | null } | null,
): Bilingual | null {
  if (!found) return notDrafted;
  if (!found.key) return noKey;
  if (columnSet(referred) !== columnSet(found.key.columns)) return otherKey;
  if (new Set(columns).size < columns.length) return sameColumnTwice;
  const kindOf = ({ columns: own }: SourceTable, name: string): string | null => {
    const column = own.find(each => each.name === name);
    return column && isReadable(column) ? matchKind(column) : null;
  };
  const fits = columns.every((column, index) => {
    const kind = kindOf(table, column);
    return kind !== null && kind === kindOf(found.table, referred[index]!);
  });
  return fits ? null : otherType;
}

/** A text that is equal for equal sets of columns, whatever their order. */
function columnSet(columns: readonly string[]): string {
  return JSON.stringify([...columns].sort());
}

const notDrafted = {
  zh: '外键所指的表不可读，或不在本草稿之中，因此没有这条关系',
  en: 'its foreign key leads to a table that cannot be read or is not drafted here, so there is no edge',
};
const noKey = {
  zh: '外键所指的表没有可用的主键，因此没有这条关系',
  en: 'its foreign key leads to a table without a usable key, so there is no edge',
};
const otherKey = {
  zh: '外键所指的不是该节点的主键；可用 query 连接两表，取得主键后再映射',
  en: 'its foreign key leads to other columns than the key of the node; join the two tables in a query that yields the key',
};
const sameColumnTwice = {
  zh: '外键两次使用同一列，match 无法表达',
  en: 'its foreign key uses a column twice, which a match cannot say',
};
const otherType = {
  zh: '外键列与主键列的类型不同，同一个值可能写法不同；可用 query 转换类型',
  en: 'its foreign key and the key have different types, so one value may be written in two ways; convert it in a query',
};

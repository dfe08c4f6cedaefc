import { Pace } from '../../common/turns/pace.js';
import { type Bilingual } from '../../text/bilingual.js';
import { fitOfNames, fitOfOwnTable, isKeyName, meaningOf, shareName, withWord } from '../../text/key-names.js';
import { type TableColumn } from '../clients/warehouse.client.js';
import { matchKind, mayRefer } from './key-kind.js';
import { type Overlap, type SourceProbe } from './source-probe.js';
import { type LeftOut, type Reference, type RowKey, type SourceTable } from './source-table.js';

/** Maximum number of tables that the reason for a rejected reference names. */
const mostNamed = 5;

/** A table that other tables may refer to by the one column `key`. */
export interface Referable {
  table: SourceTable;
  key: string;
  /** True if nobody has checked yet that the keys are unique. */
  mayRepeat?: boolean;
}

export interface GuessedReference extends Reference {
  evidence: Overlap;
}

/**
 * Guesses the references of a table without foreign keys. A column is a reference if its name fits the key of another table, it has the
 * type of that key, and all its sampled values are keys there. Neither the name nor the values alone are enough.
 * @param othersFor the tables to which a column could refer
 */
export async function guessReferences(
  table: SourceTable,
  key: Pick<RowKey, 'columns'> | null,
  othersFor: (column: TableColumn) => Referable[] | Promise<Referable[]>,
  probe: SourceProbe,
): Promise<{ references: GuessedReference[]; leftOut: LeftOut[] }> {
  const references: GuessedReference[] = [];
  const leftOut: LeftOut[] = [];
  const pace = new Pace();
  const keys = new Map<Referable, TableColumn>();
  const keyOf = (other: Referable): TableColumn => {
    const column = keys.get(other) ?? other.table.columns.find(({ name }) => name === other.key)!;
    keys.set(other, column);
    return column;
  };
  for (const column of table.columns.filter(mayRefer)) {
    if (pace.isOverdue) await pace.turn();
    if (probe.isOver) {
      leftOut.push({ table: table.name, columns: [], reason: notCompared });
      break;
    }
    const isOwnKey = key?.columns.length === 1 && key.columns[0] === column.name;
    const named = (await othersFor(column)).flatMap(other => {
      const target = keyOf(other);
      const fit = other.table === table ? fitOfOwn(column, table, target) : fitOf(column, other.table, target);
      const isSame = other.table === table && other.key === column.name;
      // The table's own key may also refer to another table, but a key with a role in its name, such as `billing_customer_id`, does not.
      // Row numbers such as 序号 and `line_no` begin with 1 in every table, so two numeric keys of the same name prove nothing.
      const isOwnOnly = isOwnKey && (fit === 2 || (fit === 1 && matchKind(column) === 'number'));
      return isSame || fit === 0 || isOwnOnly ? [] : [{ other, fit, isAlike: matchKind(target) === matchKind(column) }];
    });
    const fitting = named.filter(({ isAlike }) => isAlike);
    const best = Math.max(...fitting.map(({ fit }) => fit));
    const found: GuessedReference[] = [];
    let reason = fitting.length === 0 && named[0] ? otherKind(named[0].other) : null;
    for (const { other } of fitting.filter(({ fit }) => fit === best)) {
      const checked = await check(table, column.name, other, probe);
      if ('reason' in checked) ({ reason } = checked);
      else found.push({ columns: [column.name], table: other.table.name, references: [other.key], evidence: checked });
    }
    if (found.length > 1) reason = ambiguous(found.map(each => each.table));
    if (found.length === 1) references.push(found[0]!);
    // A column such as `units_on_order` is not named like a key, so its rejection is not reported.
    else if (reason && isKeyName(column.name)) leftOut.push({ table: table.name, columns: [column.name], reason });
  }
  return { references, leftOut };
}

/** Checks a guessed reference against the data. @returns its evidence, or the reason why it is not a reference */
async function check(
  table: SourceTable,
  column: string,
  { table: other, key, mayRepeat = false }: Referable,
  probe: SourceProbe,
): Promise<Overlap | { reason: Bilingual }> {
  const overlap = await probe.overlap({ table, column }, { table: other, column: key });
  if (!overlap) return { reason: notChecked };
  if (overlap.sampled === 0) return { reason: noValues };
  if (overlap.found < overlap.sampled) return { reason: notFound(other.name, overlap) };
  if (!mayRepeat) return overlap;
  const count = await probe.countKey(other, [key]);
  if (!count) return { reason: notChecked };
  return count.distinct < count.rows ? { reason: notUnique(other.name, key) } : overlap;
}

/** Score for how well a column's name fits a reference to its own table: by a word such as `parent`, or by a role before the row's name. */
function fitOfOwn(column: TableColumn, table: SourceTable, key: TableColumn): number {
  const tables = [...withWord(table.bareName, table.comment), ...meaningOf(key.name)];
  const byRole = Math.max(...withWord(column.name, column.comment).map(name => fitOfOwnTable(name, tables)));
  // In the table customers, `customer_id` is a further key of the same row, while `billing_customer_id` refers to another customer.
  if (byRole > 0) return byRole;
  // Small numbers, such as those of `beds_per_room`, are often all keys of the table rooms by accident. So a column of numbers must also be
  // named like a key. Texts need not.
  const isLikeKey = matchKind(column) !== 'number' || withWord(column.name, column.comment).some(isKeyName);
  return isLikeKey && fitOf(column, table, key) === 2 ? 2 : 0;
}

/** Score for how well the names of a column, a table and the table's key fit together. A comment of one word counts as a further name. */
function fitOf(column: TableColumn, table: SourceTable, key: TableColumn): number {
  const called = withWord(column.name, column.comment);
  const tables = withWord(table.bareName, table.comment);
  const keys = withWord(key.name, key.comment);
  const fit = Math.max(...called.flatMap(name => tables.flatMap(other => keys.map(each => fitOfNames(name, other, each)))));
  // If all values of a text column are keys of another table, this is hardly an accident. So an equal name is enough, even if it does not
  // sound like a key.
  return fit === 0 && matchKind(column) === 'text' && shareName(column.name, key.name) ? 1 : fit;
}

function notFound(table: string, { found, sampled }: Overlap): Bilingual {
  return {
    zh: `名称像是引用表 ${table}，但抽查的 ${sampled} 个值中只有 ${found} 个是其键，因此不作为引用`,
    en: `it is named like a reference to ${table}, but only ${found} of ${sampled} values that were looked up are keys there, so it is taken for none`,
  };
}

function notUnique(table: string, key: string): Bilingual {
  return {
    zh: `名称像是引用表 ${table}，但其 ${key} 有重复或空缺，因此不作为引用`,
    en: `it is named like a reference to ${table}, but ${key} is there more than once or missing, so it is taken for none`,
  };
}

function ambiguous(tables: string[]): Bilingual {
  const list = tables.slice(0, mostNamed).join(', ');
  return {
    zh: `名称与值同样符合多张表，无法判断所引用的是哪一张：${list}`,
    en: `it fits several tables alike, by its name and its values, so it is not clear which it refers to: ${list}`,
  };
}

function otherKind({ table: { name }, key }: Referable): Bilingual {
  return {
    zh: `名称像是引用表 ${name}，但其 ${key} 是另一种类型的值，因此不作为引用`,
    en: `it is named like a reference to ${name}, but ${key} there holds values of another type, so it is taken for none`,
  };
}

const noValues = {
  zh: '名称像是引用，但没有值可以核对，因此不作为引用',
  en: 'it is named like a reference, but has no values to check that by, so it is taken for none',
};
const notChecked = {
  zh: '名称像是引用，但未能在时限内核对其值，因此不作为引用',
  en: 'it is named like a reference, but its values could not be checked in time, so it is taken for none',
};
const notCompared = {
  zh: '时限已到，其余的列未与其他表的键比较，可能还有引用；请减少表的数量，或在映射中自行写明',
  en: 'the time was over before all of its columns were compared with the keys of other tables, so it may have further references; ask for fewer tables, or write them into the mapping',
};

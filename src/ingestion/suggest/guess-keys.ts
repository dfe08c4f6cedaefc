import { Pace } from '../../common/turns/pace.js';
import { type Bilingual } from '../../text/bilingual.js';
import { isKeyName, isOwnKey, namesRowOf } from '../../text/key-names.js';
import { isReadable, keyKind, mayBeKey, mayRefer } from '../../warehouse/references/key-kind.js';
import { type KeyCount, type SourceProbe } from '../../warehouse/references/source-probe.js';
import { type Evidence, type Reference, type RowKey, type SourceTable } from '../../warehouse/references/source-table.js';

/** Maximum number of columns without a key-like name that are tried alone as a key, and of columns whose pairs are tried. */
const mostUnnamed = 5;
const mostInPairs = 5;
/** Maximum number of columns that are tried, one at a time, in the key of a link table beside its ends. */
const mostBesideEnds = 6;

type Guessed = { key: RowKey } | { reason: Bilingual };

/**
 * Guesses the key of a table that declares none: the likeliest unique column with a name like that of a key. Null if no such column is
 * unique.
 */
export async function guessNamedKey(table: SourceTable, all: SourceTable[], probe: SourceProbe): Promise<RowKey | null> {
  const keys = table.columns.filter(column => mayRefer(column) && isKeyName(column.name)).map(({ name }) => name);
  const own = keys.filter(name => isOwnKey(name, table));
  const others: string[] = [];
  const pace = new Pace();
  for (const name of keys) {
    if (pace.isOverdue) await pace.turn();
    if (!own.includes(name) && !all.some(other => other !== table && namesRowOf(name, other))) others.push(name);
  }
  for (const name of [...own, ...others]) {
    const count = await probe.countKey(table, [name], { mayBeSample: own.includes(name) });
    if (count && isUnique(count)) return { columns: [name], evidence: evidenceOf(count) };
  }
  return null;
}

/**
 * Guesses the key of a table whose column names suggest none. It tries the ends of a link table, then single columns, then pairs of
 * columns. If no key is found, the result is the reason.
 */
export async function guessOtherKey(table: SourceTable, references: Reference[], mayLink: boolean, probe: SourceProbe): Promise<Guessed> {
  const columns = table.columns.filter(column => isReadable(column) && ['whole', 'text', 'uuid', 'date'].includes(keyKind(column) ?? ''));
  if (columns.length === 0) return { reason: noKey };
  const empty = await probe.countKey(table, [columns[0]!.name], { mayBeSample: true });
  if (!empty) return { reason: notChecked };
  if (empty.rows === 0) return { reason: noRows };
  if (mayLink && references.length === 2) {
    const link = await guessLinkKey(
      table,
      references,
      columns.map(({ name }) => name),
      probe,
    );
    if (link) return link;
  }
  const referring = new Set(references.flatMap(reference => reference.columns));
  // A number is usually a measure if its name does not look like a key. So a number is tried alone only as the first column of the table.
  const single = columns.filter(
    (column, index) => !referring.has(column.name) && mayBeKey(column) && (index === 0 || keyKind(column) === 'text'),
  );
  for (const { name } of single.slice(0, mostUnnamed)) {
    const count = await probe.countKey(table, [name]);
    if (count && isUnique(count)) return { key: { columns: [name], evidence: evidenceOf(count) } };
  }
  const byName = [...columns].sort((a, b) => Number(isKeyName(b.name)) - Number(isKeyName(a.name))).slice(0, mostInPairs);
  for (const [index, first] of byName.entries()) {
    for (const second of byName.slice(index + 1)) {
      const count = await probe.countKey(table, [first.name, second.name]);
      if (!count) return { reason: notChecked };
      if (isUnique(count)) return { key: { columns: [first.name, second.name], evidence: evidenceOf(count) } };
    }
  }
  return { reason: noKey };
}

/**
 * The key of a link table: the columns of both ends, and one more column if the pairs of ends repeat. Only rows with both ends count,
 * because other rows make no edge. Null if the pairs repeat even with one more column.
 */
async function guessLinkKey(table: SourceTable, references: Reference[], columns: string[], probe: SourceProbe): Promise<Guessed | null> {
  const ends = [...new Set(references.flatMap(reference => reference.columns))];
  const count = await probe.countKey(table, ends);
  if (!count) return { reason: notChecked };
  if (count.filled === count.distinct) return { key: { columns: ends, evidence: evidenceOf(count) } };
  for (const name of columns.filter(each => !ends.includes(each)).slice(0, mostBesideEnds)) {
    const more = await probe.countKey(table, [...ends, name]);
    if (more && more.filled === count.filled && more.distinct === more.filled) {
      return { key: { columns: [...ends, name], evidence: evidenceOf(more) } };
    }
  }
  return null;
}

function isUnique({ rows, filled, distinct }: KeyCount): boolean {
  return rows > 0 && filled === rows && distinct === rows;
}

function evidenceOf({ rows, distinct, isSample }: KeyCount): Evidence {
  return { rows, distinct, checked: isSample ? 'sample' : 'all' };
}

const noKey = {
  zh: '没有声明键，也没有一列或两列能标识每一行；可用 query 给出键列后再映射',
  en: 'no key is declared, and no one or two columns tell its rows apart; map a query that yields such columns',
};
const noRows = {
  zh: '没有声明键，也没有行可以据以推测',
  en: 'no key is declared, and it has no rows by which to guess one',
};
const notChecked = {
  zh: '没有声明键，推测的键未能在时限内核对',
  en: 'no key is declared, and none could be checked in time',
};

import { type Bilingual } from '../../text/bilingual.js';
import { nearestName } from '../../text/nearest-name.js';
import { isChinese, relationWordsOf } from '../../text/key-names.js';
import { isSensitiveName } from '../../text/sensitive-names.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { type ForeignKey, type TableColumn } from '../../warehouse/clients/warehouse.client.js';
import { type GuessedReference } from '../../warehouse/references/guess-references.js';
import { type Overlap } from '../../warehouse/references/source-probe.js';
import { type LeftOut } from '../../warehouse/references/source-table.js';
import { type BindableTable } from './bindable-tables.js';
import { type BindingDimension, type BindingRequest } from './binding.dto.js';
import { defaultColumns, defaultDimensions, isIdentifier } from './binding-expressions.js';

/** A table that a draft reads, under its alias. */
export interface DraftTable extends BindableTable {
  alias: string;
}

/** A joined table of a draft: `from` is the table that refers to it, by `key`. */
export interface DraftJoin extends DraftTable {
  from: DraftTable | DraftJoin;
  key: ForeignKey | GuessedReference;
}

export interface BindingDraft {
  binding: BindingRequest;
  /**
   * The chosen time column and other candidates; null if the tables have none. `asksForZone`: the time zone decides on which day a row
   * lies, and the caller gave none.
   */
  time: { chosen: TimeColumn; alternatives: TimeColumn[]; asksForZone: boolean } | null;
  /** The names of a formula, each with the column that was found for it. */
  found: { name: string; column: string }[];
  notFound: { name: string; nearest: string | null }[];
  leftOut: LeftOut[];
  /** The joins whose keys no table declares. */
  guessed: { table: string; alias: string; evidence: Overlap }[];
}

export interface TimeColumn {
  column: string;
  type: string;
}

/** Maximum columns, dimensions and entities of a draft. A binding of this size stays within the maximum characters even with long names. */
const mostColumns = 150;
const mostDimensions = 60;
const mostEntities = 20;
/** Maximum unknown names of a formula for which the draft gives the nearest known name. */
const mostNearest = 20;

/**
 * Drafts a binding from the descriptions of its tables.
 * @param joins joined tables, each after the table that refers to it
 * @param names the columns that a formula names, as SQL reads the names
 */
export function draftBinding(
  connectionId: number,
  fact: DraftTable,
  joins: DraftJoin[],
  names: readonly string[],
  timezone: string | null,
): BindingDraft {
  const usable = defaultColumns({ alias: fact.alias, source: { schema: '', table: fact.name }, columns: fact.columns });
  // Columns that the formula names are kept before others when the maximum is reached.
  const named = new Set(names.map(name => name.toLowerCase()));
  const isNamed = (name: string) => named.has(name.toLowerCase());
  const secret = new Set(Object.keys(usable).filter(name => !isNamed(name) && isSensitiveName(name)));
  const open = Object.keys(usable).filter(name => !secret.has(name));
  const kept = new Set([...open.filter(isNamed), ...open.filter(name => !isNamed(name))].slice(0, mostColumns));
  const columns: Record<string, string> = {};
  for (const [name, expression] of Object.entries(usable)) if (kept.has(name)) columns[name] = expression;
  const leftOut: LeftOut[] = [];
  leave(
    fact,
    fact.columns.map(({ name }) => name).filter(name => !Object.hasOwn(columns, name) && !secret.has(name)),
    unusable,
  );
  leave(fact, [...secret], sensitive);
  for (const table of [fact, ...joins]) leave(table, table.unbindable, unbindable);
  for (const join of joins)
    leave(
      join,
      join.columns.map(({ name }) => name).filter(name => !isNamed(name) && isSensitiveName(name)),
      sensitive,
    );

  const primary = fact.keys.find(key => key.primary)?.columns ?? [];
  const dimensions = dimensionsOf(fact, joins, columns, primary);
  const { found, notFound } = findNames(names, fact, joins, columns, dimensions);
  const times = [fact, ...joins].flatMap(timesOf).sort((a, b) => a.rank - b.rank);
  const [chosen, ...alternatives] = times.map(({ column, type }) => ({ column, type }));
  const entities = [...new Set([...primary, ...fact.foreignKeys.flatMap(key => key.columns)])].filter(name => Object.hasOwn(columns, name));
  const binding: BindingRequest = {
    connection_id: connectionId,
    relation: { table: fact.name },
    alias: fact.alias,
    grain: primary.length <= 16 ? primary.map(name => columnOf(fact, name)) : [],
    time: chosen ? { column: chosen.column, ...(timezone !== null && { timezone }) } : null,
    columns,
    dimensions,
    entities: entities.slice(0, mostEntities).map(name => ({ name, column: name })),
    joins: joins.map(({ name, alias, from, key }) => ({
      table: name,
      alias,
      relationship: 'many_to_one',
      on: key.columns.map((column, at): [string, string] => [columnOf(from, column), columnOf({ alias }, key.references[at]!)]),
    })),
  };
  const guessed = joins.flatMap(({ name, alias, key }) => ('evidence' in key ? [{ table: name, alias, evidence: key.evidence }] : []));
  const asksForZone = chosen !== undefined && timezone === null && chosen.type !== 'date';
  return { binding, time: chosen ? { chosen, alternatives, asksForZone } : null, found, notFound, leftOut, guessed };

  function leave({ name: table }: DraftTable, names: string[], reason: Bilingual): void {
    if (names.length > 0) leftOut.push({ table, columns: names, reason });
  }
}

const unusable = {
  zh: `名称不能用作列名，或列数超过 ${mostColumns}`,
  en: `its name cannot be used, or there are more than ${mostColumns} columns`,
};

const unbindable = {
  zh: '名称过长或含双引号，或该类连接不能绑定这种类型的列',
  en: 'its name is too long or has a double quote, or metrics on such a connection cannot read its type',
};

const sensitive = {
  zh: '名称像是密码、令牌、证件号之类，没有列入；需要时请自行加上',
  en: 'it is named like a password, a token or the number of a document, so it is not among the columns and dimensions; add it if it is needed',
};

/**
 * Types of columns that can be dimensions: text and booleans. A column that alone is a key is left out, because it tells rows apart and
 * does not group them.
 */
const groups = /^(text|varchar|char|bpchar|citext|boolean)\b/;

function dimensionsOf(fact: DraftTable, joins: DraftJoin[], columns: Record<string, string>, primary: string[]): BindingDimension[] {
  const own = fact.columns.filter(
    ({ name, type }) => Object.hasOwn(columns, name) && groups.test(type) && !isOnly(primary, name) && !isSensitiveName(name),
  );
  const ownNames = Object.fromEntries(own.map(({ name }) => [name, columns[name]!]));
  const dimensions = defaultDimensions(ownNames);
  const taken = new Set([...Object.keys(columns), 'period', 'value']);
  for (const join of joins) {
    const roles = rolesOf(join, joins);
    for (const { name } of join.columns.filter(
      each => groups.test(each.type) && !isOnly(join.key.references, each.name) && !isSensitiveName(each.name),
    )) {
      const free = [nameInRole(name, roles), `${join.alias}_${name}`].find(each => isName(each) && !taken.has(each));
      if (free === undefined) continue;
      taken.add(free);
      dimensions.push({ name: free, column: columnOf(join, name) });
    }
  }
  return dimensions.slice(0, mostDimensions);
}

/**
 * The roles that tell a joined table from others of the draft: payer, region. Empty for a table that the draft reaches in one way. The
 * roles are those of the keys from the fact table on, without those that all joins of the table share.
 */
function rolesOf(join: DraftJoin, joins: readonly DraftJoin[]): string[] {
  const paths = joins.filter(({ name }) => name === join.name).map(pathOf);
  const path = pathOf(join);
  if (paths.length > 1) return path.slice(path.findIndex((role, at) => paths.some(other => other[at] !== role)));
  const before = 'key' in join.from ? rolesOf(join.from, joins) : [];
  return before.length > 0 ? [...before, roleOf(join)] : [];
}

function pathOf(join: DraftJoin): string[] {
  return [...('key' in join.from ? pathOf(join.from) : []), roleOf(join)];
}

function roleOf({ key, bareName }: DraftJoin): string {
  const words = key.columns.flatMap(column => relationWordsOf(column, bareName));
  return (words.length > 0 ? words : key.columns).join('_');
}

/** The name of a column with the roles of its table. The last role is not repeated: customer_name for `customer_name` of a customer. */
function nameInRole(name: string, roles: readonly string[]): string {
  const last = roles.at(-1) ?? '';
  const isSaid = last !== '' && name.toLowerCase().startsWith(isChinese(last) ? last : `${last}_`);
  return [...(isSaid ? roles.slice(0, -1) : roles), name].join('_');
}

function isOnly(key: string[], name: string): boolean {
  return key.length === 1 && key[0] === name;
}

function isName(name: string): boolean {
  return isIdentifier(name) && !name.startsWith('__');
}

const changed = /updat|modif|delet|sync|load|expir|birth|更新|修改|删除|同步|过期|生日|出生/i;

/**
 * The time columns of a table with their rank; the column with the lowest rank is chosen. Columns of the fact table rank first (`depth`
 * 0). Within a table, columns that are never null rank before others, and columns named like a change, an expiry or a birth rank last.
 */
function timesOf(table: DraftTable, depth: number): (TimeColumn & { rank: number })[] {
  return table.columns
    .filter(({ type }) => /^(date|timestamp|timestamptz)\b/.test(type))
    .map(column => ({ column: columnOf(table, column.name), type: column.type, rank: depth * 4 + rankOf(column) }));
}

function rankOf({ name, nullable }: TableColumn): number {
  return (changed.test(name) ? 2 : 0) + (nullable ? 1 : 0);
}

/**
 * Finds the columns for the names of a formula. A column with another spelling, or of another table than the fact table, is added to
 * `columns` under the name of the formula.
 */
function findNames(
  names: readonly string[],
  fact: DraftTable,
  joins: DraftJoin[],
  columns: Record<string, string>,
  dimensions: BindingDimension[],
): Pick<BindingDraft, 'found' | 'notFound'> {
  const found: BindingDraft['found'] = [];
  const notFound: BindingDraft['notFound'] = [];
  const ofDimension = new Map(dimensions.map(each => [each.name, each.column]));
  const lookUp = columnFinder(fact, joins);
  const nearestTo = (name: string) => nearestName(name, [...Object.keys(columns), ...ofDimension.keys()]);
  for (const name of names) {
    const known = Object.hasOwn(columns, name) ? columns[name] : ofDimension.get(name);
    const column = known ?? (isName(name) ? lookUp(name) : null);
    if (column === null) notFound.push({ name, nearest: notFound.length < mostNearest ? nearestTo(name) : null });
    else {
      if (known === undefined) columns[name] = column;
      found.push({ name, column });
    }
  }
  return { found, notFound };
}

/**
 * Returns a function that finds the one column for a name, or null. The fact table comes before the tables that it refers to, and the
 * exact spelling before another case.
 */
function columnFinder(fact: DraftTable, joins: DraftJoin[]): (name: string) => string | null {
  const spellings = [(name: string) => name, (name: string) => name.toLowerCase()];
  const indexes = [[fact], joins].flatMap(tables =>
    spellings.map(spell => {
      /** The column by its name in this spelling. Null for a name of several columns. */
      const only = new Map<string, string | null>();
      for (const table of tables)
        for (const { name } of table.columns) only.set(spell(name), only.has(spell(name)) ? null : columnOf(table, name));
      return { spell, only };
    }),
  );
  return name => {
    for (const { spell, only } of indexes) {
      const column = only.get(spell(name)) ?? null;
      if (column !== null) return column;
    }
    return null;
  };
}

function columnOf({ alias }: { alias: string }, name: string): string {
  return `${quoteIdentifier(alias)}.${quoteIdentifier(name)}`;
}

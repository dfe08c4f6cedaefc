import { type Bilingual } from '../../text/bilingual.js';
import { type Steps } from '../../text/steps.js';
import { type TableColumn } from '../../warehouse/clients/warehouse.client.js';
import { isReadable } from '../../warehouse/references/key-kind.js';
import { type LeftOut, type Reference } from '../../warehouse/references/source-table.js';
import { isBinary, typeOfColumn } from './column-types.js';
import { type Draft, type DraftColumn, type DraftEdge, type DraftNode, type Guess } from './draft.js';
import { type KnownTable } from './know-tables.js';
import { isLinkTable } from './link-table.js';
import { isChinese, namesOfRow, relationWordsOf, wordIn } from '../../text/key-names.js';
import { handleOf, typeName, UniqueNames } from './names.js';
import { pickDisplay } from './pick-display.js';
import { isSensitiveName } from '../../text/sensitive-names.js';

/** The most columns of a node or an edge, and the most nodes and edges in a mapping. */
const mostColumns = 200;
const mostElements = 200;
const longestName = 128;
const longestHandle = 63;

/**
 * Drafts a mapping from descriptions of tables: a table with a key becomes a node, its references become edges, and a link table becomes an
 * edge with properties. No source is read.
 */
export function draftMapping(connection: string, tables: KnownTable[], leftOut: LeftOut[]): Steps<Draft> {
  return new Drafter(connection, tables, leftOut).draft();
}

class Drafter {
  private readonly nodes = new Map<string, DraftNode>();
  private readonly edges: DraftEdge[] = [];
  private readonly leftOut: LeftOut[];
  private readonly types = new UniqueNames(longestName, 'LINK');

  constructor(
    private readonly connection: string,
    private readonly tables: KnownTable[],
    leftOut: LeftOut[],
  ) {
    this.leftOut = [...leftOut];
  }

  *draft(): Steps<Draft> {
    const links = this.tables.filter(table => isLinkTable(table, this.tables));
    const things = this.tables.filter(table => !links.includes(table));
    const handles = new UniqueNames(longestHandle, 'node');
    const labels = new UniqueNames(longestName, 'Node');
    const names = labelsOf(things);
    for (const table of things) {
      yield;
      if (table.key === null) continue;
      const label = labels.take(names.get(table)!);
      this.nodes.set(table.name, this.nodeOf(table, table.key.columns, handles.take(handleOf(table.bareName)), label));
    }
    for (const table of things) this.addReferences(table);
    for (const table of links) {
      yield;
      this.addLink(table);
    }
    const room = mostElements - this.nodes.size;
    for (const { table } of this.edges.splice(room)) this.leave(table, [], tooManyEdges);
    return { connection: this.connection, nodes: [...this.nodes.values()], edges: this.edges, leftOut: this.leftOut };
  }

  private nodeOf(table: KnownTable, key: string[], id: string, label: string): DraftNode {
    const columns = this.columnsOf(table, key, []);
    const properties = new Set(columns.map(({ column }) => column));
    const mapped = table.columns.filter(({ name }) => properties.has(name));
    const display = pickDisplay(mapped, key);
    const aliases = label === table.bareName || wordIn(table.comment) !== label ? [] : [table.bareName];
    return {
      id,
      label,
      aliases,
      table: table.name,
      key,
      keyGuess: table.key?.evidence ? keyGuess(key, table.key.evidence) : null,
      display,
      displayGuess: display !== null && key.includes(display) ? displayGuess(display) : null,
      columns,
    };
  }

  private addReferences(table: KnownTable): void {
    for (const reference of table.references) {
      const from = this.nodes.get(table.name);
      const to = this.nodes.get(reference.table);
      if (!from) continue;
      if (!to) {
        this.leave(table.name, reference.columns, otherEndMissing);
        continue;
      }
      this.edges.push({
        type: this.types.take(this.typeOf(table, from.label, reference, to.label)),
        table: table.name,
        from: { node: from.id, match: from.key.map(column => [column, column]) },
        to: { node: to.id, match: reference.columns.map((column, index) => [column, reference.references[index]!]) },
        key: [],
        columns: [],
        guesses: guessesOf(table, reference),
      });
    }
  }

  private addLink(table: KnownTable): void {
    const [from, to] = inColumnOrder(table);
    const ends = [from!, to!].map(reference => ({ reference, node: this.nodes.get(reference.table) }));
    if (ends.some(({ node }) => !node)) return this.leave(table.name, [], otherEndMissing);
    const endColumns = new Set(table.references.flatMap(({ columns }) => columns));
    const key = (table.key?.columns ?? []).filter(column => !endColumns.has(column));
    const guesses = ends.flatMap(({ reference }) => guessesOf(table, reference));
    if (table.key?.evidence) guesses.push(keyGuess(table.key.columns, table.key.evidence));
    const [source, target] = ends.map(({ reference, node }) => ({
      node: node!.id,
      match: reference.columns.map((column, index): [string, string] => [column, reference.references[index]!]),
    }));
    this.edges.push({
      type: this.types.take(typeName(chineseWordIn(table.comment) ?? table.bareName)),
      table: table.name,
      from: source!,
      to: target!,
      key,
      columns: this.columnsOf(table, key, [...endColumns]),
      guesses,
    });
  }

  /**
   * The edge type of a reference, such as `ORDERS_CUSTOMER`: the table that holds the reference, then the meaning of its column or else the
   * label of the other table.
   */
  private typeOf(table: KnownTable, label: string, { columns, table: other }: Reference, otherLabel: string): string {
    const holder = isChinese(label) ? label : table.bareName;
    if (columns.length > 1) return typeName(holder, otherLabel);
    const column = table.columns.find(({ name }) => name === columns[0])!;
    const bareOther = this.tables.find(({ name }) => name === other)!.bareName;
    const meaning = relationWordsOf(chineseWordIn(column.comment) ?? column.name, bareOther);
    const isPlain = meaning.length === 0 || (isChinese(otherLabel) && namesOfRow(bareOther).has(meaning.join('')));
    return typeName(holder, isPlain ? otherLabel : meaning.join('_'));
  }

  /**
   * The columns that become properties, in the order of the table: all key columns, and as many other readable columns as fit. Columns that
   * do not fit or cannot be read are reported as left out.
   */
  private columnsOf(table: KnownTable, key: string[], without: string[]): DraftColumn[] {
    const [keys, ends] = [new Set(key), new Set(without)];
    const candidates = table.columns.filter(({ name }) => !ends.has(name));
    const kept = candidates.filter(column => keys.has(column.name) || (isReadable(column) && !isBinary(column)));
    const unreadable = others(candidates, kept);
    const room = mostColumns - key.length;
    const cut = kept.filter(({ name }) => !keys.has(name)).slice(room);
    const binary = unreadable.filter(column => isReadable(column) && isBinary(column));
    const denied = unreadable.filter(column => column.denied);
    const illNamed = unreadable.filter(({ type }) => type !== 'other' && !isBinary({ type } as TableColumn));
    const unknown = others(unreadable, [...binary, ...illNamed, ...denied]);
    for (const [columns, reason] of [
      [denied, deniedColumn],
      [unknown, unreadableType],
      [binary, binaryType],
      [illNamed, unusableName],
      [cut, tooManyColumns],
    ] as const) {
      if (columns.length > 0)
        this.leave(
          table.name,
          columns.map(({ name }) => name),
          reason,
        );
    }
    const guessedKey = table.key?.evidence && table.key.columns.length === 1 ? table.key.columns[0]! : null;
    return withProperties(others(kept, cut), guessedKey);
  }

  private leave(table: string, columns: string[], reason: Bilingual): void {
    this.leftOut.push({ table, columns, reason });
  }
}

/**
 * The label of each table: a word from its comment that names a thing, otherwise the table's own name without its schema. Tables whose
 * labels would be equal get their name as users write it, which may include the schema.
 */
function labelsOf(tables: KnownTable[]): Map<KnownTable, string> {
  const wanted = tables.map(table => wordIn(table.comment) ?? table.bareName);
  return new Map(
    tables.map((table, index) => {
      const label = wanted[index]!;
      return [table, wanted.filter(each => each === label).length > 1 ? table.name : label];
    }),
  );
}

/**
 * Gives each column a unique property name that does not begin with an underscore. A comment that is a single Chinese word is preferred to
 * the column's name.
 */
function withProperties(columns: TableColumn[], guessedKey: string | null): DraftColumn[] {
  const names = new Set(columns.map(({ name }) => name));
  const properties = new UniqueNames(longestName, 'property');
  const wanted = columns.map(({ name, comment }) => {
    const word = chineseWordIn(comment);
    return word !== null && !names.has(word) ? word : name.replace(/^_+/, '');
  });
  // Columns that keep their own name take it first, so that no renamed column can take that name.
  const taken = new Map<TableColumn, string>();
  columns.forEach((column, index) => wanted[index] === column.name && taken.set(column, properties.take(column.name)));
  columns.forEach((column, index) => taken.has(column) || taken.set(column, properties.take(wanted[index]!)));
  return columns.map(column => {
    const property = taken.get(column)!;
    return {
      column: column.name,
      property: property === column.name ? null : property,
      type: typeOfColumn(column),
      isUnique: column.name === guessedKey,
      guess: isSensitiveName(column.name) ? sensitiveGuess(column.name) : null,
    };
  });
}

/** The columns that `left` does not contain, in their order. */
function others(columns: readonly TableColumn[], left: readonly TableColumn[]): TableColumn[] {
  const without = new Set(left);
  return columns.filter(column => !without.has(column));
}

function chineseWordIn(comment: string | null): string | null {
  const word = wordIn(comment);
  return word !== null && isChinese(word) ? word : null;
}

function inColumnOrder({ columns, references }: KnownTable): Reference[] {
  const place = ({ columns: own }: Reference): number => Math.min(...own.map(each => columns.findIndex(({ name }) => name === each)));
  return [...references].sort((a, b) => place(a) - place(b));
}

function keyGuess(key: string[], evidence: Guess['evidence']): Guess {
  const columns = key.join(', ');
  // The mapping language lacks a rule for the uniqueness of several columns together.
  const repeats =
    key.length === 1
      ? { zh: '', en: '' }
      : {
          zh: '；规则 unique 只用于一列，以后几列合起来重复的行会被略去，计入 skipped 并有警告 duplicate_key',
          en: '; the rule unique is for one column, so rows that repeat all of these later are left out, counted as skipped with the warning duplicate_key',
        };
  return {
    kind: 'key',
    text: {
      zh: `没有声明主键；${columns} 在检查过的行中没有重复，也没有空值${repeats.zh}`,
      en: `no key is declared; ${columns} was never empty and never repeated in the rows that were checked${repeats.en}`,
    },
    evidence,
  };
}

function edgeGuess({ columns, table, references }: Reference, evidence: Guess['evidence']): Guess {
  const [own, other] = [columns.join(', '), `${table}.${references.join(', ')}`];
  return {
    kind: 'edge',
    text: {
      zh: `没有声明外键；${own} 的名称像是指向 ${other}，抽查的 ${evidence.sampled} 个值全部在其中`,
      en: `no foreign key is declared; ${own} is named like a reference to ${other}, which has all ${evidence.sampled} values that were looked up`,
    },
    evidence,
  };
}

/**
 * The guesses to report for a reference: one if no foreign key declares it, and one for each of its columns whose texts the source compares
 * by a collation.
 */
function guessesOf(table: KnownTable, reference: Reference): Guess[] {
  const collated = table.columns.filter(({ name, collation }) => collation !== undefined && reference.columns.includes(name));
  return [...(reference.evidence ? [edgeGuess(reference, reference.evidence)] : []), ...collated.map(collationGuess)];
}

function collationGuess({ name, collation = '' }: TableColumn): Guess {
  return {
    kind: 'collation',
    text: {
      zh: `来源库按 ${collation} 比较 ${name}，视只有大小写（通常也包括重音或末尾空格）不同的文本为相等；这里按字节比较。若有行因此被拒绝，请在节点的主键列写 transform: [trim, upper]`,
      en: `the source compares ${name} by ${collation}, which takes texts for equal that differ only in case, and as a rule in accents or blanks at their end, and here bytes are compared; if rows are rejected for it, write transform: [trim, upper] at the key column of the node`,
    },
    evidence: { column: name, collation },
  };
}

function sensitiveGuess(column: string): Guess {
  return {
    kind: 'sensitive',
    text: { zh: `列名 ${column} 像是敏感内容`, en: `the name ${column} suggests sensitive values` },
    evidence: { column },
  };
}

function displayGuess(column: string): Guess {
  return {
    kind: 'display',
    text: { zh: `没有像名称的列，因此显示键 ${column}`, en: `no column is named like a name, so nodes show their key ${column}` },
    evidence: { column },
  };
}

const otherEndMissing = {
  zh: '所引用的表不在本草稿的节点中，因此没有这条关系',
  en: 'the table that it refers to is not a node of this draft, so there is no such edge',
};
const tooManyEdges = {
  zh: `映射最多 ${mostElements} 个节点与关系；请减少 tables 分几次起草`,
  en: `a mapping has at most ${mostElements} nodes and edges; draft fewer tables at a time`,
};
const unreadableType = {
  zh: '类型没有对应的 PostgreSQL 类型，无法读取；可在来源库中用视图转换（文件夹的表请改文件）',
  en: 'the type has no counterpart in PostgreSQL and cannot be read; convert it in a view of the source, or in the file of a folder',
};
const binaryType = {
  zh: '二进制内容不作为属性；需要时可自行加入',
  en: 'binary values make no properties; add the column if you want them',
};
const deniedColumn = {
  zh: '连接的用户没有读取该列的权限；请在来源库中 GRANT SELECT',
  en: "the connection's user has no right to read the column; GRANT SELECT on it at the source",
};
const unusableName = {
  zh: '列名超过 63 字节（21 个汉字），PostgreSQL 会截断，或为 PostgreSQL 的系统列名；请在来源库中用视图另取名称（文件夹的表请改文件）',
  en: 'the name of the column has more than 63 bytes, which PostgreSQL cuts, or is that of a system column of PostgreSQL; give it another name in a view of the source, or in the file of a folder',
};
const tooManyColumns = {
  zh: `每个节点最多 ${mostColumns} 列；其余的列未列入`,
  en: `a node has at most ${mostColumns} columns; these did not fit`,
};

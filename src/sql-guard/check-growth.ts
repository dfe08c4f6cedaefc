import { type Bilingual } from '../text/bilingual.js';
import { rowChoices } from './allow-lists.js';
import { functionName } from './check-names.js';
import { gathers } from './refuse-gathering.js';
import { type SqlTree } from './sql-parser.js';
import { nameParts, type NodeFields, Refusal } from './walk-tree.js';

/** A value built by user SQL is at most this many times as long as the longest column or constant in it. */
export const maxGrowth = 100;

export const growthSentence: Bilingual = {
  zh: `它拼出的值可能比所用的列长 ${maxGrowth} 倍以上，请少拼接几项`,
  en: `the value it builds may be more than ${maxGrowth} times as long as a column; join fewer parts`,
};

/** How long values may be. */
interface Size {
  /** The factor by which they may be longer than a stored one. */
  times: number;
  /** Whether they may be lists. In the text of a list, values are in quotes, and quotes and backslashes of theirs are doubled. */
  isList: boolean;
}

const stored: Size = { times: 1, isList: false };

interface Cte {
  columns: Size;
  query: NodeFields;
}

interface Scope {
  /** The columns of all relations. */
  columns: Size;
  /** The names of a WITH list. */
  ctes: ReadonlyMap<string, Cte>;
  /** The names of relations that are no tables, and of their columns. */
  derived: ReadonlySet<string>;
  named: ReadonlySet<string>;
}

/** Values in quotes: with each of their characters doubled, the quotes and a comma. */
const quoted = 3;
/** The text of a time, of which `now` is one of the shortest. */
const respelled = 10;
const texts: ReadonlySet<string | null | undefined> = new Set(['text', 'varchar']);
const lists: ReadonlySet<string> = new Set([
  'string_to_array',
  'regexp_match',
  'array_append',
  'array_prepend',
  'array_cat',
  'array_remove',
]);

/** Functions whose result is as long as all their arguments together. */
const joining: ReadonlySet<string> = new Set(['concat', 'overlay', 'array_cat', 'array_append', 'array_prepend']);
const pathFunctions: ReadonlySet<string> = new Set([
  'jsonb_path_query_first',
  'jsonb_path_query_array',
  'jsonb_path_match',
  'jsonb_path_exists',
]);

/**
 * Limits the values that user SQL may build by its shape. Its text is embedded as it is, so nothing in it can be measured while it
 * runs. Works on trees that the walk has admitted.
 * @returns the factor by which a value in `tree` may be longer than a stored one, at least 1
 * @throws Refusal if it is above {@link maxGrowth}
 */
export function checkGrowth(tree: SqlTree): number {
  let most = 1;
  growth(tree, { columns: stored, ctes: new Map(), derived: new Set(), named: new Set() }, undefined);
  return most;

  function note(times: number, offset: number | undefined, token?: string): number {
    if (times > maxGrowth) throw new Refusal('length', token, offset, undefined, growthSentence);
    most = Math.max(most, times);
    return times;
  }

  function growth(wrapped: unknown, scope: Scope, parentOffset: number | undefined): Size {
    const [[type, fields] = ['', {}]] = Object.entries(wrapped as Record<string, NodeFields>);
    const offset = typeof fields.location === 'number' && fields.location >= 0 ? fields.location : parentOffset;
    switch (type) {
      case 'SelectStmt':
        return select(fields, scope, offset);
      case 'ColumnRef':
        return column(fields, scope, offset);
      case 'SubLink':
        if (fields.subLinkType === 'ARRAY_SUBLINK') throw new Refusal('function', 'ARRAY', offset, gathers);
        return largest(children(fields), scope, offset);
      case 'A_Expr':
        return nameParts(fields.name).at(-1) === '||'
          ? noted(total([fields.lexpr, fields.rexpr].filter(Boolean), scope, offset), offset, '||')
          : largest(children(fields), scope, offset);
      case 'A_ArrayExpr':
        return { ...noted(total((fields.elements ?? []) as unknown[], scope, offset), offset), isList: true };
      case 'RowExpr': {
        // Nothing tells where a row becomes a text.
        const { times } = total((fields.args ?? []) as unknown[], scope, offset, asText);
        return noted({ times: times * quoted, isList: false }, offset);
      }
      case 'TypeCast':
        return cast(fields, scope, offset);
      case 'FuncCall':
        return call(fields, scope, offset);
      default:
        return largest(children(fields), scope, offset);
    }
  }

  function noted({ times, isList }: Size, offset: number | undefined, token?: string): Size {
    return { times: note(times, offset, token), isList };
  }

  /** The size as a text. */
  function asText({ times, isList }: Size): Size {
    return { times: isList ? times * quoted : times, isList: false };
  }

  /** A relation's name alone is its whole row, with all its columns. So is `t.max`, if there is no such column. */
  function column(node: NodeFields, { columns, derived, named }: Scope, offset: number | undefined): Size {
    const [relation, name] = nameParts(node.fields);
    if (relation == null || name === null) return columns;
    const isRow = name === undefined ? derived.has(relation) && !named.has(relation) : rowChoices.has(name) && !named.has(name);
    if (!isRow) return columns;
    if (!derived.has(relation)) return { times: columns.times * quoted, isList: true };
    throw new Refusal('column', name === undefined ? relation : `${relation}.${name}`, offset, {
      zh: `请写出列，如 ${relation}.列名`,
      en: `write a column, such as ${relation}.column`,
    });
  }

  function cast(node: NodeFields, scope: Scope, offset: number | undefined): Size {
    const { names, arrayBounds } = node.typeName as NodeFields;
    const size = growth(node.arg, scope, offset);
    const isText = texts.has(nameParts(names).at(-1));
    if (arrayBounds === undefined) return isText ? noted(asText(size), offset) : size;
    // `1e131071` has 131,072 digits.
    if (nameParts(names).at(-1) === 'numeric' && (textOf(node.arg) ?? 'e').includes('e'))
      throw new Refusal('type', 'numeric[]', offset, oneByOne);
    return noted({ times: size.times * (isText ? 1 : respelled), isList: true }, offset);
  }

  function call(node: NodeFields, scope: Scope, offset: number | undefined): Size {
    const name = functionName(node, offset);
    const args = (node.args ?? []) as unknown[];
    const others = largest(children({ ...node, args: undefined }), scope, offset);
    const all = largest(args, scope, offset);
    const longer = (factor: number): Size => noted({ ...all, times: all.times * factor }, offset, name);
    if (joining.has(name)) {
      const { times, isList } = total(args, scope, offset, name === 'concat' ? asText : undefined);
      return noted({ times: Math.max(others.times, times), isList: isList || lists.has(name) }, offset, name);
    }
    if (name === 'concat_ws') {
      const [separator = stored, ...parts] = args.map(arg => asText(growth(arg, scope, offset)));
      return noted({ times: parts.reduce((sum, part) => sum + part.times + separator.times, 1), isList: false }, offset, name);
    }
    if (name === 'array_to_string') {
      const lengths = args.slice(1).map(arg => constantLength(arg, name, offset));
      const { times } = largest(args.slice(0, 1), scope, offset);
      return noted({ times: times * lengths.reduce((sum, length) => sum + length, 1), isList: false }, offset, name);
    }
    // The replacement may come after every character, and stands for at most the whole match with each of its references.
    if (name === 'regexp_replace') return longer(1 + constantLength(args[2], name, offset));
    // Each pair of brackets may find the whole text.
    if (name === 'regexp_match') return { ...longer(1 + constantLength(args[1], name, offset, '(')), isList: true };
    // Each character may become a value of its own.
    if (name === 'string_to_array') return { ...longer(2), isList: true };
    // U+FDFA becomes eighteen characters.
    if (name === 'normalize') return longer(18);
    // `RN` in a pattern becomes fifteen characters.
    if (name === 'to_char') return longer(8);
    // The functions behind LIKE … ESCAPE and SIMILAR TO put backslashes, dots and brackets before characters.
    if (name === 'like_escape' || name === 'similar_to_escape') return longer(4);
    if (pathFunctions.has(name)) checkPath(args[1], name, offset);
    return { times: Math.max(others.times, all.times), isList: others.isList || all.isList || lists.has(name) };
  }

  function select(node: NodeFields, outer: Scope, offset: number | undefined): Size {
    const ctes = new Map(outer.ctes);
    for (const cte of ((node.withClause as NodeFields | undefined)?.ctes ?? []) as { CommonTableExpr: NodeFields }[])
      ctes.set(String(cte.CommonTableExpr.ctename), {
        columns: growth(cte.CommonTableExpr.ctequery, { ...outer, ctes }, offset),
        query: cte.CommonTableExpr,
      });
    const inner = { ...outer, ctes };
    if (node.larg && node.rarg) {
      const columns = larger(select(node.larg as NodeFields, inner, offset), select(node.rarg as NodeFields, inner, offset));
      const { larg: _, rarg: __, withClause: ___, ...clauses } = node;
      largest(children(clauses), { ...inner, columns: larger(inner.columns, columns) }, offset);
      return columns;
    }
    const from = (node.fromClause ?? []) as unknown[];
    const derived = new Set([...outer.derived, ...from.flatMap(item => derivedIn(item, ctes))]);
    const named = new Set([...outer.named, ...from.flatMap(item => columnsOf(item, ctes))]);
    // A join condition and a lateral sub-select may read the relations before them.
    const scope = from.reduce<Scope>((seen, item) => ({ ...seen, columns: larger(seen.columns, source(item, seen, offset)) }), {
      ...inner,
      derived,
      named,
    });
    const { withClause: _, fromClause: __, targetList = [], valuesLists = [], ...clauses } = node;
    largest(children(clauses), scope, offset);
    const rows = (valuesLists as { List: { items: unknown[] } }[]).flatMap(row => row.List.items);
    return largest([...(targetList as unknown[]), ...rows], scope, offset);
  }

  function source(item: unknown, scope: Scope, offset: number | undefined): Size {
    const { RangeVar: table, JoinExpr: join, RangeSubselect: nested } = item as Record<string, NodeFields | undefined>;
    if (table) return table.schemaname === undefined ? (scope.ctes.get(String(table.relname))?.columns ?? stored) : stored;
    if (nested) return growth(nested.subquery, scope, offset);
    if (!join) return largest([item], scope, offset);
    const left = larger(scope.columns, source(join.larg, scope, offset));
    const columns = larger(left, source(join.rarg, { ...scope, columns: left }, offset));
    if (join.quals) growth(join.quals, { ...scope, columns }, offset);
    return columns;
  }

  function total(nodes: unknown[], scope: Scope, offset: number | undefined, as = (size: Size): Size => size): Size {
    const sizes = nodes.map(node => as(growth(node, scope, offset)));
    return { times: sizes.reduce((sum, { times }) => sum + times, 0), isList: sizes.some(({ isList }) => isList) };
  }

  function largest(nodes: unknown[], scope: Scope, offset: number | undefined): Size {
    return nodes.reduce<Size>((most, node) => larger(most, growth(node, scope, offset)), stored);
  }
}

function larger(one: Size, other: Size): Size {
  return { times: Math.max(one.times, other.times), isList: one.isList || other.isList };
}

/** The names in FROM of what is no table: sub-selects, names of the WITH list, and joins with a name. */
function derivedIn(item: unknown, ctes: ReadonlyMap<string, unknown>): string[] {
  const { RangeVar: table, JoinExpr: join, RangeSubselect: nested } = item as Record<string, NodeFields | undefined>;
  const alias = ((table ?? join ?? nested)?.alias as { aliasname?: string } | undefined)?.aliasname;
  if (table) return table.schemaname === undefined && ctes.has(String(table.relname)) ? [alias ?? String(table.relname)] : [];
  const own = alias === undefined ? [] : [alias];
  return join ? [...own, ...derivedIn(join.larg, ctes), ...derivedIn(join.rarg, ctes)] : own;
}

/** The names of the columns of what is no table, as far as it names them. */
function columnsOf(item: unknown, ctes: ReadonlyMap<string, Cte>): string[] {
  const { RangeVar: table, JoinExpr: join, RangeSubselect: nested } = item as Record<string, NodeFields | undefined>;
  if (join) return [...columnsOf(join.larg, ctes), ...columnsOf(join.rarg, ctes)];
  const cte = table && table.schemaname === undefined ? ctes.get(String(table.relname))?.query : undefined;
  const query = (nested?.subquery ?? cte?.ctequery) as { SelectStmt?: NodeFields } | undefined;
  const alias = (table ?? nested)?.alias as NodeFields | undefined;
  const renamed = [alias?.colnames, cte?.aliascolnames].flatMap(names => (names === undefined ? [] : nameParts(names)));
  return [...renamed, ...(query?.SelectStmt ? targetNames(query.SelectStmt) : [])].filter(name => name !== null);
}

function targetNames({ larg, targetList = [] }: NodeFields): (string | null)[] {
  if (larg) return targetNames(larg as NodeFields);
  return (targetList as { ResTarget: NodeFields }[]).map(({ ResTarget: { name, val } }) => {
    const { ColumnRef: column } = val as { ColumnRef?: NodeFields };
    return typeof name === 'string' ? name : column ? (nameParts(column.fields).at(-1) ?? null) : null;
  });
}

/** The wrapped nodes directly under a node: values with one key that begins with a capital letter. */
function children(fields: NodeFields): unknown[] {
  return Object.values(fields).flatMap(value => {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap(each => {
      if (typeof each !== 'object' || each === null) return [];
      const [key = ''] = Object.keys(each);
      // Some nodes have no wrapper, such as `over: {…}` and `typeName: {…}`.
      return /^[A-Z]/.test(key) ? [each] : children(each as NodeFields);
    });
  });
}

function textOf(node: unknown): string | null {
  const constant = (node as { A_Const?: { sval?: { sval?: string } } } | undefined)?.A_Const?.sval;
  return constant ? (constant.sval ?? '') : null;
}

/** @param counted what is counted of the text; all characters if left out */
function constantLength(node: unknown, name: string, offset: number | undefined, counted?: string): number {
  const text = textOf(node);
  if (text !== null) return counted === undefined ? text.length : text.split(counted).length - 1;
  const what = { regexp_replace: { zh: '替换文本', en: 'replacement' }, regexp_match: { zh: '模式', en: 'pattern' } }[name] ?? {
    zh: '分隔符',
    en: 'separator',
  };
  throw new Refusal('function', name, offset, { zh: `${what.zh}必须是常量`, en: `its ${what.en} must be a constant` });
}

const oneByOne: Bilingual = { zh: '请转换单个值，如 a::numeric', en: 'cast single values, such as a::numeric' };
const longestPath = 1_000;

/** `$[0,0,0][0,0,0]…` finds the same element many times: a list of subscripts multiplies, as `keyvalue()` does, and `**` visits every level. */
function checkPath(node: unknown, name: string, offset: number | undefined): void {
  const constant = (node as { TypeCast?: { arg: unknown } } | undefined)?.TypeCast?.arg ?? node;
  const path = textOf(constant);
  if (path !== null && path.length <= longestPath && !/,|\*\*|keyvalue|decimal/.test(path.replace(/"(?:[^"\\]|\\.)*"/g, '""'))) return;
  throw new Refusal('function', name, offset, {
    zh: `路径必须是至多 ${longestPath} 个字符的常量，不含逗号分隔的下标、**、keyvalue() 与 decimal()`,
    en: `its path must be a constant of at most ${longestPath} characters without lists of subscripts, **, keyvalue() and decimal()`,
  });
}

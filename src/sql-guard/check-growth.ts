import { type Bilingual } from '../text/bilingual.js';
import { rowChoices } from './allow-lists.js';
import { functionName } from './check-names.js';
import { checkPath } from './check-path.js';
import { constantText } from './constant-text.js';
import { gathers } from './refuse-gathering.js';
import { type SqlTree } from './sql-parser.js';
import { childNodes, nameParts, type NodeFields, Refusal } from './walk-tree.js';

/** A value built by user SQL is at most this many times as long as the longest column or constant in it. */
export const maxGrowth = 100;

export const growthSentence: Bilingual = {
  zh: `它拼出的值可能比所用的列长 ${maxGrowth} 倍以上，请少拼接几项`,
  en: `the value it builds may be more than ${maxGrowth} times as long as a column; join fewer parts`,
};

/** How long the values of an expression may be. */
interface Size {
  /** The factor by which the values may be longer than a stored value. */
  times: number;
  /**
   * Whether the values may be lists. In the text of a list each value stands in quotes, and its own quotes and backslashes are doubled.
   */
  isList: boolean;
}

const stored: Size = { times: 1, isList: false };

/** The columns of a sub-select, of a name of a WITH list, or of a table. */
interface Relation {
  /** The size of the largest column of the relation. */
  columns: Size;
  /** The sum of the factors (`times`) of all columns. */
  row: number;
  /** The names of the columns; null for a table with columns that are not known here. */
  names: ReadonlySet<string> | null;
}

const aTable: Relation = { columns: stored, row: 1, names: null };

interface Scope {
  /** The size of the largest column of all relations in scope. */
  columns: Size;
  /** The relations of the WITH lists, by their names. */
  ctes: ReadonlyMap<string, Relation>;
  /** The relations in FROM by their names, also those of the queries around this one. */
  relations: ReadonlyMap<string, Relation>;
}

/** Maximum tables, sub-selects and names of WITH lists in one query. For each of them, all others are looked up and copied. */
const mostRelations = 200;
/** Factor for a value in quotes: each of its characters may be doubled, and the quotes and a comma are added. */
const quoted = 3;
/** Factor for a text that a cast spells in another way: `now`, one of the shortest, becomes the text of a time. */
const respelled = 10;
const texts: ReadonlySet<string | null | undefined> = new Set(['text', 'varchar']);
const comparisons: ReadonlySet<string | null | undefined> = new Set([
  '=',
  '<>',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '~',
  '!~',
  '~*',
  '!~*',
  '~~',
  '!~~',
  '~~*',
  '!~~*',
]);
const lists: ReadonlySet<string> = new Set(['array_append', 'array_prepend', 'array_cat', 'array_remove']);

/** Functions whose result is as long as all their arguments together. */
const joining: ReadonlySet<string> = new Set(['concat', 'overlay', 'array_cat', 'array_append', 'array_prepend']);
const pathFunctions: ReadonlySet<string> = new Set([
  'jsonb_path_query_first',
  'jsonb_path_query_array',
  'jsonb_path_match',
  'jsonb_path_exists',
]);

/**
 * Limits the length of the values that user SQL may build, judged by the shape of the SQL. The SQL text is embedded unchanged, so no value
 * can be measured while the statement runs. `tree` must have passed `walkTree`.
 * @returns the factor by which a value in `tree` may be longer than a stored one, at least 1
 * @throws Refusal if the factor is above {@link maxGrowth}
 */
export function checkGrowth(tree: SqlTree): number {
  let most = 1;
  let relations = 0;
  note(growth(tree, { columns: stored, ctes: new Map(), relations: new Map() }, undefined).times, undefined);
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
        return select(fields, scope, offset).columns;
      case 'BoolExpr':
      case 'BooleanTest':
      case 'NullTest':
        largest(childNodes(fields), scope, offset);
        return stored;
      case 'ColumnRef':
        return column(fields, scope);
      case 'SubLink':
        if (fields.subLinkType === 'ARRAY_SUBLINK') throw new Refusal('function', 'ARRAY', offset, gathers);
        return largest(childNodes(fields), scope, offset);
      case 'A_Expr':
        return operation(fields, scope, offset);
      case 'A_ArrayExpr':
        if (constantsOf(wrapped)) return { times: 1, isList: true };
        return { ...noted(total((fields.elements ?? []) as unknown[], scope, offset), offset), isList: true };
      case 'RowExpr':
        return rowOf(sumOf(((fields.args ?? []) as unknown[]).map(each => asText(growth(each, scope, offset)))).times);
      case 'TypeCast':
        return cast(fields, scope, offset);
      case 'FuncCall':
        return call(fields, scope, offset);
      default:
        return largest(childNodes(fields), scope, offset);
    }
  }

  function noted({ times, isList }: Size, offset: number | undefined, token?: string): Size {
    return { times: note(times, offset, token), isList };
  }

  /** The size of a value after its conversion to text. */
  function asText({ times, isList }: Size): Size {
    return { times: isList ? times * quoted : times, isList: false };
  }

  /** The size of a row. The tree does not show where a row is converted to text, so the quotes of its text are counted already here. */
  function rowOf(times: number): Size {
    return { times: times * quoted, isList: false };
  }

  function operation(node: NodeFields, scope: Scope, offset: number | undefined): Size {
    const operator = nameParts(node.name).at(-1);
    if (operator === '@?' || operator === '@@') checkPath(node.rexpr, undefined, operator, offset);
    if (operator === '||') return noted(total([node.lexpr, node.rexpr].filter(Boolean), scope, offset), offset, '||');
    const size = largest(childNodes(node), scope, offset);
    return comparisons.has(operator) && node.kind !== 'AEXPR_NULLIF' ? stored : size;
  }

  /** The size of a column reference. The name of a relation may mean its whole row, and so may `t.max`, if no column has this name. */
  function column(node: NodeFields, { columns, relations }: Scope): Size {
    const [first, second] = nameParts(node.fields);
    const relation = first == null ? undefined : relations.get(first);
    if (!relation || second === null) return columns;
    const isColumn =
      second === undefined
        ? [...relations.values()].some(({ names }) => names?.has(first!))
        : !rowChoices.has(second) || relation.names?.has(second) === true;
    return isColumn ? columns : larger(columns, rowOf(relation.row));
  }

  function cast(node: NodeFields, scope: Scope, offset: number | undefined): Size {
    const { names, arrayBounds } = node.typeName as NodeFields;
    const size = growth(node.arg, scope, offset);
    const isText = texts.has(nameParts(names).at(-1));
    if (arrayBounds === undefined) return isText ? noted(asText(size), offset) : size;
    // A cast to numeric[] is refused unless it casts constants without exponents: `1e131071` has 131,072 digits.
    const constants = constantsOf(node.arg);
    if (nameParts(names).at(-1) === 'numeric' && !constants?.every(text => !/e/i.test(text)))
      throw new Refusal('type', 'numeric[]', offset, oneByOne);
    return noted({ times: size.times * (isText || constants ? 1 : respelled), isList: true }, offset);
  }

  function call(node: NodeFields, scope: Scope, offset: number | undefined): Size {
    const name = functionName(node, offset);
    const args = (node.args ?? []) as unknown[];
    const others = largest(childNodes({ ...node, args: undefined }), scope, offset);
    // Measure each argument only once: measuring it twice at each level would double the work with every level.
    const sizes = args.map(arg => growth(arg, scope, offset));
    const all = sizes.reduce(larger, stored);
    const longer = (factor: number): Size => noted({ ...all, times: all.times * factor }, offset, name);
    if (joining.has(name)) {
      const { times, isList } = sumOf(name === 'concat' ? sizes.map(asText) : sizes);
      return noted({ times: Math.max(others.times, times), isList: isList || lists.has(name) }, offset, name);
    }
    if (name === 'count') return stored;
    // With a list of fractions these functions return one value for each fraction.
    if (name === 'percentile_cont' || name === 'percentile_disc') {
      const fractions = fractionsOf(args[0], name, offset);
      return { ...noted({ ...others, times: others.times * fractions }, offset, name), isList: others.isList || fractions > 1 };
    }
    if (name === 'concat_ws') {
      const [separator = stored, ...parts] = sizes.map(asText);
      return noted({ times: parts.reduce((sum, part) => sum + part.times + separator.times, 1), isList: false }, offset, name);
    }
    if (name === 'array_to_string') {
      const lengths = args.slice(1).map(arg => constantLength(arg, name, offset));
      const [{ times } = stored] = sizes;
      return noted({ times: times * lengths.reduce((sum, length) => sum + length, 1), isList: false }, offset, name);
    }
    // The replacement may come after every character, and each reference in it may stand for the whole match.
    if (name === 'regexp_replace') return longer(1 + constantLength(args[2], name, offset));
    // Each pair of brackets in the pattern may find the whole text.
    if (name === 'regexp_match') return { ...longer(1 + constantLength(args[1], name, offset, '(')), isList: true };
    // Each character of the text may become a value of the list.
    if (name === 'string_to_array') return { ...longer(2), isList: true };
    // The character U+FDFA becomes eighteen characters by `normalize`.
    if (name === 'normalize') return longer(18);
    // `RN` in a pattern of `to_char` becomes fifteen characters.
    if (name === 'to_char') return longer(8);
    // The functions behind LIKE … ESCAPE and SIMILAR TO put backslashes, dots and brackets before characters.
    if (name === 'like_escape' || name === 'similar_to_escape') return longer(4);
    if (pathFunctions.has(name)) checkPath(args[1], args[2], name, offset);
    return { times: Math.max(others.times, all.times), isList: others.isList || all.isList || lists.has(name) };
  }

  function countRelation(offset: number | undefined): void {
    if (++relations > mostRelations) throw new Refusal('length', undefined, offset, tooManyRelations);
  }

  function select(node: NodeFields, outer: Scope, offset: number | undefined): Relation {
    let { ctes } = outer;
    for (const { CommonTableExpr: cte } of ((node.withClause as NodeFields | undefined)?.ctes ?? []) as { CommonTableExpr: NodeFields }[]) {
      countRelation(offset);
      const { SelectStmt: query } = cte.ctequery as { SelectStmt: NodeFields };
      ctes = new Map([...ctes, [String(cte.ctename), renamed(select(query, { ...outer, ctes }, offset), cte.aliascolnames)]]);
    }
    const inner = { ...outer, ctes };
    if (node.larg && node.rarg) {
      const [left, right] = [select(node.larg as NodeFields, inner, offset), select(node.rarg as NodeFields, inner, offset)];
      const columns = larger(left.columns, right.columns);
      const { larg: _, rarg: __, withClause: ___, ...clauses } = node;
      largest(childNodes(clauses), { ...inner, columns: larger(inner.columns, columns) }, offset);
      return { columns, row: Math.max(left.row, right.row), names: left.names };
    }
    // A join condition and a lateral sub-select may read the relations that stand before them in FROM.
    let scope: Scope = inner;
    const read: Relation[] = [];
    for (const item of (node.fromClause ?? []) as unknown[]) {
      const found = source(item, scope, offset);
      read.push(found.relation);
      scope = found.scope;
    }
    const { withClause: _, fromClause: __, targetList = [], valuesLists = [], ...clauses } = node;
    largest(childNodes(clauses), scope, offset);
    const rows = (valuesLists as { List: { items: unknown[] } }[]).map(row => total(row.List.items, scope, offset));
    const all = joined(read);
    const targets = (targetList as { ResTarget: NodeFields }[]).map(({ ResTarget: target }) => targetOf(target, all, scope, offset));
    return {
      columns: [...rows, ...targets.map(({ columns }) => columns)].reduce(larger, stored),
      row: Math.max(
        targets.reduce((sum, { row }) => sum + row, 0),
        ...rows.map(({ times }) => times),
        1,
      ),
      names: namesOf(targets),
    };
  }

  /**
   * The columns that one item of a SELECT list adds to the result: one column, or for `*` the columns of relations.
   * @param all the columns of FROM together
   */
  function targetOf({ name, val }: NodeFields, all: Relation, scope: Scope, offset: number | undefined): Relation {
    const { ColumnRef: reference } = val as { ColumnRef?: NodeFields };
    const parts = reference ? nameParts(reference.fields) : [];
    if (parts.at(-1) !== null || parts.length === 0) {
      const columns = growth(val, scope, offset);
      return { columns, row: columns.times, names: new Set([typeof name === 'string' ? name : defaultName(val)]) };
    }
    return parts.length > 1 ? (scope.relations.get(parts.at(-2)!) ?? aTable) : all;
  }

  function source(item: unknown, scope: Scope, offset: number | undefined): { relation: Relation; scope: Scope } {
    const { RangeVar: table, JoinExpr: join, RangeSubselect: nested } = item as Record<string, NodeFields | undefined>;
    const alias = (table ?? nested ?? join)?.alias as { aliasname: string; colnames?: unknown } | undefined;
    if (join) {
      const left = source(join.larg, scope, offset);
      const right = source(join.rarg, left.scope, offset);
      if (join.quals) growth(join.quals, right.scope, offset);
      const relation = joined([left.relation, right.relation]);
      return { relation, scope: alias ? withRelation(right.scope, alias.aliasname, renamed(relation, alias.colnames)) : right.scope };
    }
    countRelation(offset);
    let relation = aTable;
    if (table?.schemaname === undefined && table) relation = scope.ctes.get(String(table.relname)) ?? aTable;
    if (nested) relation = select((nested.subquery as { SelectStmt: NodeFields }).SelectStmt, scope, offset);
    relation = renamed(relation, alias?.colnames);
    const name = alias?.aliasname ?? (table ? String(table.relname) : undefined);
    return { relation, scope: withRelation(scope, name, relation) };
  }

  function total(nodes: unknown[], scope: Scope, offset: number | undefined): Size {
    return sumOf(nodes.map(node => growth(node, scope, offset)));
  }

  function largest(nodes: unknown[], scope: Scope, offset: number | undefined): Size {
    return nodes.reduce<Size>((most, node) => larger(most, growth(node, scope, offset)), stored);
  }
}

function larger(one: Size, other: Size): Size {
  return { times: Math.max(one.times, other.times), isList: one.isList || other.isList };
}

function sumOf(sizes: readonly Size[]): Size {
  return { times: sizes.reduce((sum, { times }) => sum + times, 0), isList: sizes.some(({ isList }) => isList) };
}

function withRelation(scope: Scope, name: string | undefined, relation: Relation): Scope {
  const relations = name === undefined ? scope.relations : new Map([...scope.relations, [name, relation]]);
  return { ...scope, columns: larger(scope.columns, relation.columns), relations };
}

/** One relation with the columns of several relations, side by side. */
function joined(relations: readonly Relation[]): Relation {
  return {
    columns: relations.reduce((size, { columns }) => larger(size, columns), stored),
    row: relations.reduce((sum, { row }) => sum + row, 0),
    names: namesOf(relations),
  };
}

/**
 * The names of the columns of all these relations; null if the names of one are unknown. The set of names that several relations share,
 * such as those of each `*` in a SELECT list, is read once.
 */
function namesOf(relations: readonly Relation[]): Relation['names'] {
  const different = new Set(relations.map(({ names }) => names));
  const [only] = different;
  if (different.has(null)) return null;
  return only && different.size === 1 ? only : new Set([...different].flatMap(names => [...names!]));
}

/** A relation with its first columns renamed, as by the alias `t (a, b)`. */
function renamed(relation: Relation, colnames: unknown): Relation {
  if (colnames === undefined || relation.names === null) return relation;
  const names = nameParts(colnames).map(String);
  return { ...relation, names: new Set([...names, ...[...relation.names].slice(names.length)]) };
}

/** The name that PostgreSQL gives a column of a SELECT list that has no alias. */
function defaultName(node: unknown): string {
  const { ColumnRef: column, FuncCall: call, TypeCast: cast, A_Indirection: part } = node as Record<string, NodeFields | undefined>;
  if (column) return nameParts(column.fields).at(-1) ?? '';
  if (call) return nameParts(call.funcname).at(-1) ?? '';
  return cast ? defaultName(cast.arg) : part ? defaultName(part.arg) : '';
}

/** The texts of a constant, or of a list of constants. Null for anything else. */
function constantsOf(node: unknown): string[] | null {
  const { A_Const: constant, A_ArrayExpr: list } = node as Record<string, NodeFields | undefined>;
  if (constant) return [constantText(node) ?? (constant.fval as { fval?: string } | undefined)?.fval ?? ''];
  const texts = ((list?.elements ?? [null]) as unknown[]).map(each => (each === null ? null : constantsOf(each)));
  return texts.every(each => each !== null) ? texts.flat() : null;
}

/** The number of fractions in an argument. @throws Refusal unless the argument is a constant number or a list of such numbers */
function fractionsOf(node: unknown, name: string, offset: number | undefined): number {
  const { TypeCast: cast } = (node ?? {}) as { TypeCast?: NodeFields };
  const numbers = constantsOf(cast ? cast.arg : (node ?? {}));
  if (numbers?.every(text => /^[\d.e+-]*$/i.test(text))) return numbers.length;
  throw new Refusal('function', name, offset, { zh: '分位须是写出的数', en: 'its fraction must be a number that is written there' });
}

/**
 * The length of a constant text.
 * @param counted the text whose occurrences are counted instead; all characters if left out
 * @throws Refusal unless the node is a constant
 */
function constantLength(node: unknown, name: string, offset: number | undefined, counted?: string): number {
  const text = constantText(node);
  if (text !== null) return counted === undefined ? text.length : text.split(counted).length - 1;
  const what = { regexp_replace: { zh: '替换文本', en: 'replacement' }, regexp_match: { zh: '模式', en: 'pattern' } }[name] ?? {
    zh: '分隔符',
    en: 'separator',
  };
  throw new Refusal('function', name, offset, { zh: `${what.zh}必须是常量`, en: `its ${what.en} must be a constant` });
}

const tooManyRelations: Bilingual = {
  zh: `一个查询最多 ${mostRelations} 个表与子查询；请在数据库中建视图`,
  en: `a query has at most ${mostRelations} tables and sub-selects; make a view in the database`,
};
const oneByOne: Bilingual = { zh: '请转换单个值，如 a::numeric', en: 'cast single values, such as a::numeric' };

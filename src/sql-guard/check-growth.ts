import { type Bilingual } from '../text/bilingual.js';
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

/** For each name in scope, the factor by which columns of a relation may be longer than a stored value. */
interface Scope {
  columns: number;
  ctes: ReadonlyMap<string, number>;
}

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
  growth(tree, { columns: 1, ctes: new Map() }, undefined);
  return most;

  function note(factor: number, offset: number | undefined, token?: string): number {
    if (factor > maxGrowth) throw new Refusal('length', token, offset, undefined, growthSentence);
    most = Math.max(most, factor);
    return factor;
  }

  function growth(wrapped: unknown, scope: Scope, parentOffset: number | undefined): number {
    const [[type, fields] = ['', {}]] = Object.entries(wrapped as Record<string, NodeFields>);
    const offset = typeof fields.location === 'number' && fields.location >= 0 ? fields.location : parentOffset;
    switch (type) {
      case 'SelectStmt':
        return select(fields, scope, offset);
      case 'ColumnRef':
        return scope.columns;
      case 'SubLink':
        if (fields.subLinkType === 'ARRAY_SUBLINK') throw new Refusal('function', 'ARRAY', offset, gathers);
        return largest(children(fields), scope, offset);
      case 'A_Expr':
        return nameParts(fields.name).at(-1) === '||'
          ? note(total([fields.lexpr, fields.rexpr].filter(Boolean), scope, offset), offset, '||')
          : largest(children(fields), scope, offset);
      case 'A_ArrayExpr':
      case 'RowExpr':
        return note(total((fields.elements ?? fields.args ?? []) as unknown[], scope, offset), offset);
      case 'FuncCall':
        return call(fields, scope, offset);
      default:
        return largest(children(fields), scope, offset);
    }
  }

  function call(node: NodeFields, scope: Scope, offset: number | undefined): number {
    const name = functionName(node, offset);
    const args = (node.args ?? []) as unknown[];
    const others = largest(children({ ...node, args: undefined }), scope, offset);
    if (joining.has(name)) return note(Math.max(others, total(args, scope, offset)), offset, name);
    if (name === 'concat_ws') {
      const [separator = 1, ...parts] = args.map(arg => growth(arg, scope, offset));
      return note(
        parts.reduce((sum, part) => sum + part + separator, 1),
        offset,
        name,
      );
    }
    if (name === 'array_to_string') {
      const lengths = args.slice(1).map(arg => constantLength(arg, name, offset));
      return note(largest(args.slice(0, 1), scope, offset) * lengths.reduce((sum, length) => sum + length, 1), offset, name);
    }
    // The replacement may come after every character, and stands for at most the whole match with each of its references.
    if (name === 'regexp_replace') return note(largest(args, scope, offset) * (1 + constantLength(args[2], name, offset)), offset, name);
    // U+FDFA becomes eighteen characters.
    if (name === 'normalize') return note(largest(args, scope, offset) * 18, offset, name);
    // `Day` in a pattern becomes `Wednesday`.
    if (name === 'to_char') return note(largest(args, scope, offset) * 5, offset, name);
    if (pathFunctions.has(name)) checkPath(args[1], name, offset);
    return Math.max(others, largest(args, scope, offset));
  }

  function select(node: NodeFields, outer: Scope, offset: number | undefined): number {
    const ctes = new Map(outer.ctes);
    for (const cte of ((node.withClause as NodeFields | undefined)?.ctes ?? []) as { CommonTableExpr: NodeFields }[])
      ctes.set(String(cte.CommonTableExpr.ctename), growth(cte.CommonTableExpr.ctequery, { ...outer, ctes }, offset));
    const inner = { columns: outer.columns, ctes };
    if (node.larg && node.rarg)
      return Math.max(select(node.larg as NodeFields, inner, offset), select(node.rarg as NodeFields, inner, offset));
    // A join condition and a lateral sub-select may read the relations before them.
    const scope = ((node.fromClause ?? []) as unknown[]).reduce<Scope>(
      (seen, item) => ({ ...seen, columns: Math.max(seen.columns, source(item, seen, offset)) }),
      inner,
    );
    const { withClause: _, fromClause: __, targetList = [], valuesLists = [], ...clauses } = node;
    largest(children(clauses), scope, offset);
    const rows = (valuesLists as { List: { items: unknown[] } }[]).flatMap(row => row.List.items);
    return largest([...(targetList as unknown[]), ...rows], scope, offset);
  }

  function source(item: unknown, scope: Scope, offset: number | undefined): number {
    const { RangeVar: table, JoinExpr: join, RangeSubselect: nested } = item as Record<string, NodeFields | undefined>;
    if (table) return table.schemaname === undefined ? (scope.ctes.get(String(table.relname)) ?? 1) : 1;
    if (nested) return growth(nested.subquery, scope, offset);
    if (!join) return largest([item], scope, offset);
    const left = source(join.larg, scope, offset);
    const columns = Math.max(scope.columns, left, source(join.rarg, { ...scope, columns: Math.max(scope.columns, left) }, offset));
    if (join.quals) growth(join.quals, { ...scope, columns }, offset);
    return columns;
  }

  function total(nodes: unknown[], scope: Scope, offset: number | undefined): number {
    return nodes.reduce<number>((sum, node) => sum + growth(node, scope, offset), 0);
  }

  function largest(nodes: unknown[], scope: Scope, offset: number | undefined): number {
    return nodes.reduce<number>((most, node) => Math.max(most, growth(node, scope, offset)), 1);
  }
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

function constantLength(node: unknown, name: string, offset: number | undefined): number {
  const text = textOf(node);
  if (text !== null) return text.length;
  const what = name === 'regexp_replace' ? { zh: '替换文本', en: 'replacement' } : { zh: '分隔符', en: 'separator' };
  throw new Refusal('function', name, offset, { zh: `${what.zh}必须是常量`, en: `its ${what.en} must be a constant` });
}

const longestPath = 1_000;

/** `$[0,0,0][0,0,0]…` finds the same element many times: a list of subscripts multiplies, and `**` visits every level. */
function checkPath(node: unknown, name: string, offset: number | undefined): void {
  const constant = (node as { TypeCast?: { arg: unknown } } | undefined)?.TypeCast?.arg ?? node;
  const path = textOf(constant);
  if (path !== null && path.length <= longestPath && !/,|\*\*/.test(path.replace(/"(?:[^"\\]|\\.)*"/g, '""'))) return;
  throw new Refusal('function', name, offset, {
    zh: `路径必须是至多 ${longestPath} 个字符的常量，不含逗号分隔的下标或 **`,
    en: `its path must be a constant of at most ${longestPath} characters without lists of subscripts and without **`,
  });
}

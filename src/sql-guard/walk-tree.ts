import { type Bilingual } from '../text/bilingual.js';
import { type NodeRules, reasonForNode, writtenWord } from './node-rules.js';
import { type SqlTree } from './sql-parser.js';
import { type UnsafeReason } from './sql-guard.errors.js';

/** Maximum levels of a tree. PostgreSQL's own parser copes with more levels, but `visit` below recurses once for each level. */
const maxDepth = 500;

/** A refusal whose place still counts bytes of the parsed text. The guard converts this place to characters of the client's text. */
export class Refusal extends Error {
  constructor(
    readonly reason: UnsafeReason,
    readonly token: string | undefined,
    readonly byteOffset: number | undefined,
    readonly hint?: Bilingual,
    readonly sentence?: Bilingual,
  ) {
    super(reason);
  }
}

export type NodeFields = Readonly<Record<string, unknown>>;
export type CheckNode = (type: string, node: NodeFields, byteOffset: number | undefined) => void;

/**
 * Visits every node of `tree` and checks it against an allow-list of node types and of the keys of each type. `check` is called for each
 * node before its children, and throws a {@link Refusal} for a name that is not allowed.
 */
export function walkTree(tree: SqlTree, rules: NodeRules, check: CheckNode): void {
  visit(tree, undefined, 0);

  function visit(wrapped: unknown, parentOffset: number | undefined, depth: number): void {
    const entries = Object.entries(wrapped as NodeFields);
    const [type, node] = entries[0] ?? ['(empty)', undefined];
    if (entries.length !== 1) throw new Refusal('operator', type, parentOffset);
    visitBare(type, node, parentOffset, depth);
  }

  function visitBare(type: string, value: unknown, parentOffset: number | undefined, depth: number): void {
    const node = value as NodeFields;
    const offset = typeof node.location === 'number' && node.location >= 0 ? node.location : parentOffset;
    const keys = Object.hasOwn(rules, type) ? rules[type] : undefined;
    if (!keys) throw refusedNode(type, node, offset);
    if (depth > maxDepth) throw new Refusal('length', undefined, offset);
    check(type, node, offset);
    for (const [key, child] of Object.entries(node)) {
      if (key === 'location') continue;
      const rule = Object.hasOwn(keys, key) ? keys[key] : undefined;
      if (rule === undefined) throw refusedKey(type, key, offset);
      if (rule === 'plain') continue;
      if (rule === 'node') visit(child, offset, depth + 1);
      else if (rule === 'nodes') for (const each of child as unknown[]) visit(each, offset, depth + 1);
      else if (rule === 'nodes or empty') {
        const list = (child as object[]).filter(each => Object.keys(each).length > 0);
        for (const each of list) visit(each, offset, depth + 1);
      } else visitBare(rule.slice('bare:'.length), child, offset, depth + 1);
    }
  }
}

/**
 * The refusal of a node type. For a function in FROM it has the name and place of the function, because the clause itself has no place in
 * the tree.
 */
function refusedNode(type: string, node: NodeFields, offset: number | undefined): Refusal {
  if (type !== 'RangeFunction') return new Refusal(reasonForNode(type), writtenWord(type), offset);
  const [first] = node.functions as { List?: { items: { FuncCall?: { funcname: unknown; location?: number } }[] } }[];
  const call = first?.List?.items[0]?.FuncCall;
  const name = call && nameParts(call.funcname).join('.');
  return new Refusal('statement', name, call?.location ?? offset, undefined, functionInFrom);
}

function refusedKey(type: string, key: string, offset: number | undefined): Refusal {
  const token = writtenWord(key) ?? key;
  if (type === 'FuncCall') return new Refusal('function', token, offset);
  if (type === 'TypeName') return new Refusal('type', token, offset);
  const isClause = ['SelectStmt', 'RangeVar', 'WithClause', 'CommonTableExpr'].includes(type);
  return isClause ? new Refusal('statement', token, offset, undefined, clauseRefused) : new Refusal('operator', token, offset);
}

const functionInFrom: Bilingual = { zh: 'FROM 中不能用函数', en: 'a function cannot stand in FROM' };
const clauseRefused: Bilingual = { zh: '查询中不允许此子句', en: 'a query may not have this clause' };

/** The parts of a dotted name (`funcname`, `fields`, `names`, …). A part that is not a string, such as `*`, becomes null. */
export function nameParts(list: unknown): (string | null)[] {
  return (list as { String?: { sval?: string } }[]).map(part => (part.String ? (part.String.sval ?? '') : null));
}

/** The wrapped nodes directly under a node: values with one key that begins with a capital letter. */
export function childNodes(fields: NodeFields): unknown[] {
  return Object.values(fields).flatMap(value => {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap(each => {
      if (typeof each !== 'object' || each === null) return [];
      const [key = ''] = Object.keys(each);
      // Some nodes have no wrapper, such as `over: {…}` and `typeName: {…}`.
      return /^[A-Z]/.test(key) ? [each] : childNodes(each as NodeFields);
    });
  });
}

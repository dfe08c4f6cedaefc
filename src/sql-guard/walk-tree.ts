import { type Bilingual } from '../text/bilingual.js';
import { type NodeRules, reasonForNode } from './node-rules.js';
import { type SqlTree } from './sql-parser.js';
import { type UnsafeReason } from './sql-guard.errors.js';

/** PostgreSQL's own parser copes with more, but the walk below recurses once for each level. */
const maxDepth = 500;

/** A refusal whose place still counts bytes of the parsed text. The guard turns it into characters of the client's text. */
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
 * Visits every node of `tree` against an allow-list of node types and of the keys inside each. `check` is called for each node
 * before its children, and throws a {@link Refusal} for a name that is not allowed.
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
    if (!keys) throw new Refusal(reasonForNode(type), undefined, offset);
    if (depth > maxDepth) throw new Refusal('length', undefined, offset);
    check(type, node, offset);
    for (const [key, child] of Object.entries(node)) {
      if (key === 'location') continue;
      const rule = Object.hasOwn(keys, key) ? keys[key] : undefined;
      if (rule === undefined) throw new Refusal(reasonForKey(type), key, offset);
      if (rule === 'plain') continue;
      if (rule === 'node') visit(child, offset, depth + 1);
      else if (rule === 'nodes') for (const each of child as unknown[]) visit(each, offset, depth + 1);
      else visitBare(rule.slice('bare:'.length), child, offset, depth + 1);
    }
  }
}

function reasonForKey(type: string): UnsafeReason {
  if (type === 'FuncCall') return 'function';
  if (type === 'TypeName') return 'type';
  if (['SelectStmt', 'RangeVar', 'WithClause', 'CommonTableExpr'].includes(type)) return 'statement';
  return 'operator';
}

/** The parts of a dotted name (`funcname`, `fields`, `names`, …). A part that is not a string, such as `*`, becomes null. */
export function nameParts(list: unknown): (string | null)[] {
  return (list as { String?: { sval?: string } }[]).map(part => (part.String ? (part.String.sval ?? '') : null));
}

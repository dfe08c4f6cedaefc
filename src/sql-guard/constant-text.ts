import { type NodeFields } from './walk-tree.js';

/** The text of a constant string; null for any other node. */
export function constantText(node: unknown): string | null {
  const constant = (node as { A_Const?: { sval?: { sval?: string } } } | undefined)?.A_Const?.sval;
  return constant ? (constant.sval ?? '') : null;
}

/** The expression that a cast casts, or the node itself. */
export function withoutCast(node: unknown): unknown {
  return (node as { TypeCast?: NodeFields } | undefined)?.TypeCast?.arg ?? node;
}

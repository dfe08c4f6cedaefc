/** The text of a constant string; null for any other node. */
export function constantText(node: unknown): string | null {
  const constant = (node as { A_Const?: { sval?: { sval?: string } } } | undefined)?.A_Const?.sval;
  return constant ? (constant.sval ?? '') : null;
}

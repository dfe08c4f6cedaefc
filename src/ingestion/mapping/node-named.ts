const labelPrefix = 'label:';

/** Value of the key `node` in a mapping: the handle of one of its own nodes, or `label:客户` for nodes that another job loads. */
export type NodeName = { node: string; label: null } | { node: null; label: string };

export function nodeNamed(written: string): NodeName {
  return written.startsWith(labelPrefix) ? { node: null, label: written.slice(labelPrefix.length) } : { node: written, label: null };
}

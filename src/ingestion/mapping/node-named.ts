const labelPrefix = 'label:';

/** The value of the key `node` in a mapping: the handle of a node of the same mapping, or `label:客户` for nodes that another job loads. */
export type NodeName = { node: string; label: null } | { node: null; label: string };

export function nodeNamed(written: string): NodeName {
  return written.startsWith(labelPrefix) ? { node: null, label: written.slice(labelPrefix.length) } : { node: written, label: null };
}

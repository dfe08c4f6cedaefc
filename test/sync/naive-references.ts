/**
 * Computes row by row in memory which rows a run with the rule `references` rejects. A rejected row may be the one that others refer to, so
 * all rows are judged again until nothing changes.
 */
export interface SourceRow {
  id: string | null;
  /** Must be a whole number. */
  v: string | null;
  u: string | null;
  ref: string | null;
  /** The key of the node at the target end of an edge. */
  to: string | null;
  gone: boolean;
}

export interface ReferenceSpec {
  label: string;
  severity: 'error' | 'warn';
  /** If true, the rule applies only to rows whose `u` has a value. */
  isConditional: boolean;
}

interface TargetSpec {
  name: string;
  table: string;
  references: ReferenceSpec | null;
}
export interface NodeSpec extends TargetSpec {
  deletes: 'snapshot' | 'none' | 'column';
  isUnique: boolean;
}
/** An edge from the node `id` of the label `from` to the node `to` of the label `to`. Rows without both nodes are skipped. */
export interface EdgeSpec extends TargetSpec {
  from: string;
  to: string;
}
export interface Spec {
  onError: 'quarantine' | 'fail';
  nodes: NodeSpec[];
  edges: EdgeSpec[];
}

export interface Outcome {
  status: 'succeeded' | 'failed';
  /** The rules that each rejected row breaks. A key names the target and the row, such as `A 1`. */
  rejected: Record<string, string[]>;
  /** The number of rows that break `references` with severity `warn`, by target. */
  warned: Record<string, number>;
}

interface Judged {
  spec: TargetSpec;
  row: SourceRow;
  at: string;
  reasons: Set<string>;
  isSkipped: boolean;
}

export class NaiveReferences {
  /** The jobs that own each node, by label and key. */
  nodes = new Map<string, Map<string, Set<number>>>();

  run(job: number, { onError, nodes, edges }: Spec, tables: Record<string, SourceRow[]>): Outcome {
    const targets = [...nodes, ...edges].map(spec => judge(spec, tables[spec.table]!));
    const standing = (label: string): Set<string> => {
      const index = nodes.findIndex(({ name }) => name === label);
      const inGraph = this.nodes.get(label) ?? new Map<string, Set<number>>();
      if (index < 0) return new Set(inGraph.keys());
      const rows = targets[index]!;
      const written = new Set(rows.filter(isWritten).map(({ row }) => row.id!));
      const stays = (key: string, owners: Set<number>): boolean =>
        !owners.has(job) || owners.size > 1 || !leaves(nodes[index]!, rows, written, key);
      return new Set([...written, ...[...inGraph].filter(([key, owners]) => stays(key, owners)).map(([key]) => key)]);
    };
    for (let changed = true; changed;) {
      changed = false;
      for (const judged of targets.flat()) {
        const { references } = judged.spec;
        if (references?.severity !== 'error' || !isAsked(judged) || judged.reasons.has('references')) continue;
        if (standing(references.label).has(judged.row.ref!)) continue;
        judged.reasons.add('references');
        changed = true;
      }
    }
    const warned: Record<string, number> = {};
    for (const judged of targets.flat().filter(({ reasons }) => reasons.size === 0)) {
      const { references, name } = judged.spec;
      if (references?.severity !== 'warn' || !isAsked(judged) || standing(references.label).has(judged.row.ref!)) continue;
      warned[name] = (warned[name] ?? 0) + 1;
    }
    const bad = targets.flat().filter(({ reasons }) => reasons.size > 0);
    const rejected = Object.fromEntries(bad.map(({ at, reasons }) => [at, [...reasons].sort()]));
    if (onError === 'fail' && bad.length > 0) return { status: 'failed', rejected, warned: {} };
    const before = structuredClone(this.nodes);
    nodes.forEach((node, index) => this.write(job, node, targets[index]!));
    const isLost = edges.some((edge, index) => this.findsNone(edge, targets[nodes.length + index]!));
    if (isLost) this.nodes = before;
    if (isLost) return { status: 'failed', rejected, warned: {} };
    return { status: 'succeeded', rejected, warned };
  }

  shown(): Record<string, string[]> {
    return Object.fromEntries([...this.nodes].flatMap(([label, nodes]) => (nodes.size === 0 ? [] : [[label, [...nodes.keys()].sort()]])));
  }

  /** Whether rows were read, but for none of them the nodes at both ends exist. */
  private findsNone({ from, to }: EdgeSpec, rows: Judged[]): boolean {
    const open = rows.filter(each => isWritten(each) && each.row.id !== null && each.row.to !== null);
    const has = (label: string, key: string | null): boolean => this.nodes.get(label)?.has(key!) ?? false;
    return open.length > 0 && !open.some(({ row }) => has(from, row.id) && has(to, row.to));
  }

  private write(job: number, node: NodeSpec, rows: Judged[]): void {
    const nodes = this.nodes.get(node.name) ?? new Map<string, Set<number>>();
    this.nodes.set(node.name, nodes);
    const written = new Set(rows.filter(isWritten).map(({ row }) => row.id!));
    for (const key of written) nodes.set(key, new Set([...(nodes.get(key) ?? []), job]));
    for (const [key, owners] of [...nodes]) {
      if (!owners.has(job) || !leaves(node, rows, written, key)) continue;
      owners.delete(job);
      if (owners.size === 0) nodes.delete(key);
    }
  }
}

/** Whether the job gives up a node, because of the rows of the source and the target's `deletes`. */
function leaves({ deletes }: NodeSpec, rows: Judged[], written: Set<string>, key: string): boolean {
  if (deletes === 'none') return false;
  if (deletes === 'snapshot') return !rows.some(({ row }) => row.id === key && !row.gone);
  return rows.some(({ row }) => row.id === key && row.gone) && !written.has(key);
}

function isWritten({ row, reasons, isSkipped }: Judged): boolean {
  return !row.gone && !isSkipped && reasons.size === 0;
}

function isAsked({ row, spec, isSkipped }: Judged): boolean {
  return row.ref !== null && !row.gone && !isSkipped && (!spec.references!.isConditional || row.u !== null);
}

/** Judges the rules before references, in this order: types and empty keys, `unique`, repeated keys. */
function judge(spec: NodeSpec | EdgeSpec, rows: SourceRow[]): Judged[] {
  const isNode = 'deletes' in spec;
  const judged = rows.map((row, index): Judged => {
    const isGone = row.gone && isNode && spec.deletes === 'column';
    return { spec, row: { ...row, gone: isGone }, at: `${spec.name} ${index + 1}`, reasons: new Set(), isSkipped: false };
  });
  const open = judged.filter(({ row }) => !row.gone);
  for (const { row, reasons } of open) {
    if (isNode && row.id === null) reasons.add('required');
    if (row.v !== null && !/^\d+$/.test(row.v)) reasons.add('type');
  }
  if (!isNode) return judged;
  if (spec.isUnique) {
    const isGood = new Set(open.filter(({ reasons }) => reasons.size === 0));
    for (const [index, each] of open.entries()) {
      if (each.row.u !== null && open.slice(0, index).some(earlier => isGood.has(earlier) && earlier.row.u === each.row.u))
        each.reasons.add('unique');
    }
  }
  const seen = new Set<string>();
  for (const each of open.filter(({ reasons }) => reasons.size === 0)) {
    each.isSkipped = seen.has(each.row.id!);
    seen.add(each.row.id!);
  }
  return judged;
}

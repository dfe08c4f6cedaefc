/**
 * Works out row by row in memory which rows a run with rules `references` rejects and which it keeps. It judges all rows again until
 * nothing changes any more.
 */
export interface SourceRow {
  id: string | null;
  /** Must be a whole number. */
  v: string | null;
  u: string | null;
  ref: string | null;
  /** The other end of an edge. */
  to: string | null;
  gone: boolean;
}

export interface ReferenceSpec {
  label: string;
  severity: 'error' | 'warn';
  /** Only rows whose `u` has a value are asked. */
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
/** Joins the label `from` by `id` to the label `to` by `to`; rows without both nodes are skipped. */
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
  /** The rules that each rejected row breaks, by target and row. */
  rejected: Record<string, string[]>;
  /** The rows that break `references` as a warning, by target. */
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
  /** The owners of each node, by label and key. */
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

  /** Tells whether rows were read and none finds the nodes at both ends. */
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

/** Tells whether the source gives up a node. */
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

/** Everything but references: types, keys, `unique`, and repeated keys, in this order. */
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

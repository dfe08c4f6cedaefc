import { type Element } from './naive-graph.js';

/** The counts that a run should report, computed from the graph before the run and the graph after it. */
export interface TargetCounts {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  deleted: number;
  lost_properties: number;
  shared: number;
}
export interface RunCounts {
  /** The counts by the name of the target in the report. */
  targets: Record<string, TargetCounts>;
  edges_removed: number;
}

/** The result of a run for one element of the mapping. An element is named `(A)` or `A-R->B`. */
export interface DoneTarget {
  element: string;
  /** False for an element that the mapping no longer names. */
  isMapped: boolean;
  rows: number;
  /** The keys of the rows that were written. */
  good: Set<string>;
}

type Elements = Map<string, Map<string, Element>>;

export function countChanges(job: number, done: DoneTarget[], before: Elements, after: Elements): RunCounts {
  const counts: RunCounts = { targets: {}, edges_removed: 0 };
  for (const target of done) {
    const { element, good, rows } = target;
    const [old, now] = [before, after].map(elements => elements.get(element) ?? new Map<string, Element>()) as [
      Map<string, Element>,
      Map<string, Element>,
    ];
    const isChanged = (key: string): boolean => shown(old.get(key)!) !== shown(now.get(key)!);
    const again = [...good].filter(key => old.has(key));
    const updated = again.filter(isChanged).length;
    counts.targets[reportName(target, done)] = {
      read: rows,
      inserted: good.size - again.length,
      updated,
      unchanged: again.length - updated,
      deleted: [...old].filter(([key, { owners }]) => !now.has(key) && owners.has(job) && !wentWithNode(job, target, key, owners, after))
        .length,
      lost_properties: [...old.keys()].filter(key => now.has(key) && !good.has(key) && isChanged(key)).length,
      shared: again.filter(key => !old.get(key)!.owners.has(job)).length,
    };
  }
  for (const [element, edges] of before) {
    if (element.startsWith('(')) continue;
    const target = done.find(each => each.element === element) ?? null;
    for (const [key, { owners }] of edges) {
      if (!after.get(element)!.has(key) && (target === null || wentWithNode(job, target, key, owners, after))) counts.edges_removed++;
    }
  }
  return counts;
}

function shown({ properties }: Element): string {
  return JSON.stringify(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether an edge went because a node went. Edges that only this job yields, and maps no longer, go before any node. */
function wentWithNode(job: number, { element, isMapped }: DoneTarget, key: string, owners: Set<number>, after: Elements): boolean {
  const ends = /^(\w+)-\w+->(\w+)$/.exec(element);
  if (!ends || (!isMapped && owners.size === 1 && owners.has(job))) return false;
  const [from, to] = JSON.parse(key) as [string, string];
  return !after.get(`(${ends[1]})`)?.has(from) || !after.get(`(${ends[2]})`)?.has(to);
}

/** The label of a node. For an edge, its type; with both labels if the mapping, or the dropped part of it, has the type more than once. */
function reportName({ element, isMapped }: DoneTarget, done: DoneTarget[]): string {
  const parts = /^(\w+)-(\w+)->(\w+)$/.exec(element);
  if (!parts) return element.slice(1, -1);
  const [, from, type, to] = parts;
  const alike = done.filter(other => other.element.includes(`-${type}->`) && (other.isMapped || !isMapped || other.element === element));
  return alike.length === 1 ? type! : `${from}-[${type}]->${to}`;
}

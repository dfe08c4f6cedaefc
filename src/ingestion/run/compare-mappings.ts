import { type ColumnMapping, type Mapping } from '../mapping/mapping.js';
import { mappingOf, type Target, targetsOf } from '../staging/target.js';
import { droppedName, elementOf, isSame } from './ownership.js';

/**
 * The difference between a target and the target of an earlier mapping for the same label, or for the same edge type between the same
 * labels.
 */
export interface TargetChange {
  target: string;
  kind: 'node' | 'edge';
  change: 'added' | 'removed' | 'changed' | 'unchanged';
  /** The mapping keys of the target whose values differ, apart from `columns`. */
  keys: string[];
  properties: { added: string[]; removed: string[]; changed: string[] };
  /** Added and removed rules, each as `property: rule`. */
  rules: { added: string[]; removed: string[] };
  /**
   * True if the target reads other rows than before, or identifies rows by other keys. Elements of earlier runs may then have no row any
   * more.
   */
  readsOtherRows: boolean;
}

const none = (): Pick<TargetChange, 'keys' | 'properties' | 'rules'> => ({
  keys: [],
  properties: { added: [], removed: [], changed: [] },
  rules: { added: [], removed: [] },
});

/** The changes of all targets: first the targets of the new mapping in its order, then the removed targets. */
export function compareMappings(before: Mapping, after: Mapping): TargetChange[] {
  const old = targetsOf(before);
  const now = targetsOf(after);
  const isIn = (targets: Target[], target: Target): Target | undefined =>
    targets.find(other => isSame(elementOf(other), elementOf(target)));
  const removed = old.filter(target => !isIn(now, target));
  const elements = [...old, ...now].map(elementOf);
  return [
    ...now.map(target => compareTarget(before, isIn(old, target), after, target)),
    ...removed.map(target => ({
      target: droppedName(elementOf(target), elements),
      kind: target.kind,
      change: 'removed' as const,
      readsOtherRows: false,
      ...none(),
    })),
  ];
}

function compareTarget(before: Mapping, old: Target | undefined, after: Mapping, now: Target): TargetChange {
  const { name: target, kind } = now;
  if (!old) return { target, kind, change: 'added', readsOtherRows: false, ...none() };
  const [left, right] = [keysOf(before, old), keysOf(after, now)];
  const keys = Object.keys({ ...left, ...right }).filter(key => !isEqual(left[key], right[key]));
  const properties = compareProperties(old.element.columns, now.element.columns);
  const rules = compareRules(old.element.columns, now.element.columns);
  const counts = [keys, properties.added, properties.removed, properties.changed, rules.added, rules.removed];
  const readsOtherRows = !isEqual(readingOf(before, old), readingOf(after, now));
  const isChanged = readsOtherRows || counts.some(list => list.length > 0);
  return { target, kind, change: isChanged ? 'changed' : 'unchanged', keys, properties, rules, readsOtherRows };
}

/**
 * The values of a mapping that decide how a target makes its rows, by mapping key, apart from `columns`. Handles and places in the text are
 * left out, because they do not change the rows.
 */
function keysOf({ source, defaults }: Mapping, { kind, element }: Target): Record<string, unknown> {
  const shared = {
    connection: source.connection,
    timezone: source.timezone,
    defaults: [defaults.emptyAsNull, defaults.trim],
    aliases: element.aliases,
    source: element.source,
    where: element.where,
    key: element.key,
    incremental: element.incremental,
    deletes: element.deletes,
  };
  if (kind === 'node') {
    const labels = element.labels.map(({ name, aliases, when }) => ({ name, aliases, when }));
    return { ...shared, labels, display: element.display, write: element.write };
  }
  const end = ({ match, onMissing }: typeof element.from): unknown => ({ match, onMissing });
  return { ...shared, from: end(element.from), to: end(element.to) };
}

/** The parts of a mapping that decide which rows a target reads, and by which keys it identifies them. */
function readingOf(mapping: Mapping, { kind, element }: Target): unknown {
  const { source, defaults, nodes } = mapping;
  const cleaning = (columns: ColumnMapping[], column: string): unknown => {
    const mapped = mappingOf(columns, column);
    return mapped ? [mapped.type, mapped.transform, mapped.default] : null;
  };
  const ends = kind === 'node' ? [] : [element.from, element.to];
  return [
    [source.connection, source.timezone, defaults.emptyAsNull, defaults.trim],
    [element.source, element.where, element.incremental && [element.incremental.cursor, element.incremental.initial]],
    element.key.map(column => [column, isAsUnmapped(mappingOf(element.columns, column)) ? null : cleaning(element.columns, column)]),
    ends.map(({ node, match }) => {
      const columns = nodes.find(({ id }) => id === node)?.columns ?? [];
      return match.map(({ edgeColumn, nodeColumn }) => [
        edgeColumn,
        cleaning(element.columns, edgeColumn),
        nodeColumn,
        cleaning(columns, nodeColumn),
      ]);
    }),
  ];
}

/** True if the mapping of a key column leaves its values as they are: they are not converted, transformed or replaced by a default. */
function isAsUnmapped(mapped: ColumnMapping | undefined): boolean {
  if (!mapped) return true;
  const { type, transform, default: usual } = mapped;
  return type === null && transform.length === 0 && usual === null;
}

function compareProperties(before: ColumnMapping[], after: ColumnMapping[]): TargetChange['properties'] {
  const print = ({ source, type, transform, default: usual, sensitive }: ColumnMapping): unknown => [
    source,
    type,
    transform,
    usual,
    sensitive,
  ];
  const old = new Map(before.map(column => [column.property, print(column)]));
  const now = new Map(after.map(column => [column.property, print(column)]));
  return {
    added: [...now.keys()].filter(property => !old.has(property)),
    removed: [...old.keys()].filter(property => !now.has(property)),
    changed: [...now.keys()].filter(property => old.has(property) && !isEqual(old.get(property), now.get(property))),
  };
}

function compareRules(before: ColumnMapping[], after: ColumnMapping[]): TargetChange['rules'] {
  const [old, now] = [new Set(before.flatMap(rulesOf)), new Set(after.flatMap(rulesOf))];
  return { added: [...now].filter(rule => !old.has(rule)), removed: [...old].filter(rule => !now.has(rule)) };
}

function rulesOf({ property, rules }: ColumnMapping): string[] {
  return rules.map(({ kind, path: _path, severity, message, when, ...argument }) => {
    // The text shows the label of a referenced node, which readers understand better than the node's handle.
    const shown = Object.keys(argument).length === 0 ? '' : ` ${JSON.stringify({ ...argument, node: undefined })}`;
    const modifiers = [
      severity === 'warn' ? ' warn' : '',
      message === null ? '' : ` ${JSON.stringify(message)}`,
      when === null ? '' : ` when ${JSON.stringify(when.predicate)}`,
    ];
    return `${property}: ${kind}${shown}${modifiers.join('')}`;
  });
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

import { type ColumnMapping, type EdgeEnd, type EdgeMapping, type MappingPath } from './mapping.js';
import { nearestName } from '../../text/nearest-name.js';
import { type MappingProblems } from './problems.js';
import { fitsType } from './property-type.js';
import { type WrittenEdge, type WrittenEnd, type WrittenNode } from './read-element.js';

/** The most columns of a key, as many as an index in PostgreSQL can have. */
const maxKeyColumns = 32;
/**
 * The most rules of a node or an edge. Rules, columns and keys may each need a column of the staging table, which PostgreSQL limits to
 * 1,600 columns.
 */
const maxRules = 1_000;
const fullWidthComma = {
  zh: '这里有全角逗号「，」，请用半角逗号分隔',
  en: 'this holds a full-width comma (，): use , between the items, or quote the value if it is one name',
};

/** Checks rules that span several values or several nodes, such as unique names and mapped keys. */
export function checkNodes(nodes: WrittenNode[], problems: MappingProblems): void {
  const ids = new Map<string, MappingPath>();
  const labels = new Map<string, MappingPath>();
  for (const node of nodes) {
    reportRepeated(ids, node.id, [...node.path, 'id'], 'duplicate_id', problems);
    reportRepeated(labels, node.label, [...node.path, 'label'], 'duplicate_label', problems);
    checkElement(node, problems);
    const own = new Map<string, MappingPath>();
    if (node.label !== null) own.set(node.label, [...node.path, 'label']);
    for (const { name, path } of node.labels) reportRepeated(own, name, path, 'duplicate_label', problems);
    const mapped = mappedColumns(node.columns);
    node.key.forEach((column, index) => {
      // If no column could be read, the reason has been reported already.
      if (mapped.has(column) || node.columns.length === 0) return;
      problems.add(
        'key_not_mapped',
        [...node.path, 'key', index],
        { zh: `主键列 '${column}' 没有列在 columns 中`, en: `key column '${column}' is not listed in columns` },
        {
          hint: column.includes('，')
            ? fullWidthComma
            : { zh: `在 columns 中加：- {column: ${column}}`, en: `add to columns: - {column: ${column}}` },
        },
      );
    });
    if (node.display !== null && !mapped.has(node.display)) {
      problems.add('key_not_mapped', [...node.path, 'display'], {
        zh: `显示列 '${node.display}' 没有列在 columns 中`,
        en: `display column '${node.display}' is not listed in columns`,
      });
    }
  }
}

/**
 * Resolves the ends of each edge to labels, and orders the columns of each end like the node's key. Edges whose ends cannot be resolved are
 * left out.
 */
export function checkEdges(edges: WrittenEdge[], nodes: WrittenNode[], allNodesRead: boolean, problems: MappingProblems): EdgeMapping[] {
  const handles = byHandle(nodes);
  const resolved: EdgeMapping[] = [];
  for (const edge of edges) {
    checkElement(edge, problems);
    const from = edge.from && resolveEnd(edge, edge.from, handles, allNodesRead, problems);
    const to = edge.to && resolveEnd(edge, edge.to, handles, allNodesRead, problems);
    const { type, source } = edge;
    if (from && to && type !== null && source) resolved.push({ ...edge, type, source, from, to });
  }
  const targets = new Map<string, MappingPath>();
  for (const edge of resolved) {
    const target = `${edge.from.label}\0${edge.type}\0${edge.to.label}`;
    if (targets.has(target)) {
      problems.add('duplicate_label', [...edge.path, 'type'], {
        zh: `${edge.from.label} 到 ${edge.to.label} 的「${edge.type}」写了两次`,
        en: `'${edge.type}' from ${edge.from.label} to ${edge.to.label} is mapped twice`,
      });
    }
    targets.set(target, edge.path);
  }
  return resolved;
}

/** The nodes whose handles could be read, by handle. */
export function byHandle(nodes: readonly WrittenNode[]): Map<string, WrittenNode> {
  return new Map(nodes.flatMap(node => (node.id === null ? [] : [[node.id, node]])));
}

function resolveEnd(
  edge: WrittenEdge,
  end: WrittenEnd,
  handles: Map<string, WrittenNode>,
  allNodesRead: boolean,
  problems: MappingProblems,
): EdgeEnd | null {
  const matchPath = [...end.path, 'match'];
  checkKeySize(end.match.length, matchPath, problems);
  if (end.match.length === 0) {
    problems.add('match_incomplete', matchPath, { zh: 'match 至少要有一对列', en: 'match needs at least one pair of columns' });
    return null;
  }
  // Another job loads this label. The key of the label is stored only in the graph, so the pairs keep their written order.
  if (end.node === null) return { ...end, label: end.label! };
  const node = handles.get(end.node);
  if (!node) {
    if (allNodesRead) reportUnknownNode(end.node, end.path, handles, problems);
    return null;
  }
  // The unreadable key of the node has been reported. A match with an unreadable key cannot be checked.
  if (node.key.length === 0) return null;
  const paired = new Map(end.match.map(pair => [pair.nodeColumn, pair]));
  const missing = node.key.filter(column => !paired.has(column));
  const key = new Set(node.key);
  const extra = end.match.filter(pair => !key.has(pair.nodeColumn));
  if (missing.length > 0 || extra.length > 0 || paired.size < end.match.length) {
    const wrong = extra[0]?.nodeColumn;
    const meant = wrong === undefined ? null : nearestName(wrong, missing);
    const asked = meant === null ? { zh: '', en: '' } : { zh: `，是否想写 '${meant}'？`, en: `; did you mean '${meant}'?` };
    const found = wrong === undefined ? { zh: '', en: '' } : { zh: `；'${wrong}' 不是其中之一`, en: `; '${wrong}' is none of them` };
    problems.add(
      'match_incomplete',
      matchPath,
      {
        zh: `「${edge.type ?? '…'}」的 match 必须恰好覆盖节点 '${end.node}' 的主键列：${node.key.join('、')}${found.zh}${asked.zh}`,
        en: `the match of edge ${edge.type ?? '…'} must cover exactly the key columns of node '${end.node}': ${node.key.join(', ')}${found.en}${asked.en}`,
      },
      { hint: `match: {${node.key.map(column => `${column}: ${column}`).join(', ')}}` },
    );
    return null;
  }
  if (node.label === null) return null;
  return { ...end, label: node.label, match: node.key.map(column => paired.get(column)!) };
}

/** Reports that no node of the mapping has this handle, at the key `node` below the path `at`. */
export function reportUnknownNode(
  handle: string,
  at: MappingPath,
  handles: ReadonlyMap<string, WrittenNode>,
  problems: MappingProblems,
): void {
  if (problems.isFull) return;
  const meant = nearestName(handle, handles.keys());
  problems.add(
    'unknown_node_ref',
    [...at, 'node'],
    meant === null
      ? { zh: `没有 id 为 '${handle}' 的节点`, en: `there is no node with id '${handle}'` }
      : {
          zh: `没有 id 为 '${handle}' 的节点，是否想写 '${meant}'？`,
          en: `there is no node with id '${handle}'; did you mean '${meant}'?`,
        },
    { hint: [...handles.keys(), 'label:…'].join(', ') },
  );
}

function checkElement(element: WrittenNode | WrittenEdge, problems: MappingProblems): void {
  const properties = new Map<string, MappingPath>();
  for (const column of element.columns) {
    reportRepeated(properties, column.property, [...column.path, 'property'], 'duplicate_property', problems);
  }
  checkKeySize(element.key.length, [...element.path, 'key'], problems);
  const rules = element.columns.reduce((sum, column) => sum + column.rules.length, 0);
  if (rules > maxRules) {
    problems.add('wrong_type', [...element.path, 'columns'], {
      zh: `各列合计最多 ${maxRules} 条规则，这里有 ${rules} 条`,
      en: `the columns have ${rules} rules; at most ${maxRules} together`,
    });
  }
  const { incremental } = element;
  if (incremental?.initial != null && !fitsType(incremental.initial, { name: incremental.type })) {
    problems.add('wrong_type', [...element.path, 'incremental', 'initial'], {
      zh: `'${incremental.initial}' 不能按 ${incremental.type} 解析`,
      en: `cannot read '${incremental.initial}' as ${incremental.type}`,
    });
  }
}

function checkKeySize(size: number, path: MappingPath, problems: MappingProblems): void {
  if (size <= maxKeyColumns) return;
  problems.add('wrong_type', path, {
    zh: `主键最多 ${maxKeyColumns} 列，这里有 ${size} 列`,
    en: `a key has at most ${maxKeyColumns} columns, and here are ${size}`,
  });
}

function mappedColumns(columns: ColumnMapping[]): Set<string> {
  return new Set(columns.flatMap(({ source }) => (source.kind === 'column' ? [source.column] : [])));
}

function reportRepeated(
  seen: Map<string, MappingPath>,
  name: string | null,
  path: MappingPath,
  type: string,
  problems: MappingProblems,
): void {
  if (name === null) return;
  const first = seen.get(name);
  if (!first) {
    seen.set(name, path);
    return;
  }
  if (problems.isFull) return;
  const { line } = problems.placeOf(first);
  problems.add(type, path, { zh: `'${name}' 重复，第一处在第 ${line} 行`, en: `'${name}' is used twice, first in line ${line}` });
}

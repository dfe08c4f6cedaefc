import { type Bilingual } from '../../text/bilingual.js';
import { columnKeys, transformWords, typeWords } from './column-keys.js';
import { deletesKeys, edgeKeys, endKeys, furtherLabelKeys, incrementalKeys, nodeKeys } from './element-keys.js';
import { type MappingKey, type MappingWord } from './mapping-key.js';
import { type MappingPath } from './mapping.js';
import { defaultsKeys, rootKeys, sourceKeys } from './root-keys.js';
import { formatWords } from './rule-formats.js';
import { modifierKeys, referenceKeys, ruleWords } from './rule-words.js';

/** The keys or words that may stand in one place of a mapping. */
export interface MappingGroup {
  title: Bilingual;
  entries: Readonly<Record<string, MappingWord & Partial<MappingKey>>>;
  /** Completes the example of an entry (`key`) to a whole mapping. */
  inMapping: (example: string, key: string) => string;
}

/** Lines of YAML for a map, by key. */
type Parts = Readonly<Record<string, string>>;

const employee: Parts = {
  id: 'id: employee',
  label: 'label: 员工',
  table: 'table: employees',
  key: 'key: [employee_id]',
  columns: 'columns:\n  - {column: employee_id}\n  - {column: full_name}',
};
const reportsTo: Parts = {
  type: 'type: 汇报给',
  table: 'table: employees',
  from: 'from: {node: employee, match: {employee_id: employee_id}}',
  to: 'to: {node: employee, match: {reports_to: employee_id}}',
};
const root: Parts = { version: 'version: 1', nodes: list('nodes', employee) };

/** The groups of the reference page, by the first part of the anchors of their entries. */
export const mappingGroups = {
  mapping: {
    title: { zh: '映射', en: 'The mapping' },
    entries: rootKeys,
    inMapping: (example, key) => mappingOf({ [key]: example }),
  },
  source: {
    title: { zh: 'source：数据来源', en: 'source: where rows come from' },
    entries: sourceKeys,
    inMapping: example => mappingOf({ source: `source:\n${indented(example)}` }),
  },
  defaults: {
    title: { zh: 'defaults：错误与空文本', en: 'defaults: errors and empty texts' },
    entries: defaultsKeys,
    inMapping: example => mappingOf({ defaults: `defaults:\n${indented(example)}` }),
  },
  nodes: {
    title: { zh: 'nodes[]：节点', en: 'nodes[]: nodes' },
    entries: nodeKeys,
    inMapping: (example, key) => nodeWith({ [key]: example }),
  },
  labels: {
    title: { zh: 'labels[]：另有的标签，也可只写名称', en: 'labels[]: further labels; the name alone will do' },
    entries: furtherLabelKeys,
    inMapping: (example, key) => nodeWith({ labels: list('labels', { name: 'name: 经理', [key]: example }) }),
  },
  edges: {
    title: { zh: 'edges[]：关系', en: 'edges[]: relationships' },
    entries: edgeKeys,
    inMapping: (example, key) => edgeWith({ [key]: example }),
  },
  ends: {
    title: { zh: 'from 与 to：关系的两端', en: 'from and to: the ends of a relationship' },
    entries: endKeys,
    inMapping: (example, key) =>
      edgeWith({ to: map('to', { node: 'node: employee', match: 'match: {reports_to: employee_id}', [key]: example }) }),
  },
  incremental: {
    title: { zh: 'incremental：增量读取', en: 'incremental: reading on' },
    entries: incrementalKeys,
    inMapping: (example, key) =>
      nodeWith({ incremental: map('incremental', { cursor: 'cursor: changed_at', type: 'type: datetime', [key]: example }) }),
  },
  deletes: {
    title: { zh: 'deletes：删除', en: 'deletes: removing' },
    entries: deletesKeys,
    inMapping: (example, key) =>
      nodeWith({ deletes: map('deletes', { mode: 'mode: column', column: 'column: status', equals: 'equals: left', [key]: example }) }),
  },
  columns: {
    title: { zh: 'columns[]：列与属性', en: 'columns[]: columns and properties' },
    entries: columnKeys,
    inMapping: columnWith,
  },
  types: {
    title: { zh: '类型：type 的取值', en: 'Types: the values of type' },
    entries: typeWords,
    inMapping: columnWith,
  },
  transform: {
    title: { zh: '转换：transform 的各项', en: 'Transforms: the items of transform' },
    entries: transformWords,
    inMapping: columnWith,
  },
  rules: {
    title: {
      zh: '规则：rules 的各项，以及每项可带的 severity 与 message',
      en: 'Rules: the items of rules, and the severity and message of each',
    },
    entries: { ...ruleWords, ...modifierKeys },
    inMapping: columnWith,
  },
  references: {
    title: { zh: 'references：规则 references 所指的节点', en: 'references: the node that the rule references names' },
    entries: referenceKeys,
    inMapping: (example, key) => columnWith(referencesColumn({ node: 'node: employee', column: 'column: employee_id', [key]: example })),
  },
  format: {
    title: { zh: 'format：规则 format 的取值', en: 'format: the values of the rule format' },
    entries: formatWords,
    inMapping: columnWith,
  },
} satisfies Record<string, MappingGroup>;

export type GroupName = keyof typeof mappingGroups;

/** The group that describes the value of a key, by the name of the key. */
const groupUnder: Readonly<Record<string, GroupName>> = {
  source: 'source',
  defaults: 'defaults',
  nodes: 'nodes',
  labels: 'labels',
  edges: 'edges',
  incremental: 'incremental',
  deletes: 'deletes',
  columns: 'columns',
  from: 'ends',
  to: 'ends',
  transform: 'transform',
  rules: 'rules',
  references: 'references',
};

/**
 * The anchor on the reference page for a path of a mapping. It is the anchor of the key or word, such as `columns-type`, or else of the
 * group around it.
 */
export function anchorOf(path: MappingPath): string {
  let group: GroupName = 'mapping';
  let anchor: string = group;
  for (const step of path) {
    if (typeof step === 'number' || !Object.hasOwn(mappingGroups[group].entries, step)) continue;
    const under: GroupName | undefined = groupUnder[step];
    anchor = under ?? `${group}-${step}`;
    group = under ?? group;
  }
  return anchor;
}

function mappingOf(parts: Parts): string {
  const { version, ...others } = root;
  const { source, defaults, name, ...rest } = parts;
  const ordered = { version, name, source, defaults, ...others, ...rest };
  return `${Object.values(ordered)
    .filter(part => part !== undefined)
    .join('\n')}\n`;
}

function nodeWith(parts: Parts): string {
  return mappingOf({ nodes: list('nodes', withSource(employee, parts)) });
}

function edgeWith(parts: Parts): string {
  return mappingOf({ edges: list('edges', withSource(reportsTo, parts)) });
}

function columnWith(example: string): string {
  return nodeWith({ columns: `columns:\n  - {column: employee_id}\n  - ${example}` });
}

function referencesColumn(parts: Parts): string {
  return `column: reports_to\n    rules:\n      - ${map('references', parts).replaceAll('\n', '\n        ')}`;
}

/** Puts the example's parts into an element. An example with a `query` takes the place of the element's `table`. */
function withSource({ table, ...element }: Parts, parts: Parts): Parts {
  return { ...element, ...('query' in parts || table === undefined ? {} : { table }), ...parts };
}

function list(key: string, parts: Parts): string {
  const item = indented(indented(Object.values(parts).join('\n')));
  return `${key}:\n  - ${item.trimStart()}`;
}

function map(key: string, parts: Parts): string {
  return `${key}:\n${indented(Object.values(parts).join('\n'))}`;
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}

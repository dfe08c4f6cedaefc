import { nearestName } from '../../text/nearest-name.js';
import { byHandle, reportUnknownNode } from './check-mapping.js';
import { type Rule } from './mapping.js';
import { type MappingProblems } from './problems.js';
import { type WrittenEdge, type WrittenNode } from './read-element.js';

/**
 * Fills in the label of each node that a rule `references` names by handle, and checks that the rule's column is the whole key of the node.
 */
export function resolveReferences(
  nodes: readonly WrittenNode[],
  edges: readonly WrittenEdge[],
  allNodesRead: boolean,
  problems: MappingProblems,
): void {
  const handles = byHandle(nodes);
  const labels = new Map(nodes.map(node => [node.label, node]));
  for (const { columns } of [...nodes, ...edges]) {
    for (const rule of columns.flatMap(column => column.rules)) {
      if (rule.kind !== 'references') continue;
      const node = rule.node === null ? labels.get(rule.label) : handles.get(rule.node);
      if (node) {
        rule.label = node.label ?? rule.label;
        checkKey(rule, node, problems);
      } else if (rule.node !== null && allNodesRead) reportUnknownNode(rule.node, [...rule.path, 'references'], handles, problems);
    }
  }
}

function checkKey({ path, column }: Rule & { kind: 'references' }, { id, label, key }: WrittenNode, problems: MappingProblems): void {
  // The key is empty if it could not be read, which has been reported.
  if (key.length === 0 || (key.length === 1 && key[0] === column)) return;
  const at = [...path, 'references', 'column'];
  const name = id ?? label;
  if (key.length > 1) {
    problems.add(
      'bad_rule_argument',
      at,
      {
        zh: `节点 '${name}' 的键由几列合成（${key.join('、')}），references 只用于一列的键`,
        en: `the key of node '${name}' has several columns (${key.join(', ')}), and references checks a key of one column`,
      },
      {
        hint: {
          zh: '改用关系：on_missing 决定找不到节点的行如何处理',
          en: 'use a relationship: its on_missing decides on rows without a node',
        },
      },
    );
    return;
  }
  const asked =
    nearestName(column, key) === null ? { zh: '', en: '' } : { zh: `，是否想写 '${key[0]}'？`, en: `; did you mean '${key[0]}'?` };
  problems.add(
    'bad_rule_argument',
    at,
    {
      zh: `'${column}' 不是节点 '${name}' 的键列${asked.zh}`,
      en: `'${column}' is not the key column of node '${name}'${asked.en}`,
    },
    { hint: `column: ${key[0]}` },
  );
}

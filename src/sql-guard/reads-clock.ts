import { constantText } from './constant-text.js';
import { functionName } from './check-names.js';
import { type GuardedExpression } from './guard-expression.js';
import { expressionNodes } from './node-rules.js';
import { type NodeFields, walkTree } from './walk-tree.js';

/** Whether an admitted expression reads the clock, so that its value may change while the row stays the same. */
export function readsClock({ tree }: GuardedExpression): boolean {
  let isRead = false;
  walkTree(tree, expressionNodes, (type, node, offset) => {
    if (type === 'SQLValueFunction') isRead = true;
    if (type === 'FuncCall') isRead ||= isCallOfClock(functionName(node, offset), node);
    // PostgreSQL reads these words as times when it casts a text: '2024-01-01' is one, and so is 'today'.
    if (type === 'A_Const') isRead ||= /^\s*(now|today|tomorrow|yesterday)\b/i.test(constantText({ A_Const: node }) ?? '');
  });
  return isRead;
}

/** `age` of one time counts from the midnight of today. */
function isCallOfClock(name: string, { args }: NodeFields): boolean {
  return name === 'now' || name === 'transaction_timestamp' || (name === 'age' && (args as unknown[]).length === 1);
}

import { FanOutJoinError } from './metrics.errors.js';
import { type BoundJoin } from './plan/metric-binding.js';

/** The error for a join whose key is not unique in the joined table, or in the fact table of a one-to-one join. */
export function fanOut(join: BoundJoin): FanOutJoinError {
  const keys = join.on.map(([, key]) => key).join(', ');
  if (join.relationship === 'one_to_one')
    return new FanOutJoinError(join.alias, {
      zh: `声明为 one_to_one，但键 ${keys} 在表 ${tableOf(join)} 中不唯一；请去除重复的行，或按实际声明关系`,
      en: `it is declared one_to_one, and its key ${keys} is not unique in table ${tableOf(join)}; remove the repeated rows or declare the relationship as it is`,
    });
  return new FanOutJoinError(join.alias, {
    zh: `连接键 ${keys} 在表 ${tableOf(join)} 中不唯一；请去除重复的行，或改用另一个键`,
    en: `its key ${keys} is not unique in table ${tableOf(join)}; remove the repeated rows or join by another key`,
  });
}

export function tableOf({ source }: BoundJoin): string {
  return 'sql' in source ? '' : source.table;
}

import { nearestName } from '../../text/nearest-name.js';
import { type Grain, type Pattern } from './formula-tree.js';

/** The functions of the formula language with their patterns. Scalar functions are arithmetic. */
export const functionPatterns = new Map<string, Pattern>([
  ...(['SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'STDDEV', 'VARIANCE', 'FIRST', 'LAST'] as const).map(name => [name, 'aggregate'] as const),
  ['COUNT_DISTINCT', 'count_distinct'],
  ['MEDIAN', 'quantile'],
  ['PERCENTILE', 'quantile'],
  ['WAVG', 'weighted_average'],
  ['RATIO', 'ratio'],
  ['PERCENT', 'ratio'],
  ...(['ROUND', 'ABS', 'COALESCE', 'NULLIF', 'GREATEST', 'LEAST'] as const).map(name => [name, 'arithmetic'] as const),
  ...(['CUMULATIVE', 'TO_DATE', 'ROLLING'] as const).map(name => [name, 'accumulate'] as const),
  ...(['YOY', 'QOQ', 'MOM', 'WOW', 'DOD', 'POP', 'GROWTH'] as const).map(name => [name, 'period_over_period'] as const),
  ['SHARE', 'share_of_total'],
  ['CONVERSION', 'conversion'],
  // Missing from the English list: this Chinese alias asks for the count, not the rate.
  ['CONVERSION_COUNT', 'conversion'],
]);

/** The ten patterns, in the order of the documentation. */
export const supportedPatterns: readonly Pattern[] = [...new Set(functionPatterns.values())];

const leafPatterns: readonly Pattern[] = ['aggregate', 'count_distinct', 'quantile', 'weighted_average'];

/** Chinese spellings. They can replace the English ones, and both can be mixed in one formula. */
const aliases = new Map([
  ['求和', 'SUM'],
  ['计数', 'COUNT'],
  ['平均', 'AVG'],
  ['均值', 'AVG'],
  ['最小', 'MIN'],
  ['最大', 'MAX'],
  ['标准差', 'STDDEV'],
  ['期初', 'FIRST'],
  ['期末', 'LAST'],
  ['去重计数', 'COUNT_DISTINCT'],
  ['中位数', 'MEDIAN'],
  ['分位数', 'PERCENTILE'],
  ['加权平均', 'WAVG'],
  ['比率', 'RATIO'],
  ['百分比', 'PERCENT'],
  ['占率', 'PERCENT'],
  ['累计', 'CUMULATIVE'],
  ['至今', 'TO_DATE'],
  ['滚动', 'ROLLING'],
  ['同比', 'YOY'],
  ['环比', 'POP'],
  ['增长', 'GROWTH'],
  ['占比', 'SHARE'],
  ['转化率', 'CONVERSION'],
  ['转化数', 'CONVERSION_COUNT'],
  ['条件', 'WHERE'],
  ['按', 'BY'],
  ['内', 'WITHIN'],
]);

const grains = new Map<string, Grain>([
  ...(['day', 'week', 'month', 'quarter', 'year'] as const).flatMap(grain => [
    [grain.toUpperCase(), grain] as const,
    [`${grain.toUpperCase()}S`, grain] as const,
  ]),
  ['天', 'day'],
  ['周', 'week'],
  ['月', 'month'],
  ['季', 'quarter'],
  ['年', 'year'],
]);

/** The upper-case English spelling of a word. */
export function canonical(word: string): string {
  return aliases.get(word) ?? word.toUpperCase();
}

export function grainNamed(word: string): Grain | undefined {
  return grains.get(word.toUpperCase());
}

export function isLeafFunction(word: string): boolean {
  const pattern = functionPatterns.get(canonical(word));
  return pattern !== undefined && leafPatterns.includes(pattern);
}

/** The known function that a misspelt one may mean. */
export function nearestFunction(word: string): string | null {
  return nearestName(word, [...functionPatterns.keys(), ...[...aliases.keys()].filter(alias => functionPatterns.has(canonical(alias)))]);
}

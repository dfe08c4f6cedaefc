import { nearestName } from '../../text/nearest-name.js';
import { formulaFunctions, formulaKeywords } from './formula-functions.js';
import { type Grain, type Pattern } from './formula-tree.js';

/** The functions of the formula language, each with its pattern. The pattern of a scalar function is arithmetic. */
export const functionPatterns = new Map<string, Pattern>(Object.entries(formulaFunctions).map(([name, { pattern }]) => [name, pattern]));

/** All patterns, in the order of the documentation. */
export const supportedPatterns: readonly Pattern[] = [...new Set(functionPatterns.values())];

/** A valid formula of the pattern. */
export function exampleOf(pattern: Pattern): string {
  return Object.values(formulaFunctions).find(each => each.pattern === pattern)!.example;
}

const leafPatterns: readonly Pattern[] = ['aggregate', 'count_distinct', 'quantile', 'weighted_average'];

/** English names by Chinese names, of functions and keywords. English and Chinese can be mixed in one formula. */
const aliases = new Map(
  Object.entries({ ...formulaFunctions, ...formulaKeywords }).flatMap(([name, { zh }]) => zh.map(alias => [alias, name] as const)),
);

/** The Chinese names of the grains. English names may be plural in a formula. */
export const grainNames: Record<Grain, string> = { hour: '小时', day: '天', week: '周', month: '月', quarter: '季', year: '年' };

const grains = new Map(
  Object.entries(grainNames)
    .flatMap(([name, zh]) => [name.toUpperCase(), `${name.toUpperCase()}S`, zh].map(word => [word, name as Grain] as const))
    .concat([['时', 'hour']]),
);

/** The upper-case English spelling of a word of a formula. */
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

/** The function whose name is nearest to a misspelt word, or null. */
export function nearestFunction(word: string): string | null {
  return nearestName(word, [...functionPatterns.keys(), ...[...aliases.keys()].filter(alias => functionPatterns.has(canonical(alias)))]);
}

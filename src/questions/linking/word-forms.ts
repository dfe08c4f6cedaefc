import { type Meaning, type Mention } from './meaning.js';
import { isNumeric } from './numerals.js';

const bound = /^\s+(?:(?:by|for|at)\s+)?(?:above|over|under|below|more|less|fewer|at least|at most|exactly|between|[\d<>=])/;

/**
 * Of a word that is a value, and another form of names of the schema (`delayed`, where a number is called `delay`), leaves the labels, of
 * which it is the plural, and relations whose other end follows. What happens at a date stays beside a time.
 */
export function withoutForms(words: Meaning[], values: readonly unknown[], rest: string, hasTime: boolean): Meaning[] {
  if (values.length === 0 || bound.test(rest)) return words;
  return words.filter(
    word =>
      word.as === 'label' ||
      (word.as === 'relation' && /^\s+(?:by|for|to|with|from|at|on|in)\b/.test(rest)) ||
      (word.as === 'property' && word.isEvent === true && hasTime),
  );
}

/** 供应商数量, 零件的数量: how many of them there are, though other things have a property that is called so. */
export function isNumberOf(text: string, mention: Mention, found: Mention[]): boolean {
  if (!/^(?:总?数量?|个数|数目|count)$/.test(mention.text) || mention.meanings.some(({ as }) => as !== 'property')) return false;
  const behind = found.filter(
    ({ end, meanings }) =>
      end <= mention.start && /^(?:的| )?$/.test(text.slice(end, mention.start)) && meanings.some(({ as }) => as === 'label'),
  );
  const [longest] = behind.sort((a, b) => a.start - b.start);
  const labels = longest?.meanings.flatMap(meaning => (meaning.as === 'label' ? meaning.label : [])) ?? [];
  return longest !== undefined && !mention.meanings.some(meaning => meaning.as === 'property' && labels.includes(meaning.ownerName));
}

/** 总座位数: 总 before a number that is called so asks for a sum. Before other words that end with 数 it counts. */
export function findSums(text: string, found: Mention[]): Mention[] {
  const isNumber = ({ meanings }: Mention): boolean => meanings.some(meaning => meaning.as === 'property' && isNumeric(meaning.type));
  return found
    .filter(mention => mention.text.endsWith('数') && text[mention.start - 1] === '总' && isNumber(mention))
    .map(({ start }) => ({
      text: '总',
      start: start - 1,
      end: start,
      meanings: [{ as: 'intent', intent: { kind: 'aggregate', function: 'sum' } }],
    }));
}

/** 入职 is that of 入职日期, and of 入会日期 only where what has it is named: `passengers hired in 2020`. */
export function withoutCousins(mention: Mention, found: Mention[]): Mention {
  const isCousin = (meaning: Meaning): boolean => meaning.as === 'property' && meaning.isCousin === true;
  if (!mention.meanings.some(isCousin)) return mention;
  const named = new Set(
    found.flatMap(({ meanings }) =>
      meanings.flatMap(meaning =>
        meaning.as === 'label' ? [meaning.label] : meaning.as === 'entity' ? meaning.nodes.map(({ label }) => label) : [],
      ),
    ),
  );
  const isNamed = (meaning: Meaning): boolean => meaning.as === 'property' && named.has(meaning.ownerName);
  const [near, far] = [mention.meanings.filter(meaning => !isCousin(meaning)), mention.meanings.filter(isCousin)];
  return far.some(isNamed) && !near.some(isNamed) ? { ...mention, meanings: far.filter(isNamed) } : { ...mention, meanings: near };
}

import { type Meaning, type Mention } from './meaning.js';
import { singularOf } from './noun-forms.js';
import { isNumeric } from './numerals.js';
import { isVerbForm } from './word-roots.js';

const bound = /^\s+(?:(?:by|for|at)\s+)?(?:above|over|under|below|more|less|fewer|at least|at most|exactly|between|[\d<>=])/;

/**
 * Drops the schema meanings of a word that is also a value, if the word is only another form of the schema name: `delayed` for the number
 * `delay`. Three kinds of meaning are kept: labels, whose plural the word is; relations before a preposition, as in `delayed by`; and
 * events, if the question has a time.
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

const preposition = /,? (?:from|to|of|by|in|at|for)$/;

/** The noun of a word that names a relation too, without the preposition of that name: "loans" in "loans from". */
export function withoutPreposition(own: string): string {
  return own.replace(preposition, '');
}

/**
 * Adds the label that a noun names together with the preposition after it: "loans from" may name the relation `loaned_from`, and asks for
 * loans all the same. "works at" names no label, because "works" is not the name of one.
 */
export function withNoun(own: string, words: Meaning[], lexicon: { find(word: string): Meaning[]; has(word: string): boolean }): Meaning[] {
  const noun = withoutPreposition(own);
  if (noun === own || noun.includes(' ') || isVerbForm(noun) || words.length === 0 || words.some(({ as }) => as !== 'relation'))
    return words;
  if (!lexicon.has(noun) && !lexicon.has(singularOf(noun))) return words;
  return [...words, ...lexicon.find(noun).filter(({ as }) => as === 'label')];
}

/** Whether a word counts the things before it, though a property of other things is called like the word: 供应商数量, 零件的数量. */
export function isNumberOf(text: string, mention: Mention, found: Mention[]): boolean {
  if (!/^(?:总?数量?|个数|数目|count)$/.test(mention.text) || mention.meanings.some(({ as }) => as !== 'property')) return false;
  const behind = found.filter(
    ({ end, meanings }) =>
      end <= mention.start && /^(?:的| )?$/.test(text.slice(end, mention.start)) && meanings.some(({ as }) => as === 'label'),
  );
  const [longest] = behind.sort((a, b) => a.start - b.start);
  const labels = new Set(longest?.meanings.flatMap(meaning => (meaning.as === 'label' ? meaning.label : [])));
  return longest !== undefined && !mention.meanings.some(meaning => meaning.as === 'property' && labels.has(meaning.ownerName));
}

/** Finds 总 before a numeric property, where it asks for a sum: 总座位数. Before other words that end with 数, 总 asks for a count. */
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

/** The labels that the question names, by themselves or by one of their nodes. */
export function labelsNamed(found: readonly Mention[]): ReadonlySet<string> {
  return new Set(
    found.flatMap(({ meanings }) =>
      meanings.flatMap(meaning =>
        meaning.as === 'label' ? [meaning.label] : meaning.as === 'entity' ? meaning.nodes.map(({ label }) => label) : [],
      ),
    ),
  );
}

/**
 * Drops cousin dates: 入职 means 入职日期 (hire date). The cousin 入会日期 (joining date of members) is meant only if the question names its owner,
 * as in `passengers hired in 2020`.
 * @param named the labels that the question names
 */
export function withoutCousins(mention: Mention, named: ReadonlySet<string>): Mention {
  const isCousin = (meaning: Meaning): boolean => meaning.as === 'property' && meaning.isCousin === true;
  if (!mention.meanings.some(isCousin)) return mention;
  const isNamed = (meaning: Meaning): boolean => meaning.as === 'property' && named.has(meaning.ownerName);
  const [near, far] = [mention.meanings.filter(meaning => !isCousin(meaning)), mention.meanings.filter(isCousin)];
  return far.some(isNamed) && !near.some(isNamed) ? { ...mention, meanings: far.filter(isNamed) } : { ...mention, meanings: near };
}

/** Reads 中国籍 as the value 中国 of the property 国籍. Not in `人员中国籍是德国的`, where 中 means "among" and 国籍 is the property. */
export function withOrigin({ text: own, start, end, meanings }: Mention, text: string): Mention[] {
  if (!/^籍(?!贯|\s*(?:是|为|=))/.test(text.slice(end))) return [];
  const values = meanings.filter(meaning => meaning.as === 'value');
  const origins = values.filter(({ property }) => property.includes('籍'));
  const kept = origins.length > 0 ? origins : meanings.filter(({ as }) => as === 'value' || as === 'entity');
  return kept.length > 0 ? [{ text: `${own}籍`, start, end: end + 1, meanings: kept }] : [];
}

/** Removes 过 and 了 inside a verb: 下过单 and 下了单 become 下单. */
export function withoutAspect(text: string): string {
  return text.replace(/^(\p{Script=Han})[过了](\p{Script=Han})$/u, '$1$2');
}

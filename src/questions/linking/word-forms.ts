import { type Meaning } from './meaning.js';

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

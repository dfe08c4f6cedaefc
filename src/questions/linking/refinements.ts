import { type Language } from '../../text/language.js';
import { type LinkedQuestion } from './link-question.js';
import { type Intent, intentsOf, type Meaning, type Mention } from './meaning.js';

const joining = /^(?:(?:and|but|so|then|ok|okay|now|only|just|please)\b[\s,]*|那么?|只看|只要|只列)+/i;
const asking = ['which', 'count', 'aggregate', 'statistic', 'top', 'whether', 'grain'] as const satisfies Intent['kind'][];

/** The mentions of a question that names properties and values, but nothing that has them: `list the fragile ones`. Else null. */
export function conditionsIn({ mentions }: LinkedQuestion): Mention[] | null {
  const isIntent = ({ meanings }: Mention): boolean => meanings.every(({ as }) => as === 'intent');
  // A property may be a dimension of a metric as well.
  const isCondition = ({ meanings }: Mention): boolean =>
    meanings.some(meaning => ownerOf(meaning) !== null) &&
    meanings.every(meaning => ownerOf(meaning) !== null || meaning.as === 'dimension');
  const named = mentions.filter(mention => !isIntent(mention));
  return named.length > 0 && named.every(isCondition) ? named : null;
}

/** Whether a question asks for something by itself: `average salary?`. A condition alone (`the fragile ones`) does not. */
export function asksItself({ mentions }: LinkedQuestion): boolean {
  return mentions.some(mention => asking.some(kind => intentsOf(mention, kind) !== null));
}

/** Whether nodes of a label have each of the properties and values. */
export function mayHave(label: string, conditions: Mention[]): boolean {
  return conditions.every(({ meanings }) => meanings.some(meaning => ownerOf(meaning) === label));
}

function ownerOf(meaning: Meaning): string | null {
  if (meaning.as === 'value') return meaning.label;
  return meaning.as === 'property' && meaning.owner === 'node' ? meaning.ownerName : null;
}

/**
 * The question with a word for the things that an earlier question found: 其中不易碎的, `of them, list the fragile ones`,
 * `which of them are fragile`. `start` is the offset of this word.
 */
export function refined(text: string, language: Language): { text: string; word: string; start: number } {
  const own = text.trim().replace(joining, '');
  if (language === 'zh') return { text: `其中${own}`, word: '其中', start: 0 };
  const word = 'of them';
  const asked = /^(?:which|who|how many)\b(?: ones?\b)?/i.exec(own)?.[0];
  if (asked === undefined) return { text: `${word}, ${own}`, word, start: 0 };
  return { text: `${asked} ${word}${own.slice(asked.length)}`, word, start: asked.length + 1 };
}

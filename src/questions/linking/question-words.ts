import { type SynonymKind } from '../vocabulary.js';
import { findIntents } from './find-intents.js';
import { fillPlaces, type Intent, intentsOf, type Mention } from './meaning.js';
import { findMetricWords } from './metric-words.js';
import { isWeightyWord, withoutStopWords } from './stop-words.js';

/**
 * Finds a question word that a new synonym would hide, because linking prefers the longest match: with `not in` or `Germany only` as a name
 * the negation would be lost. A single Chinese character may be a part of a word (`不锈钢`, `海外`), a number without a comparison the end
 * of a name (`单据7`), and a name may contain a ranking or asking word (`Best Buy`); such a synonym is refused only if it has no other
 * words. Null if the synonym is acceptable.
 * @param text normalised text of the synonym
 */
export function questionWordsIn(text: string, kind: SynonymKind): string | null {
  const found = [...findIntents(text), ...boundsIn(text)];
  const [swallowed] = found.filter(word => isSwallowed(word, kind)).sort((a, b) => b.text.length - a.text.length);
  if (swallowed) return swallowed.text;
  if (found.length > 0 && found.every(word => intentsOf(word, 'top')?.by === 'date')) return null;
  const rest = fillPlaces(text, found);
  // Only whole English words count, because 大 in `大区` does not state a size.
  return withoutStopWords(rest).every(word => /^[a-z]/.test(word) && isWeightyWord(word)) ? text : null;
}

function isSwallowed({ text, meanings }: Mention, kind: SynonymKind): boolean {
  return meanings.some(meaning => {
    if (meaning.as === 'measure') return true;
    if (meaning.as !== 'intent') return false;
    return changesMeaning(meaning.intent, kind) && !/^(?:[^\x00-\x7f]|[\d.]+)$/.test(text);
  });
}

function changesMeaning(intent: Intent, kind: SynonymKind): boolean {
  switch (intent.kind) {
    case 'negation':
    case 'compare':
    case 'between':
    case 'text':
    case 'than':
      return true;
    case 'top':
      // A name of a node may contain any ranking, and any synonym may contain a ranking by date: `last name`, `first order`.
      return kind !== 'name' && intent.by !== 'date';
    case 'which':
    case 'whether':
      return kind !== 'name';
    case 'count':
    case 'group':
    case 'grain':
    case 'aggregate':
    case 'order':
    case 'statistic':
    case 'number':
      return false;
    default:
      return intent satisfies never;
  }
}

/** Finds the words of comparisons without a number: `at least`, `以上`. */
function boundsIn(text: string): Mention[] {
  const isBound = ({ meanings }: Mention): boolean =>
    meanings.some(meaning =>
      meaning.as === 'measure' ? meaning.word.kind === 'bound' : meaning.as === 'intent' && meaning.intent.kind === 'compare',
    );
  const after = `${text} 5`;
  const before = '5';
  return [
    ...[...findIntents(after), ...findMetricWords(after)].filter(word => isBound(word) && word.start < text.length),
    ...[...findIntents(before + text), ...findMetricWords(before + text)]
      .filter(word => isBound(word) && word.end > before.length)
      .map(word => ({ ...word, start: Math.max(0, word.start - before.length), end: word.end - before.length })),
  ].map(word => ({ ...word, text: text.slice(word.start, word.end).trim() }));
}

import { type Language } from '../../text/language.js';
import { isJoined } from '../linking/meaning.js';
import { type Anchor } from './anchors.js';
import { isAgentNoun } from '../linking/word-roots.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';

/**
 * Shares the words out among the things that a question names. A word between two things belongs to the thing after the word in English
 * (`films directed by A and starring B`), and in Chinese to the thing before it unless a conjunction stands between (`A购买且居住在B`).
 */
export function shareOut(
  text: string,
  anchors: Anchor[],
  words: SchemaWord[],
  asked: SchemaWord | null,
  language: Language,
): Map<Anchor, SchemaWord[]> {
  const shares = new Map<Anchor, SchemaWord[]>(anchors.map(anchor => [anchor, []]));
  for (const word of words) {
    if (word === asked) continue;
    const { start, end } = word.mention;
    const before = anchors.filter(anchor => anchor.mention.end <= start).at(-1);
    const after = anchors.find(anchor => anchor.mention.start >= end);
    // 哪些在职船员的上级是周静: the value right before the asked word (在职) only describes the asked things, and gets no words.
    const isModifier =
      before !== undefined &&
      asked !== null &&
      start >= asked.mention.end &&
      before.mention.end <= asked.mention.end &&
      (before.mention === asked.mention || isJoined(text, before.mention.end, asked.mention.start));
    const toAfter =
      before === undefined ||
      (isModifier && after !== undefined) ||
      (after !== undefined &&
        (language === 'en'
          ? !/^['’]?s?\s?$/.test(text.slice(before.mention.end, start)) || isVerbOf(text, word, asked, before, after)
          : /[且并又但而,，、和与]/.test(text.slice(before.mention.end, start)) || /^$/.test(text.slice(end, after.mention.start))));
    const owner = toAfter ? after : before;
    if (owner) shares.get(owner)?.push(word);
  }
  return shares;
}

/** Whether a verb between two named things belongs to the asked word before both things: `patients with diabetes take insulin`. */
function isVerbOf(text: string, word: SchemaWord, asked: SchemaWord | null, before: Anchor, after: Anchor): boolean {
  const { start, end } = word.mention;
  const isBetween = text.slice(before.mention.end, start) === ' ' && /^ (?:(?:the|an?) )?$/.test(text.slice(end, after.mention.start));
  return (
    isBetween && isOnlyRelation(word) && !isAgentNoun(word.mention.text) && asked !== null && asked.mention.end <= before.mention.start
  );
}

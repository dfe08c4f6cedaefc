import { type Mention } from './meaning.js';
import { carriesMeaning } from './stop-words.js';

const quoted =
  /["“”]([^"“”]{1,200})["“”]|「([^」]{1,200})」|『([^』]{1,200})』|《([^》]{1,200})》|〈([^〉]{1,200})〉|(?<![\p{L}\p{N}])['‘]([^'‘’]{1,200})['’](?![\p{L}\p{N}])/gu;
const pictographs =
  /(?:\p{Extended_Pictographic}|\p{Regional_Indicator})[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u200d\ufe0f]*/gu;
/** Pictographs that normalising (NFKC) keeps and that do not limit an answer: ©, ®. */
const lightPictographs = /^[©®\ufe0f]+$/;
/** Matches the end of a sentence. A pictograph behind it is a greeting: `有多少客户？😊`. */
const sentenceEnd = /[?？!！。.~～][\s\p{Extended_Pictographic}\u200d\ufe0f\p{Emoji_Modifier}]*$/u;

/**
 * Finds the quoted stretches of which nothing was understood, and the pictographs that do not belong to a name. Both limit the answer,
 * but linking skips them, because it cuts text into words only.
 */
export function findUnreadMarks(text: string, mentions: readonly Mention[], unknown: readonly string[]): string[] {
  const isKnown = (stretch: string): boolean => unknown.some(word => carriesMeaning(word) && stretch.includes(word));
  const quotes = [...text.matchAll(quoted)].filter(({ 0: own, index }) => {
    const [start, end] = [index + 1, index + own.length - 1];
    const inside = mentions.filter(mention => mention.start < end && start < mention.end);
    // A question word in quotes, such as `"most"`, is meant as a name, so it does not make the stretch understood.
    return !isKnown(own) && inside.every(mention => isQuestionWord(mention) && mention.start >= start && mention.end <= end);
  });
  const isQuoted = (at: number): boolean => quotes.some(({ 0: own, index }) => index <= at && at < index + own.length);
  const symbols = [...text.matchAll(pictographs)].filter(({ 0: own, index }) => {
    const end = index + own.length;
    // A pictograph beside a name is ignored, because names are compared without symbols: `🍎苹果`.
    const isOfName = mentions.some(mention => !isQuestionWord(mention) && mention.start <= end && index <= mention.end && isName(mention));
    const isGreeting = sentenceEnd.test(text.slice(0, index)) && /^\s*$/.test(text.slice(end));
    return !lightPictographs.test(own) && !isOfName && !isGreeting && !isQuoted(index);
  });
  return [...quotes, ...symbols].map(([own]) => own);
}

function isQuestionWord({ meanings }: Mention): boolean {
  return meanings.every(({ as }) => as === 'intent' || as === 'measure');
}

function isName({ meanings }: Mention): boolean {
  return meanings.some(({ as }) => as === 'entity' || as === 'value');
}

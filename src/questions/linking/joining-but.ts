import { type Mention, meaningOf } from './meaning.js';
import { isVerbForm } from './word-roots.js';

/** Matches the text behind `but` that is sure to begin with a noun. */
const determined = /^ (?:the|those|these|this|that|an?|for)\b/;
const joiner = /^(?:(?:\s*,)?\s+(?:and|or|nor)\s+|\s*,\s*)(?:the\s+)?$/;
const clauseEnd = /^["'”’]?(?:\s+ones?)?\s*(?:[,;.?!]|$)/;
const beside = /^["'“”‘’\s]*$/;

/**
 * Whether `but` joins two conditions, as in `all members who borrowed Dune but live in York`. It excludes only if nouns alone stand behind
 * it up to the end of the clause: `all books but Dune and Emma`, `all French books but rare ones`.
 */
export function joinsConditions(text: string, but: Mention, mentions: readonly Mention[]): boolean {
  if (but.text !== 'but' || determined.test(text.slice(but.end))) return false;
  const behind = mentions.filter(({ start }) => start >= but.end);
  let end = but.end;
  let last: Mention | null = null;
  for (const mention of behind) {
    const between = text.slice(end, mention.start);
    const isNext = last === null ? beside.test(between) : joiner.test(between) || (beside.test(between) && isOneNoun(last, mention));
    if (!isNext || !isNoun(mention)) break;
    end = mention.end;
    last = mention;
  }
  return last === null || !clauseEnd.test(text.slice(end)) || isBetweenAdjectives(text, but, mentions);
}

function isNoun(mention: Mention): boolean {
  const { text, meanings } = mention;
  if (isName(mention)) return true;
  if (meaningOf(mention, 'label')) return !isVerbForm(text);
  if (meaningOf(mention, 'time')) return !/^(?:in|on|before|after|since|until|from|between|during|by)\b/.test(text);
  return meanings.some(meaning => meaning.as === 'property' && meaning.type === 'boolean');
}

function isName({ meanings, text }: Mention): boolean {
  return !isVerbForm(text) && meanings.some(({ as }) => as === 'entity' || as === 'value');
}

/** Whether two words side by side are one noun with its kind: `book Dune`, `French books`. */
function isOneNoun(first: Mention, second: Mention): boolean {
  return meaningOf(second, 'label') !== null || (meaningOf(first, 'label') !== null && isName(second));
}

/** Whether `but` stands between two adjectives that share the noun behind them: `all rare but French books`. */
function isBetweenAdjectives(text: string, but: Mention, mentions: readonly Mention[]): boolean {
  const ahead = mentions.filter(({ end }) => end <= but.start);
  const first = ahead.at(-1);
  const isAdjective = first !== undefined && meaningOf(first, 'label') === null && /^\s*$/.test(text.slice(first.end, but.start));
  const isHead = (mention: Mention): boolean => meaningOf(mention, 'label') !== null && !isVerbForm(mention.text);
  return isAdjective && !ahead.some(isHead) && mentions.some(mention => mention.start > but.end && isHead(mention));
}

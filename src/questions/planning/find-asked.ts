import { type Language } from '../../text/language.js';
import { asksForTime } from '../linking/asked-time.js';
import { fillPlaces, isJoined, meaningOf, type Mention } from '../linking/meaning.js';
import { isCommonWord, withoutStopWords } from '../linking/stop-words.js';
import { isAgentNoun, isVerbForm } from '../linking/word-roots.js';
import { type AnswerType } from './answer-types.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';

/** Target of a question: the word that names the target, or null, and the kind of answer that the question word wants, or null. */
export interface Asked {
  word: SchemaWord | null;
  type: AnswerType | null;
}

const wordsOfType: [AnswerType, RegExp][] = [
  ['who', /^(?:who|whom|whose|谁)$/],
  ['when', /^(?:when|什么时候|何时|哪[一几些]?[年天]|(?:which|what) years?)$/],
  ['where', /^(?:where|哪里|哪儿|何地|什么地方)$/],
];

/**
 * Finds the target of a question: the noun after the question word (`which movies`, `who are the directors`, `哪个客户`), in Chinese also
 * the noun before it (`客户是谁`). Without a question word the target is the head of the phrase: the first noun in English, the last in
 * Chinese.
 */
export function findAsked(text: string, questionWords: Mention[], words: SchemaWord[], named: Mention[], language: Language): Asked {
  const asking = [...questionWords].sort((a, b) => a.start - b.start);
  const first = asking.find(word => !beginsClause(text, word, words, named));
  if (!first) return { word: headOf(fillPlaces(text, named), withoutKinds(text, words, named), language), type: null };
  const type = wordsOfType.find(([, pattern]) => pattern.test(first.text))?.[0] ?? 'what';
  const after = type === 'when' || type === 'where' ? null : nounAfter(text, first, words, named);
  if (after) return { word: after, type };
  if (type === 'what' && asksForTime(text.slice(first.start))) return { word: null, type: 'when' };
  if (language === 'zh') {
    const before = words.filter(({ mention }) => mention.end <= first.start).at(-1);
    if (
      before &&
      withoutStopWords(text.slice(before.mention.end, first.start).replace(/["”』」]/g, '')).length === 0 &&
      /^$|^[都]?[是有为]|^(?:当|之)?中$/.test(text.slice(before.mention.end, first.start).trim())
    )
      // X修复文物是什么时候: a label has no time, so only the time is asked for.
      return type === 'when' && before.properties.length === 0
        ? { word: null, type }
        : { word: before, type: before.labels.size > 0 && type === 'who' ? null : type };
    // `哪些位于华东的客户` asks for the noun 客户 behind its description 位于华东的.
    if (type === 'what' && (!hasNounAfter(words, first) || text.indexOf('的', first.end) !== -1))
      return { word: headOf(fillPlaces(text, named), words, language), type };
  }
  return { word: null, type };
}

/** Whether a question word describes the noun before it and does not ask: `movies whose writers`, `customers in Berlin who are not vip`. */
function beginsClause(text: string, { text: own, start, end }: Mention, words: SchemaWord[], named: Mention[]): boolean {
  if (own === 'whose') return start > 0;
  if (!/^(?:who|whom|which|where)$/.test(own)) return false;
  const isBefore = (mention: Mention): boolean => text.slice(mention.end, start) === ' ';
  const isOfNoun = own === 'which' && words.some(word => isHead(word) && text.slice(end, word.mention.start) === ' ');
  return !isOfNoun && (words.some(word => isHead(word) && isBefore(word.mention)) || named.some(isBefore));
}

/** The head of the noun phrase after the question word: `which [release years]`, `who is listed as the [director] of`. */
function nounAfter(text: string, asking: Mention, words: SchemaWord[], named: Mention[]): SchemaWord | null {
  let head: SchemaWord | null = null;
  let end = asking.end;
  let needsCopula = /^(?:who|whom|when|where)$/.test(asking.text);
  for (const word of words.filter(({ mention }) => mention.start >= asking.end)) {
    const between = text.slice(end, word.mention.start);
    const modifiers = named.filter(({ start }) => start >= end && start < word.mention.start);
    if (modifiers.length > 0) {
      // `which German customers`, 哪些在职的船员: values may stand between the question word and the noun.
      const isLimited = isJoined(fillPlaces(text, modifiers), end, word.mention.start);
      return head === null && !needsCopula && (word.labels.size > 0 || isNoun(text, word)) && isLimited ? word : head;
    }
    if (needsCopula && !/\b(?:is|are|was|were|be)\b/.test(between)) break;
    const passed = between.match(/\p{L}+/gu) ?? [];
    if (
      head
        ? !/^[\s-]*(?:co-?)?$/.test(between)
        : !passed.every(each => isCommonWord(each) && !/^(?:of|in|by|for|did|does|do|that)$/.test(each))
    )
      break;
    // `which departments sponsor a club`: behind a plural noun, a singular noun for a doer is a verb.
    if (head && /s$/.test(head.mention.text) && isAgentNoun(word.mention.text) && !/s$/.test(word.mention.text)) break;
    // `有多少出发航班`: the verb describes the noun behind it.
    const next = words.find(({ mention }) => mention.start === word.mention.end);
    const isBeforeNoun = !head && isOnlyRelation(word) && next !== undefined && next.labels.size > 0 && word.mention.start === end;
    if (isBeforeNoun && !/^的/.test(text.slice(next.mention.end))) {
      end = word.mention.end;
      continue;
    }
    if (!(head ? isHead(word) && !isVerbOfAmount(text, word) : isNoun(text, word))) break;
    head = word;
    end = word.mention.end;
    needsCopula = false;
  }
  return head;
}

/** Whether a word names things: a label, a property or a doer. */
function isHead({ mention, labels, properties }: SchemaWord): boolean {
  return labels.size > 0 || properties.length > 0 || isAgentNoun(mention.text);
}

function isNoun(text: string, word: SchemaWord): boolean {
  const { mention } = word;
  if (isHead(word)) return true;
  if (isVerbForm(mention.text) || !/^[a-z]/.test(mention.text)) return false;
  return isAgentNoun(mention.text) || /s$/.test(mention.text) || /^\s+(?:of|in|for|on)\b/.test(text.slice(mention.end)) || /\b(?:the|an?)\s+(?:\p{L}+\s+)?$/u.test(text.slice(0, mention.start)); // prettier-ignore
}

/** Whether a word is a verb, as in `visits costing more than 100` and `visits cost more than 100`. */
function isVerbOfAmount(text: string, { mention }: SchemaWord): boolean {
  return isVerbForm(mention.text) || (/^(?:cost|weigh)$/.test(mention.text) && text[mention.start - 2] === 's');
}

/**
 * Leaves out a label that only gives the kind of the name behind it, if there are other words: `film` in `describe film Alien`. So it leaves out
 * 供应商 in 产品，供应商是Exotic, which limits the products before the comma.
 */
function withoutKinds(text: string, words: SchemaWord[], named: Mention[]): SchemaWord[] {
  const isKind = ({ mention, labels }: SchemaWord): boolean =>
    named.some(
      name =>
        text.slice(mention.end, name.start) === ' ' && meaningOf(name, 'entity')?.nodes.some(({ label }) => labels.has(label)) === true,
    );
  const isCondition = ({ mention }: SchemaWord): boolean =>
    /[,，]\s*$/.test(text.slice(0, mention.start)) &&
    named.some(({ start }) => start > mention.end && /^(?:就?是|为)["“]?$/.test(text.slice(mention.end, start)));
  const others = words.filter(word => !isKind(word) && !isCondition(word));
  return others.length > 0 ? others : words;
}

function hasNounAfter(words: SchemaWord[], asking: Mention): boolean {
  return words.some(({ mention, labels }) => labels.size > 0 && mention.start >= asking.end);
}

function headOf(blank: string, words: SchemaWord[], language: Language): SchemaWord | null {
  const nouns = words.filter(({ labels, properties }) => labels.size > 0 || properties.length > 0);
  if (language === 'zh') return nouns.at(-1) ?? null;
  const role = words.find(({ mention }) => isAgentNoun(mention.text)) ?? nouns[0] ?? null;
  const first = nouns.find(({ isRole }) => !isRole);
  if (!first) return role;
  // The second noun is the head: `doctor titles` are titles, and `car owners` are owners.
  const second = nouns.find(
    word => word.mention.start - first.mention.end === 1 && (word.relations.size === 0 || word.isRole) && !isVerbOfAmount(blank, word),
  );
  if (second && (second.labels.size === 0 || second.isRole)) return second;
  // `owners of white cars` has the head `owners`, but `the writer of Alien also wrote movies` does not have the head `writer`.
  const isOf = role && /^\s+of(?:\s+(?:the|an?))?\s+$/.test(blank.slice(role.mention.end, first.mention.start));
  return isOf ? role : first;
}

import { type Bilingual } from '../../text/bilingual.js';
import { type LinkedQuestion } from './link-question.js';
import { intentsOf, type Mention } from './meaning.js';
import { type EntityTerm, type QuestionTerms, type ValueTerm } from './question-terms.js';
import { withoutStopWords } from './stop-words.js';

const joiningWords = /^\s*(?:[,，、]|和|与|及|以及|或|或者|,?\s*\b(?:and|or|nor)\b)\s*(?:(?:not\s+)?(?:in|from|the)\s+)*$/;
const postposedWords = /^(?:以外|之外|除外|外)$/;
const lightAfter = /^[\s"'”’》」类]*$/;

type Term = EntityTerm | ValueTerm;

/**
 * Marks the entities and values that a question excludes (`不在华东`, `除电子外`, `not in Europe or Asia`).
 * @returns the negations without an entity or value beside them, which the answer must not ignore
 */
export function applyNegations({ text, mentions }: LinkedQuestion, terms: QuestionTerms): Mention[] {
  const groups = groupTerms(text, terms);
  return mentions.filter(mention => {
    const negation = mention.meanings[0]?.as === 'intent' ? intentsOf(mention, 'negation') : null;
    if (!negation) return false;
    const group = negation.excludes ? groups.find(candidate => negates(text, mentions, terms, mention, candidate)) : undefined;
    for (const term of group ?? []) term.negated = true;
    return group === undefined;
  });
}

/** Groups entities and values joined by "and", "or" or a comma, because a negation of one applies to all. */
function groupTerms(text: string, terms: QuestionTerms): Term[][] {
  const groups: Term[][] = [];
  for (const term of [...terms.entities, ...terms.values].sort((a, b) => a.mention.start - b.mention.start)) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && joiningWords.test(text.slice(last.mention.end, term.mention.start))) group.push(term);
    else groups.push([term]);
  }
  return groups;
}

function negates(text: string, mentions: Mention[], terms: QuestionTerms, negation: Mention, group: Term[]): boolean {
  const [first, last] = [group[0], group.at(-1)];
  if (!first || !last) return false;
  if (postposedWords.test(negation.text))
    return (
      last.mention.end <= negation.start &&
      lightAfter.test(withoutMentions(text, last.mention.end, negation.start, asides(mentions, terms)))
    );
  if (first.mention.start < negation.end) return false;
  const passed = new Set([...asides(mentions, terms), ...terms.relations.map(term => term.mention)]);
  const others = mentions.filter(mention => mention.start >= negation.end && mention.end <= first.mention.start);
  const between = withoutMentions(text, negation.end, first.mention.start, [...passed]);
  return others.every(mention => passed.has(mention) || mention.text === 'by') && withoutStopWords(between).length === 0;
}

/** Mentions of labels that only name the kind of the entity beside them. */
function asides(mentions: Mention[], terms: QuestionTerms): Mention[] {
  const asked = new Set(terms.labels.map(term => term.mention));
  return mentions.filter(mention => mention.meanings[0]?.as === 'label' && !asked.has(mention));
}

function withoutMentions(text: string, from: number, to: number, mentions: Mention[]): string {
  let rest = '';
  for (let at = from; at < to; at++) rest += mentions.some(mention => mention.start <= at && at < mention.end) ? ' ' : (text[at] ?? '');
  return rest;
}

/** The reason to refuse negations that exclude nothing: an answer that ignored them would answer the opposite. Null if there are none. */
export function whyNegated({ negations }: QuestionTerms): Bilingual | null {
  const words = negations.map(mention => mention.text);
  if (words.length === 0) return null;
  return {
    zh: `不理解这里的否定或限定词“${words.join('”、“')}”，忽略它会答成另一个问题`,
    en: `the negation or restriction "${words.join('", "')}" is not understood here, and without it this would be another question`,
  };
}

/** The reason to refuse a statistic that no question can ask for, such as the median. Null if the question asks for none. */
export function whyStatistic({ statistic }: QuestionTerms): Bilingual | null {
  if (!statistic) return null;
  return {
    zh: `提问还不能算“${statistic.text}”；请改用 cypher（percentileCont、stDev），或定义一个公式为 MEDIAN、STDDEV 的指标`,
    en: `A question cannot ask for the "${statistic.text}"; use cypher (percentileCont, stDev), or define a metric with the formula MEDIAN or STDDEV`,
  };
}

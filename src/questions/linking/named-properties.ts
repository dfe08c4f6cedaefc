import { type Mention } from './meaning.js';
import { senseOf } from './synonyms.js';
import { type EntityTerm, type PropertyTerm, type QuestionTerms, type ValueTerm } from './question-terms.js';

const light =
  /^[\s"'“”‘’《》「」]*(?:(?:is|are|was|were|be|equals?|not|in|to|the|either|不?是|不?[为在]|等于|[:=])(?![a-z])[\s"'“”‘’《》「」]*|n['’]t\s*)*$/;
const asIt = /^[\s"'”’》」]*(?:as|作?为)\s*(?:(?:the|its|their|a|an)\s+)?$/;
const joining = /^\s*(?:[,，、]|和|与|及|以及|或者?|,?\s*\b(?:and|or|nor)\b)\s*$/;

/** Keeps only the meanings of each value that belong to the property named beside it: `whose destination is Paris`, `目的地是Paris`. */
export function keepNamedProperties(text: string, terms: Pick<QuestionTerms, 'values' | 'properties' | 'labels'>): void {
  const { values, properties } = terms;
  const stated = statedValues({ text, ...terms }, values);
  let last: { mention: Mention; named: ReadonlySet<string> } | null = null;
  for (const term of inOrder(values)) {
    const { start, end } = term.mention;
    const beside = properties.filter(
      ({ mention }) =>
        (mention.end <= start && light.test(text.slice(mention.end, start))) ||
        (mention.start >= end && asIt.test(text.slice(end, mention.start))),
    );
    const joined: ReadonlySet<string> = last !== null && joining.test(text.slice(last.mention.end, start)) ? last.named : new Set<string>();
    const named = beside.length > 0 ? new Set(beside.flatMap(({ owners }) => owners.map(({ property }) => property))) : joined;
    const { of = null, property = null } = stated.get(term) ?? {};
    // The question may name the property by a synonym: 国家 for `country`.
    const isOf = (value: ValueTerm['values'][number]): boolean =>
      value.label === of && (named.has(value.property) || senseOf(value.property) === senseOf(property?.mention.text ?? ''));
    keep(term, term.values.some(isOf) ? isOf : value => named.has(value.property));
    keepOwnOrigin(text, term, terms.labels);
    last = { mention: term.mention, named };
  }
}

function keep(term: ValueTerm, isMeant: (value: ValueTerm['values'][number]) => boolean): void {
  const own = term.values.filter(isMeant);
  if (own.length > 0) term.values = own;
}

/** `pilots from Germany`: if several labels have the value, keeps only the meaning for the label right before the value. */
function keepOwnOrigin(text: string, term: ValueTerm, labels: QuestionTerms['labels']): void {
  const isBehind = ({ mention }: { mention: Mention }): boolean =>
    mention.end <= term.mention.start && /^ from (?:the )?["'“‘]?$/.test(text.slice(mention.end, term.mention.start));
  const noun = labels.find(isBehind);
  if (noun) keep(term, ({ label }) => label === noun.label);
}

/** The property and the label `of` that a question states for a value. `of` is null if the question states no label. */
export interface Stated {
  property: PropertyTerm;
  of: string | null;
}

const isSaid = /^(?:\s*(?:不?[是为]|等于|[=:：])|\s+(?:is|are|was|were|equals?)(?:n['’]t)?(?: not)?(?: to)?\s)\s*["'“‘「《]?$/;
const isOnlyBeside = /^\s+(?:of\s+)?["'“‘]?$/;
const beforeSaid = /\b(?:whose|where|and|or)\s+(?:the\s+|their\s+)?$/;
const beforeBeside = /\b(?:with|having|have|has|had)\s+(?:the\s+|an?\s+)?$/;
const afterLabel = /^(?:的?|['’]s?\s+|\s+(?:whose|where|with|having|(?:that|who|which)\s+ha(?:ve|s|d))\s+(?:the\s+|an?\s+|their\s+)?)$/;

/** Maps each name or value to the property that the question states for it: `whose country is Germany`, `with country Germany`, 国家是德国的. */
export function statedValues<T extends ValueTerm | EntityTerm>(
  { text, properties, labels }: Pick<QuestionTerms, 'text' | 'properties' | 'labels'>,
  terms: readonly T[],
): Map<T, Stated> {
  const stated = new Map<T, Stated>();
  let last: T | null = null;
  for (const term of inOrder(terms)) {
    const { start, end } = term.mention;
    const property = properties.findLast(({ mention }) => {
      const [before, between] = [text.slice(0, mention.start), text.slice(mention.end, Math.max(mention.end, start))];
      if (mention.end > start) return false;
      return /[a-z]/.test(mention.text)
        ? (isSaid.test(between) && beforeSaid.test(before)) || (isOnlyBeside.test(between) && beforeBeside.test(before))
        : isSaid.test(between);
    });
    const before = last !== null && joining.test(text.slice(last.mention.end, start)) ? stated.get(last) : undefined;
    const beside =
      labels.find(({ mention }) => property && afterLabel.test(text.slice(mention.end, property.mention.start)) && mention.end <= property.mention.start) ??
      labels.find(({ mention }) => mention.start >= end && /^["'”’」》]?\s*的$/.test(text.slice(end, mention.start))); // prettier-ignore
    const only = new Set(labels.map(({ label }) => label)).size === 1 ? labels[0] : undefined;
    const own = property ? { property, of: (beside ?? only)?.label ?? null } : before;
    if (own) stated.set(term, own);
    last = term;
  }
  return stated;
}

function inOrder<T extends { mention: Mention }>(terms: readonly T[]): T[] {
  return [...terms].sort((a, b) => a.mention.start - b.mention.start);
}

import { type Mention } from './meaning.js';
import { type QuestionTerms, type ValueTerm } from './question-terms.js';

const light =
  /^[\s"'“”‘’《》「」]*(?:(?:is|are|was|were|be|equals?|not|in|to|the|either|不?是|不?[为在]|等于|[:=])(?![a-z])[\s"'“”‘’《》「」]*|n['’]t\s*)*$/;
const asIt = /^[\s"'”’》」]*(?:as|作?为)\s*(?:(?:the|its|their|a|an)\s+)?$/;
const joining = /^\s*(?:[,，、]|和|与|及|以及|或者?|,?\s*\b(?:and|or|nor)\b)\s*$/;

/** Leaves of each value the meanings that are of the property named beside it: `whose destination is Paris`, `目的地是Paris`. */
export function keepNamedProperties(text: string, { values, properties }: QuestionTerms): void {
  let last: { mention: Mention; named: ReadonlySet<string> } | null = null;
  for (const term of [...values].sort((a, b) => a.mention.start - b.mention.start)) {
    const { start, end } = term.mention;
    const beside = properties.filter(
      ({ mention }) =>
        (mention.end <= start && light.test(text.slice(mention.end, start))) ||
        (mention.start >= end && asIt.test(text.slice(end, mention.start))),
    );
    const joined: ReadonlySet<string> = last !== null && joining.test(text.slice(last.mention.end, start)) ? last.named : new Set<string>();
    const named = beside.length > 0 ? new Set(beside.flatMap(({ owners }) => owners.map(({ property }) => property))) : joined;
    keep(term, named);
    last = { mention: term.mention, named };
  }
}

function keep(term: ValueTerm, named: ReadonlySet<string>): void {
  const own = term.values.filter(({ property }) => named.has(property));
  if (own.length > 0) term.values = own;
}

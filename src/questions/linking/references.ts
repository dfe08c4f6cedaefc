/** A word that stands for what an earlier question was about or found. Offsets count in the normalised text. */
export interface Reference {
  text: string;
  start: number;
  end: number;
  /** Whether the word stands for all nodes that were found. */
  isPlural: boolean;
  /** `which of them`, `其中`: the question asks for some of what was found. */
  isPart: boolean;
  /** Whether its position excludes that it refers to anything in its own sentence. */
  isOpen: boolean;
}

const part =
  /(?<=\b(?:which|who|what|how many|any|one|some|all|most|none) )of (?:them|these|those)\b|其中|(?:这些|那些|他们|她们|它们)(?:之中|当中|里面?|中)/u;
const plural = /\b(?:they|them|their|theirs)\b|[他她它]们/u;
const singular = /\b(?:it|its|he|him|his|she|her|hers)\b|(?<!其)[他她它](?![们国乡日])|那里|那儿/u;
/** `what did they order`: the verb is before it, so nothing in the sentence is meant. */
const asSubject = /\b(?:did|do|does|have|has|had|are|is|was|were|will|would|can|could)\s+$/;

/** The first such word of a text, if there is one. @param text as it was normalised for linking */
export function findReference(text: string): Reference | null {
  const asPart = part.exec(text);
  const asPlural = asPart ?? plural.exec(text);
  const match = asPlural ?? singular.exec(text);
  if (!match) return null;
  const end = match.index + match[0].length;
  const isHan = /\p{Script=Han}/u.test(match[0]) && text[end] !== '的';
  const isOpen = match.index === 0 || asSubject.test(text.slice(0, match.index)) || (!asPart && isHan);
  return {
    text: match[0],
    start: match.index,
    end,
    isPlural: asPlural !== null,
    isPart: asPart !== null,
    isOpen,
  };
}

/** A word that stands for something that an earlier question named or found. Offsets refer to the normalised text. */
export interface Reference {
  text: string;
  start: number;
  end: number;
  /** Whether the word stands for all nodes that the earlier question found. */
  isPlural: boolean;
  /** Whether the question asks for some of the nodes that the earlier question found: `which of them`, `其中`. */
  isPart: boolean;
  /** Whether the word cannot refer to anything in its own sentence, because of its position. */
  isOpen: boolean;
}

const part =
  /(?<=^|\b(?:which|who|what|how many|any|one|some|all|most|none) )of (?:them|these|those)\b|其中|(?:这些|那些|他们|她们|它们)(?:之中|当中|里面?|中)/u;
const plural = /\b(?:they|them|their|theirs)\b|[他她它]们/u;
const singular = /\b(?:it|its|he|him|his|she|her|hers)\b|(?<!其)[他她它](?![们国乡日])|那里|那儿/u;
/** Matches the text before a pronoun that is a subject: in `what did they order` "they" refers to nothing in its own sentence. */
const asSubject = /\b(?:did|do|does|have|has|had|are|is|was|were|will|would|can|could)\s+$/;

/** The first word of a text that may refer to an earlier question; null if there is none. @param text as normalised for linking */
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

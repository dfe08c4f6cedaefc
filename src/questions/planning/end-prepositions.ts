import { type EdgeSchema } from '../../cypher/semantics/graph-schema.js';

/**
 * Prepositions, and the words in names of relations and dimensions that mean the same end: `loans from A to B` names `loaned_from` and
 * `loaned_to`, and 从A到B names 借出馆 and 借入馆.
 */
const ends = [
  { preposition: /\bfrom (?:the )?$/, name: /(?:^|[_\s])from(?=$|[_\s])/i },
  { preposition: /\bto (?:the )?$/, name: /(?:^|[_\s])to(?=$|[_\s])/i },
  { preposition: /[从自由]\s?$/, name: /出|起|始/ },
  { preposition: /[到至往]\s?$/, name: /入|到|抵|终|目的/ },
];

/** The only one of several names that the preposition at the end of a text means. Undefined if it means none or several of them. */
export function endSaid<T>(before: string, all: readonly T[], namesOf: (each: T) => readonly string[]): T | undefined {
  const end = ends.find(({ preposition }) => preposition.test(before));
  const said = end && all.length > 1 ? all.filter(each => namesOf(each).some(name => end.name.test(name))) : [];
  return said.length === 1 ? said[0] : undefined;
}

/** The relation between two labels that the preposition at the end of a text means, if several relations join these labels. */
export function relationSaid(
  before: string,
  edges: readonly EdgeSchema[],
  from: ReadonlySet<string>,
  to: readonly string[],
): string | undefined {
  const joining = edges.filter(
    ({ sourceLabel, targetLabel }) =>
      (from.has(sourceLabel) && to.includes(targetLabel)) || (from.has(targetLabel) && to.includes(sourceLabel)),
  );
  return endSaid(before, joining, ({ type, aliases }) => [type, ...aliases])?.type;
}

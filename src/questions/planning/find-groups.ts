import { type MeaningOf, type Mention } from '../linking/meaning.js';
import { type LabelTerm, type PropertyTerm, type QuestionTerms } from '../linking/question-terms.js';

/** Tells whether a mention stands at most two characters after a word of the question. */
export function follows(mention: Mention, word: Mention): boolean {
  return word.end <= mention.start && mention.start - word.end <= 2;
}

/** Tells whether a grouping word stands alone and means each of the things beside it: 分别, 各自, `respectively`. */
export function isEach(word: string): boolean {
  return /^(?:分别|各自|respective(?:ly)?)$/.test(word);
}

/** `每个客户`, `by customer`: the label to count by. */
export function groupLabel({ groups, labels }: QuestionTerms): LabelTerm | null {
  return labels.find(term => groups.some(group => follows(term.mention, group))) ?? null;
}

/** `每个类别`, `by category`: the property to count or compute by. */
export function groupProperty({ groups, properties }: QuestionTerms, label: string): MeaningOf<'property'> | null {
  const term = properties.find(({ mention }) => groups.some(group => follows(mention, group)));
  return term?.owners.find(owner => owner.owner === 'node' && owner.ownerName === label) ?? null;
}

/** The grouping word before a grouping property, and a test for the term of this property; nothing if `group` is null. */
export function grouping(
  { groups, properties }: QuestionTerms,
  group: MeaningOf<'property'> | null,
): { groups: Mention[]; property: (term: PropertyTerm) => boolean } {
  const term = group && properties.find(({ owners }) => owners.includes(group));
  const word = term && groups.find(candidate => follows(term.mention, candidate));
  return { groups: word ? [word] : [], property: candidate => candidate === term };
}

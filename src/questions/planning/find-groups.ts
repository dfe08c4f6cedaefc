import { type MeaningOf, type Mention } from '../linking/meaning.js';
import { type LabelTerm, type PropertyTerm, type QuestionTerms } from '../linking/question-terms.js';

/** Whether a mention stands at most two characters after a word of the question. */
export function follows(mention: Mention, word: Mention): boolean {
  return word.end <= mention.start && mention.start - word.end <= 2;
}

/** Whether a grouping word stands alone and means each of the things beside it: 分别, 各自, `respectively`. */
export function isEach(word: string): boolean {
  return /^(?:分别|各自|respective(?:ly)?)$/.test(word);
}

/** The label to count by: 客户 in `每个客户`, `customer` in `by customer`. */
export function groupLabel({ groups, labels }: QuestionTerms): LabelTerm | null {
  return labels.find(term => groups.some(group => follows(term.mention, group))) ?? null;
}

/** The property to count or compute by: 类别 in `每个类别`, `category` in `by category`. */
export function groupProperty({ groups, properties }: QuestionTerms, label: string): MeaningOf<'property'> | null {
  const term = properties.find(({ mention }) => groups.some(group => follows(mention, group)));
  return term?.owners.find(owner => owner.owner === 'node' && owner.ownerName === label) ?? null;
}

/** The grouping word before the property `group`, and a test for the term of this property. No word if `group` is null. */
export function grouping(
  { groups, properties }: QuestionTerms,
  group: MeaningOf<'property'> | null,
): { groups: Mention[]; property: (term: PropertyTerm) => boolean } {
  const term = group && properties.find(({ owners }) => owners.includes(group));
  const word = term && groups.find(candidate => follows(term.mention, candidate));
  return { groups: word ? [word] : [], property: candidate => candidate === term };
}

import { fillPlaces } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { UnplannableError } from './question-plan.js';
import { type SchemaWord } from './schema-word.js';

const joining = /^ ?(?:的 ?)?(?:[,，、]|和|与|及|以及|还有|,? ?and(?: also)?) ?(?:the |of )*$/;

/**
 * Refuses a question for things of two kinds at once: 有多少客户和产品, `list the suppliers and products`. The planner would list one kind and
 * treat the other as a limit.
 * @throws UnplannableError
 */
export function refuseTwoKinds({ text, labels, counts, whichs, groups }: QuestionTerms, asked: SchemaWord | null): void {
  const rest = fillPlaces(text, [...counts, ...whichs, ...groups]);
  const pair = labels.flatMap((first, i) => {
    const second = labels[i + 1];
    const isPair =
      second !== undefined &&
      second.label !== first.label &&
      joining.test(rest.slice(first.mention.end, second.mention.start).replace(/\s+/g, ' ')) &&
      (asked === null || [first, second].some(({ mention }) => mention === asked.mention));
    return isPair ? [[first.mention.text, second.mention.text] as const] : [];
  })[0];
  if (!pair) return;
  throw new UnplannableError(
    `一次只能问一种对象，“${pair[0]}”和“${pair[1]}”请分开问`,
    `A question is for things of one kind; ask for "${pair[0]}" and "${pair[1]}" apart`,
  );
}

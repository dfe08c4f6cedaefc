import { type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { UnplannableError } from './question-plan.js';

/** Matches the text between a property and 多少, which then asks for its value: 库存是多少. */
const ofProperty = /^[\s的]*(?:是|为|有)?$/;
/** Matches the text behind 几 of a length of time: 最近几个月. */
const beforePeriod = /^个?(?:天|周|月|年|季度|星期|小时)/;
const joining = /(?:[,，;；]\s*(?:and\s+)?|\band\s+)$/;

/** Matches the text behind `who` that makes it a question: `who is the author`. */
const beginsAgain = /^\s*(?:is|are|was|were)\s+(?:the|an?)\b/;
const joiningThings = /(?:[,，;；]\s*(?:and\s+)?|\band\s+|[和且]|而且|以及|并且?)$/;

/**
 * Refuses a second question in one sentence: 有多少博物馆，其中公立的有多少, `How many museums are there, and which are public?`. The planner
 * would take the second one as a limit of the first one.
 * @throws UnplannableError
 */
export function refuseTwoQuestions({ text, counts, whichs, properties }: QuestionTerms): void {
  const asksValue = ({ text: own, start }: Mention): boolean =>
    own.endsWith('多少') && properties.some(({ mention }) => mention.end <= start && ofProperty.test(text.slice(mention.end, start)));
  const [first, ...others] = counts.filter(
    count => /how many|多少|几/.test(count.text) && !asksValue(count) && !beforePeriod.test(text.slice(count.end)),
  );
  if (!first) return refuseTwoThings(text, whichs);
  const second = others[0] ?? whichs.find(({ start }) => start > first.end && joining.test(text.slice(0, start)));
  if (!second) return;
  throw new UnplannableError(
    `一次只能问一个数量，请把“${second.text}”这一问分开问`,
    `A question is for one number; ask for the part with "${second.text}" apart`,
  );
}

/** Refuses `Who wrote Emma and who published it?`, but not `customers who live in Berlin and who ordered Chai`. */
function refuseTwoThings(text: string, whichs: readonly Mention[]): void {
  const [first, ...others] = whichs;
  if (!first || !/^\s*(?:(?:please\s+)?(?:tell|show)\s+me\s+)?$|^\P{Script=Latin}*$/u.test(text.slice(0, first.start))) return;
  // A pronoun behind a noun begins a clause, and the next one may go on with it: `the members who live in Leeds and who borrowed Dune`.
  const isPronoun = (at: number): boolean => others.some(({ start }) => start < at && !joiningThings.test(text.slice(0, start)));
  const second = others.find(
    ({ text: own, start, end }) =>
      own === first.text && joiningThings.test(text.slice(0, start)) && !(isPronoun(start) && !beginsAgain.test(text.slice(end))),
  );
  if (!second) return;
  throw new UnplannableError(
    `一次只能问一样东西，请把后一个“${second.text}”分开问`,
    `A question is for one thing; ask for the second "${second.text}" apart`,
  );
}

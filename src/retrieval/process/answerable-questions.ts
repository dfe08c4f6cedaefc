import { type Link, readFollowUp } from '../../questions/linking/follow-up.js';
import { TooManyWordsError } from '../../questions/linking/link-question.js';
import { type Planning, planReading } from './plan-reading.js';

const mostSuggested = 3;
/** Maximum length of a suggested question in UTF-16 units, because users do not send longer ones. */
const longest = 300;
/**
 * Maximum number of suggestions that are tried. Each try costs as much as planning a question, and a refusal should not take several times
 * as long as an answer.
 */
const mostTried = 10;
const patienceMs = 500;

/** Returns the questions that can be planned when they are asked alone, the nearest first. Their answers may still be empty. */
export async function answerableQuestions(near: readonly string[], planning: Planning, link: Link): Promise<string[]> {
  const found: string[] = [];
  const until = performance.now() + patienceMs;
  // Leave out the tokens of chosen meanings, because they are valid only for the question for which they were offered.
  const alone = { ...planning, question: { ...planning.question, choices: [] } };
  for (const text of near.filter(({ length }) => length <= longest).slice(0, mostTried)) {
    if (performance.now() > until) break;
    if (await canBePlanned(text, alone, link)) found.push(text);
    if (found.length === mostSuggested) break;
  }
  return found;
}

async function canBePlanned(text: string, planning: Planning, link: Link): Promise<boolean> {
  try {
    const readings = await readFollowUp(text, null, link);
    const [reading] = Array.isArray(readings) ? readings : [];
    // A text with a single mention is not a question.
    if (!reading || reading.linked.mentions.length < 2) return false;
    const { outcome, notes } = await planReading(planning, reading);
    return !('reason' in outcome) && !('isGuessed' in outcome && outcome.isGuessed) && notes.length === 0;
  } catch (error) {
    if (error instanceof TooManyWordsError) return false;
    throw error;
  }
}

import { type Mention } from './meaning.js';

/** Maximum mentions of a question, and meanings of all of them: a word may name each of 2,000 relations. */
const mostMentions = 60;
const mostMeanings = 10_000;

/** Whether a question mentions too much to be planned: planning it would hold up other questions. */
export function asksTooMuch({ mentions }: { mentions: readonly Mention[] }): boolean {
  return mentions.length > mostMentions || mentions.reduce((sum, { meanings }) => sum + meanings.length, 0) > mostMeanings;
}

/** Matches a question for a time by a noun, which need not be a name in the graph: `what was the release date`, `which year`. */
const timeNoun = /\b(?:what|which)(?:\s+(?:is|are|was|were|the|in|\p{L}+))??(?:\s+(?:the|\p{L}+)){0,2}?\s+(?:dates?|years?|times?)\b/u;

/** Whether a question asks for a time by a noun. */
export function asksForTime(text: string): boolean {
  return timeNoun.test(text);
}

/** Whether words for a period ask for one period: 哪个月, `which month`, `the month with the most`; 每个月 and `per month` do not. */
export function asksWhichPeriod(words: string): boolean {
  return /哪|几$|\b(?:which|what)\b|^(?:the )?(?:day|week|month|quarter|year)s?$|^(?:[天日周年月]|星期|季度)份?$/.test(words);
}

/** `what was the release date`, `which year`: a noun for a time, though the graph may call nothing so. */
const timeNoun = /\b(?:what|which)(?:\s+(?:is|are|was|were|the|in|\p{L}+))??(?:\s+(?:the|\p{L}+)){0,2}?\s+(?:dates?|years?|times?)\b/u;

/** Tells whether a question asks for a time by a noun. */
export function asksForTime(text: string): boolean {
  return timeNoun.test(text);
}

/** Tells whether words for a period ask which one it is: 哪个月, `which month`, `the month with the most`; 每个月 and `per month` do not. */
export function asksWhichPeriod(words: string): boolean {
  return /哪|几$|\b(?:which|what)\b|^(?:the )?(?:day|week|month|quarter|year)s?$|^(?:[天日周年月]|星期|季度)份?$/.test(words);
}

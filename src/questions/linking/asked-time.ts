/** `what was the release date`, `which year`: a noun for a time, though the graph may call nothing so. */
const timeNoun = /\b(?:what|which)(?:\s+(?:is|are|was|were|the|in|\p{L}+))??(?:\s+(?:the|\p{L}+)){0,2}?\s+(?:dates?|years?|times?)\b/u;

/** Tells whether a question asks for a time by a noun. */
export function asksForTime(text: string): boolean {
  return timeNoun.test(text);
}

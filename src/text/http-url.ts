/** Matches blanks, control characters, invisible characters, and the backslash, which `URL` takes for a slash. */
const unwritten = /[\s\\\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Reads an http or https URL as it is written. `URL` alone also takes `http:///host` and `http:host`, and drops line breaks, so that the
 * URL would lead to another host than the text shows. Null for such a text, and for a text that is not a URL.
 */
export function readHttpUrl(text: string): URL | null {
  if (!/^https?:\/\/[^/?#]/i.test(text) || unwritten.test(text) || !URL.canParse(text)) return null;
  return new URL(text);
}

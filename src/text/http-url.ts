/** Blanks, control characters, invisible ones, and the backslash that `URL` takes for a slash. */
const unwritten = /[\s\\\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Reads an http or https URL as it is written. `URL` alone also takes `http:///host` and `http:host`, and drops line breaks, so that a
 * text would name another place than it shows. Null for such a text, and for one that is no URL.
 */
export function readHttpUrl(text: string): URL | null {
  if (!/^https?:\/\/[^/?#]/i.test(text) || unwritten.test(text) || !URL.canParse(text)) return null;
  return new URL(text);
}

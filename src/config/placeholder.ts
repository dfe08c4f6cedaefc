/** Matches words that templates, tutorials and hasty people put in the place of a secret. */
const words =
  /change[-_ ]?me|replace[-_ ]?(me|this)|placeholder|your[-_ ]|[-_ ]here\b|example|insert[-_ ]|x{6}|^(secret|todo|password|passwd|pass|postgres|admin|root|test|default|none|null|undefined|dummy|123456\d*)$|^<.*>$/i;

/** Whether a text is a well-known secret or only a placeholder: `changeme`, `<your key here>`, `aaaaaaaa`. */
export function isPlaceholder(secret: string): boolean {
  return words.test(secret) || new Set(secret).size <= 2;
}

/** The password inside a URL; undefined if the URL has none. */
export function passwordIn(url: string): string | undefined {
  const match = /^[a-z]+:\/\/[^\s/:@]*:([^\s@]*)@/i.exec(url);
  if (!match?.[1]) return undefined;
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return match[1];
  }
}

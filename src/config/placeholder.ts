/** Words from templates, tutorials and haste that stand in the place of a secret. */
const words =
  /change[-_ ]?me|replace[-_ ]?(me|this)|placeholder|your[-_ ]|[-_ ]here\b|example|insert[-_ ]|x{6}|^(secret|todo|password|passwd|pass|postgres|admin|root|test|default|none|null|undefined|dummy|123456\d*)$|^<.*>$/i;

/** Tells whether a secret is well known or no secret at all: `changeme`, `<your key here>`, `aaaaaaaa`. */
export function isPlaceholder(secret: string): boolean {
  return words.test(secret) || new Set(secret).size <= 2;
}

/** The password inside a URL, or undefined. */
export function passwordIn(url: string): string | undefined {
  const match = /^[a-z]+:\/\/[^\s/:@]*:([^\s@]*)@/i.exec(url);
  if (!match?.[1]) return undefined;
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return match[1];
  }
}

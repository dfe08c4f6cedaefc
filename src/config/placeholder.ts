/** Words that stand where a secret should: from templates, tutorials and haste. */
const words =
  /change[-_ ]?me|replace[-_ ]?(me|this)|placeholder|your[-_ ]|[-_ ]here\b|example|insert[-_ ]|x{6}|^(secret|todo|password|passwd|pass|postgres|admin|root|test|default|none|null|undefined|dummy|123456\d*)$|^<.*>$/i;

/** Whether a secret is one that everybody knows, or no secret at all: `changeme`, `<your key here>`, `aaaaaaaa`. */
export function isPlaceholder(secret: string): boolean {
  return words.test(secret) || new Set(secret).size <= 2;
}

/** The password inside a URL; undefined where there is none. */
export function passwordIn(url: string): string | undefined {
  const match = /^[a-z]+:\/\/[^\s/:@]*:([^\s@]*)@/i.exec(url);
  if (!match?.[1]) return undefined;
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return match[1];
  }
}

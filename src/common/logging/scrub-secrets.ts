const hidden = '[secret]';

/** The least length of a hidden secret, in characters: a shorter secret would also hide harmless words. */
const leastLength = 6;

/** Patterns of texts that look like secrets, and their replacements. Each pattern is linear in the length of the line. */
const shapes: [pattern: RegExp, replacement: string][] = [
  // JSON Web Token.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, hidden],
  // API key of this service. The part before the second underscore is public.
  [/\b(gsk_[A-Za-z0-9]{1,32}_)[A-Za-z0-9]+/g, `$1${hidden}`],
  // Name and password in a URL. The length of the name is bounded; otherwise a line of colons would take quadratic time.
  [/\/\/[^\s/:@"'\\]{0,128}:[^\s/@"'\\]{1,512}@/g, `//${hidden}@`],
  [/\b(Bearer|Basic) +[\w.~+/-]{6,}=*/gi, `$1 ${hidden}`],
  // Named value in JSON (also quoted inside a string), a query string or a header.
  [
    /\b(pass(?:word|wd|phrase)?|pwd|(?:api[-_]?|raw[-_]?|access[-_]?|private[-_]?|license[-_]?)key|secret|token|authorization|cookie)(\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)[^\s"'\\,;&}]+/gi,
    `$1$2${hidden}`,
  ],
];

/**
 * Returns the last filter of the log: a function that hides, in a line about to be written, the given secrets and texts that look like
 * secrets. Lines are JSON and stay JSON. Log calls should leave nothing to hide; the filter catches the calls that do.
 */
export function scrubber(secrets: readonly string[]): (line: string) => string {
  const known = secrets
    .filter(secret => secret.length >= leastLength)
    .flatMap(secret => [...new Set([secret, JSON.stringify(secret).slice(1, -1)])]);
  return line => {
    let clean = line;
    for (const secret of known) if (clean.includes(secret)) clean = clean.replaceAll(secret, hidden);
    for (const [pattern, replacement] of shapes) clean = clean.replace(pattern, replacement);
    return clean;
  };
}

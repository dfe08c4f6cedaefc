const hidden = '[secret]';

/** Shorter secrets would also hide words that are none. */
const leastLength = 6;

/** What a secret looks like wherever it turns up; each pattern is linear in the length of the line. */
const shapes: [pattern: RegExp, replacement: string][] = [
  // A JSON Web Token.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, hidden],
  // An API key of ours; what stands before the second underscore is public.
  [/\b(gsk_[A-Za-z0-9]{1,32}_)[A-Za-z0-9]+/g, `$1${hidden}`],
  // Name and password in a URL. The name is bounded: without, a line of colons would cost its square.
  [/\/\/[^\s/:@"'\\]{0,128}:[^\s/@"'\\]{1,512}@/g, `//${hidden}@`],
  [/\b(Bearer|Basic) +[\w.~+/-]{6,}=*/gi, `$1 ${hidden}`],
  // A named value, as in JSON (also quoted inside a string), a query string or a header.
  [
    /\b(pass(?:word|wd|phrase)?|pwd|(?:api[-_]?|raw[-_]?|access[-_]?|private[-_]?|license[-_]?)key|secret|token|authorization|cookie)(\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)[^\s"'\\,;&}]+/gi,
    `$1$2${hidden}`,
  ],
];

/**
 * The last gate of the log: hides the given secrets, and whatever has the shape of one, in a line about to be written.
 * Lines are JSON and stay JSON. What is logged is chosen so that nothing needs hiding; this is for the day it was not.
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

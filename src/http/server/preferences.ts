import { type Response } from 'express';

const token = "[!#$%&'*+.^_`|~0-9a-z-]+";
const preference = new RegExp(`^(${token})(?:[ \\t]*=[ \\t]*(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?[ \\t]*(?:;|$)`, 'i');

/**
 * Reads a `Prefer` header (RFC 7240): `respond-async, wait=10; x, handling="lenient"`. Names become lower case. A preference without a
 * value gets the empty value. If two preferences have the same name, the first counts. Unreadable parts are skipped.
 */
export function readPreferences(header: string | undefined): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>();
  for (const text of splitList(header ?? '')) {
    const match = preference.exec(text);
    if (!match?.[1]) continue;
    const name = match[1].toLowerCase();
    if (!preferences.has(name)) preferences.set(name, match[2] ?? (match[3] ?? '').replace(/\\(.)/g, '$1'));
  }
  return preferences;
}

/** Splits a header at the commas outside of quotes. */
function splitList(header: string): string[] {
  return (header.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? []).map(text => text.trim());
}

/** Adds a preference that the service has followed to `Preference-Applied`. */
export function preferenceApplied(response: Response, applied: string): void {
  response.append('Preference-Applied', applied);
}

/** The longest time in seconds that a request may wait for work, with `Prefer: wait`. */
export const maxWaitSeconds = 60;

/**
 * The seconds that a request with `Prefer: wait=N` may wait, at most `maxWaitSeconds`. They are also named in `Preference-Applied`. A value
 * that is not a number gives 0.
 */
export function grantWait(header: string | undefined, response: Response): number {
  const asked = readPreferences(header).get('wait') ?? '';
  const seconds = /^\d{1,9}$/.test(asked) ? Math.min(Number(asked), maxWaitSeconds) : 0;
  if (seconds > 0) preferenceApplied(response, `wait=${seconds}`);
  return seconds;
}

import { type Response } from 'express';

const token = "[!#$%&'*+.^_`|~0-9a-z-]+";
const preference = new RegExp(`^(${token})(?:[ \\t]*=[ \\t]*(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?[ \\t]*(?:;|$)`, 'i');

/**
 * What a `Prefer` header asks for (RFC 7240): `respond-async, wait=10; x, handling="lenient"`. Names are lower case, a preference
 * without a value has the empty one, of one that is named twice the first counts, and what cannot be read is no preference.
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

/** Cuts at the commas that stand outside of quotes. */
function splitList(header: string): string[] {
  return (header.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? []).map(text => text.trim());
}

/** Names a preference that was followed in `Preference-Applied`, beside others. */
export function preferenceApplied(response: Response, applied: string): void {
  response.append('Preference-Applied', applied);
}

/** The seconds that `Prefer: wait=N` is granted, `most` at the most, as `Preference-Applied` then says; 0 for anything but a number. */
export function grantWait(header: string | undefined, most: number, response: Response): number {
  const asked = readPreferences(header).get('wait') ?? '';
  const seconds = /^\d{1,9}$/.test(asked) ? Math.min(Number(asked), most) : 0;
  if (seconds > 0) preferenceApplied(response, `wait=${seconds}`);
  return seconds;
}

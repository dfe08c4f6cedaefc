const utc = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?Z$/;

/**
 * Reads an ISO 8601 time in UTC that ends with `Z`. Null for a time without a zone, which JavaScript would read in the machine's zone, and
 * for a 30th of February, which JavaScript would turn into a day of March.
 */
export function parseUtcTime(text: unknown): Date | null {
  const match = typeof text === 'string' ? utc.exec(text) : null;
  if (!match) return null;
  const time = new Date(match[0]);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(match[1]!) ? time : null;
}

/**
 * Reads an HTTP date in the only form that is sent today, `Fri, 20 Nov 2026 12:00:00 GMT` (RFC 9110, IMF-fixdate). Null for any other text.
 */
export function parseHttpDate(text: string): Date | null {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toUTCString() === text ? time : null;
}

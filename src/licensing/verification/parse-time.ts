const utc = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?Z$/;

/**
 * Reads an ISO 8601 time in UTC with its `Z`. A time without a zone would be read in the zone of the machine, and a 30th of
 * February would roll over to March: both are null.
 */
export function parseUtcTime(text: unknown): Date | null {
  const match = typeof text === 'string' ? utc.exec(text) : null;
  if (!match) return null;
  const time = new Date(match[0]);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(match[1]!) ? time : null;
}

/** Reads an HTTP date in the one form that is sent today, `Fri, 20 Nov 2026 12:00:00 GMT` (RFC 9110, IMF-fixdate); null for others. */
export function parseHttpDate(text: string): Date | null {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toUTCString() === text ? time : null;
}

/** True for an IANA zone known to this runtime. PostgreSQL ships the same database of zones, but reads the sign of an offset the other way round. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

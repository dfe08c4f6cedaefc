/** Seconds of `Prefer: wait=N` (RFC 7240), 0 without one; what is no number is no preference. */
export function preferredWait(prefer: string | undefined): number {
  const match = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(prefer ?? '');
  return match ? Number(match[1]) : 0;
}

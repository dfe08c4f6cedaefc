/** The name of a time zone as a text constant of SQL. Names with characters that could need escaping are refused. */
export function quotedZone(zone: string): string {
  if (!/^[A-Za-z0-9_+/-]+$/.test(zone)) throw new Error('The name of a time zone has other characters');
  return `'${zone}'`;
}

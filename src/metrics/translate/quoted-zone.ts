/** The name of a time zone as a text in SQL, in which nothing needs to be escaped. */
export function quotedZone(zone: string): string {
  if (!/^[A-Za-z0-9_+/-]+$/.test(zone)) throw new Error('The name of a time zone has other characters');
  return `'${zone}'`;
}

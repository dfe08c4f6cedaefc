/**
 * Converts PostgreSQL's text of a date or time to ISO 8601. PostgreSQL writes BC behind a time before our era, and no sign before a year
 * of five digits. ISO 8601 has a year 0 and signs: `0044-03-15 BC` is `-0043-03-15`. A text of another form stays as it is.
 */
export function withIsoYear(text: string): string {
  const [, year, rest = '', isBefore] = /^(\d{4,})(-\d\d-\d\d.*?)( BC)?$/.exec(text) ?? [];
  if (year === undefined || (year.length === 4 && isBefore === undefined)) return text;
  const number = isBefore === undefined ? Number(year) : 1 - Number(year);
  const digits = String(Math.abs(number)).padStart(4, '0');
  return `${number < 0 ? '-' : number > 9999 ? '+' : ''}${digits}${rest}`;
}

/** Converts a date of ISO 8601 to PostgreSQL's text, as the inverse of `withIsoYear`: `-0043-03-15` is `0044-03-15 BC`. */
export function withEra(date: string): string {
  const [, year, rest = ''] = /^(-\d{4}|0000)(-\d\d-\d\d)$/.exec(date) ?? [];
  return year === undefined ? date : `${String(1 - Number(year)).padStart(4, '0')}${rest} BC`;
}

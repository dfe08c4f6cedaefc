const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
/** A date, or the beginning of one: `2024-05` comes before every day of May. */
const BEGINNING_OF_DATE = /^\d{4}(-\d{2}(-\d{2})?)?$/;
/** As graphs hold date-times: in the time zone of their mapping, with its offset. */
const DATETIME = /^\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?[+-]\d{2}:\d{2}(:\d{2})?$/;
/** Without an offset: texts of two offsets do not stand in the order of their times. */
const BEGINNING_OF_DATETIME = /^\d{4}(-\d{2}(-\d{2}(T\d{2}(:\d{2}(:\d{2}(\.\d{1,6})?)?)?)?)?)?$/;

/** Whether the text is a day of the calendar, as `2024-02-29` is. */
export function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}

/**
 * Whether comparing a date or a date-time with this text says what it seems to: both are compared as ISO 8601 texts, so that any other
 * way to write a time would be before or after all of them.
 */
export function comparesAsTime(type: 'date' | 'datetime', isEquality: boolean, text: string): boolean {
  if (type === 'date') return isEquality ? isDate(text) : BEGINNING_OF_DATE.test(text);
  return (isEquality ? DATETIME : BEGINNING_OF_DATETIME).test(text);
}

const wholeDate = /^(\d{4})-(\d{2})-(\d{2})$/;
/** A date, or the beginning of one: `2024-05` sorts before every day of May. */
const beginningOfDate = /^\d{4}(-\d{2}(-\d{2})?)?$/;
/** The form of date-times in graphs: in the time zone of their mapping, with its offset. */
const wholeDatetime = /^\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?[+-]\d{2}:\d{2}(:\d{2})?$/;
/** Has no offset: texts with two different offsets do not sort in the order of their times. */
const beginningOfDatetime = /^\d{4}(-\d{2}(-\d{2}(T\d{2}(:\d{2}(:\d{2}(\.\d{1,6})?)?)?)?)?)?$/;

/** Tells whether the text is a day of the calendar, such as `2024-02-29`. */
export function isDate(text: string): boolean {
  const [, year, month, day] = wholeDate.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}

/**
 * Tells whether comparing a date or a date-time with this text means what it seems to. Both are compared as ISO 8601 texts, so a
 * time written in another way would be before or after all of them.
 */
export function comparesAsTime(type: 'date' | 'datetime', isEquality: boolean, text: string): boolean {
  if (type === 'date') return isEquality ? isDate(text) : beginningOfDate.test(text);
  return (isEquality ? wholeDatetime : beginningOfDatetime).test(text);
}

import { Dice } from '../../../test/support/dice.js';
import { findTimes } from './parse-time.js';
import { isLong } from '../../../test/support/tier.js';

/** A calendar day. `index` is the number of days since Monday, 1 January 1990. */
interface Day {
  text: string;
  year: number;
  month: number;
  day: number;
  index: number;
}

/** Every day from 1990 to 2031, computed from the lengths of the months, independently of the code under test. */
const calendar: Day[] = [];
for (let year = 1990, index = 0; year < 2032; year++) {
  const isLeap = year % 4 === 0;
  for (const [at, length] of [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].entries()) {
    for (let day = 1; day <= length; day++) {
      const text = `${year}-${String(at + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
      calendar.push({ text, year, month: at + 1, day, index: index++ });
    }
  }
}
const quarterOf = ({ month }: Day): number => Math.floor((month - 1) / 3) + 1;
const months = (day: Day): number => day.year * 12 + day.month;
const quarters = (day: Day): number => day.year * 4 + quarterOf(day);
/** 1 January 1990 was a Monday. */
const weeks = ({ index }: Day): number => Math.floor(index / 7);

type Holds = (day: Day, today: Day) => boolean;
const englishMonths = 'January February March April May June July August September October November December'.split(' ');

/** The same day `count` months earlier, or the last day of that month if the month is shorter. */
function monthsBefore(today: Day, count: number): Day {
  let at = today.index;
  while (months(calendar[at]!) > months(today) - count) at--;
  while (calendar[at]!.day > today.day) at--;
  return calendar[at]!;
}

const { of: pick, between: whole } = new Dice(20);

/** Texts of times, each with a test for the days that the text means. */
const kinds: (() => [text: string, holds: Holds])[] = [
  () => [pick(['上个月', '上月', 'last month', 'in the previous month']), (day, today) => months(day) === months(today) - 1],
  () => [pick(['下个月', 'next month']), (day, today) => months(day) === months(today) + 1],
  () => [pick(['本月', '这个月', 'this month', 'the current month']), (day, today) => months(day) === months(today)],
  () => [pick(['上季度', '上个季度', 'last quarter']), (day, today) => quarters(day) === quarters(today) - 1],
  () => [pick(['本季度', 'this quarter']), (day, today) => quarters(day) === quarters(today)],
  () => [pick(['上周', '上个星期', 'last week']), (day, today) => weeks(day) === weeks(today) - 1],
  () => [pick(['本周', '这周', 'this week']), (day, today) => weeks(day) === weeks(today)],
  () => ['上周三', (day, today) => weeks(day) === weeks(today) - 1 && day.index % 7 === 2],
  () => [pick(['今年', '本年度', 'this year']), (day, today) => day.year === today.year],
  () => [pick(['去年', 'last year']), (day, today) => day.year === today.year - 1],
  () => [pick(['今年上半年', '上半年']), (day, today) => day.year === today.year && day.month <= 6],
  () => [pick(['去年下半年', 'second half of last year']), (day, today) => day.year === today.year - 1 && day.month > 6],
  () => [pick(['昨天', 'yesterday']), (day, today) => day.index === today.index - 1],
  () => [pick(['年初至今', '今年以来', 'year to date']), (day, today) => day.year === today.year && day.index <= today.index],
  () => [pick(['月初至今', 'month to date']), (day, today) => months(day) === months(today) && day.index <= today.index],
  () => {
    const count = whole(1, 90);
    const holds: Holds = (day, today) => day.index <= today.index && day.index > today.index - count;
    return [pick([`最近${count}天`, `过去${count}天内`, `last ${count} days`, `over the past ${count} days`]), holds];
  },
  () => {
    const count = whole(1, 24);
    const holds: Holds = (day, today) => day.index <= today.index && day.index > monthsBefore(today, count).index;
    return [pick([`近${count}个月`, `last ${count} months`]), holds];
  },
  () => {
    const [year, quarter] = [whole(1995, 2025), whole(1, 4)];
    const holds: Holds = day => day.year === year && quarterOf(day) === quarter;
    const chinese = `第${'一二三四'[quarter - 1]}季度`;
    return [pick([`${year}年${chinese}`, `${year}年Q${quarter}`, `Q${quarter} ${year}`, `${year} Q${quarter}`]), holds];
  },
  () => {
    const [year, first] = [whole(1995, 2025), whole(1, 11)];
    const last = whole(first + 1, 12);
    const holds: Holds = day => day.year === year && day.month >= first && day.month <= last;
    const names = [first, last].map(month => englishMonths[month - 1]);
    return [
      pick([`${year}年${first}月到${last}月`, `between ${names[0]} and ${names[1]} ${year}`, `from ${names[0]} to ${names[1]} ${year}`]),
      holds,
    ];
  },
  () => {
    const { text, year, month, day, index } = pick(calendar);
    const english = `${englishMonths[month - 1]} ${day}, ${year}`;
    return pick<[string, Holds]>([
      [`${year}年${month}月${day}日`, other => other.index === index],
      [`on ${english}`, other => other.index === index],
      [`before ${english}`, other => other.index < index],
      [`${year}年${month}月${day}日之前`, other => other.index < index],
      [`until ${text}`, other => other.index <= index],
      [`since ${english}`, other => other.index >= index],
      [`${year}年${month}月${day}日以来`, other => other.index >= index],
      [`after ${text}`, other => other.index > index],
    ]);
  },
];

describe('times on random days', () => {
  it('are exactly the days that a naive reader finds', () => {
    const wrong: unknown[] = [];
    for (let round = 0; round < (isLong ? 3_000 : 150); round++) {
      const [text, holds] = pick(kinds)();
      const today = calendar[whole(2_000, calendar.length - 500)]!;
      const found = findTimes(text.toLowerCase(), today.text);
      const span = found.length === 1 ? found[0]!.span : null;
      // Compare the days around both ends of the span, 40 random days and today.
      const ends = span ? [span.from, span.to].map(end => calendar.findIndex(({ text: own }) => own >= end)) : [];
      const near = ends.flatMap(end => [-2, -1, 0, 1, 2].flatMap(step => calendar[end + step] ?? []));
      const days = [...near, ...Array.from({ length: 40 }, () => pick(calendar)), today];
      const isIn = (day: Day): boolean => span !== null && day.text >= span.from && (span.isOpen === true || day.text < span.to);
      const differing = days.find(day => isIn(day) !== holds(day, today));
      if (differing || !span) wrong.push({ text, today: today.text, span, differing: differing?.text });
    }
    expect(wrong).toEqual([]);
  });
});

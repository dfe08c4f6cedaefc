import { Cron } from 'croner';
import { type Bilingual } from '../text/bilingual.js';

export const maxCronLength = 100;
const dayMs = 24 * 60 * 60_000;

/** The five fields of a cron expression in their order, with the values that each field allows. */
const fields = [
  { name: { zh: '分钟', en: 'minute' }, values: '0-59', example: '*/15' },
  { name: { zh: '小时', en: 'hour' }, values: '0-23', example: '3' },
  { name: { zh: '日', en: 'day of the month' }, values: '1-31', example: '1,15' },
  { name: { zh: '月', en: 'month' }, values: '1-12, JAN-DEC', example: '1-6' },
  { name: { zh: '星期', en: 'day of the week' }, values: '0-7, SUN-SAT', example: 'MON-FRI' },
] as const;

/**
 * The problem of a cron expression; null for a correct expression. The expression has five fields of numbers or names, with `*`, lists,
 * ranges, and steps of a `*` or a range. Seconds, years, `@daily`, `L`, `W`, `#`, `?` and `+` are refused, because crontabs differ on them.
 */
export function findCronProblem(text: string): Bilingual | null {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length) {
    return {
      zh: `cron 表达式须有五个字段（分 时 日 月 星期），这里有 ${parts.length} 个；例如 "0 3 * * *" 表示每天 3:00`,
      en: `a cron expression has five fields (minute, hour, day of the month, month, day of the week), and this one has ${parts.length}; for example "0 3 * * *" is every day at 3:00`,
    };
  }
  for (const [place, { name, values, example }] of fields.entries()) {
    const part = parts[place]!;
    if (/^(?:[\d*,/-]|[a-z]{3})+$/i.test(part) && isReadable(place, part)) continue;
    return {
      zh: `cron 的第 ${place + 1} 个字段（${name.zh}）'${part}' 无法识别；可用 ${values}，以及 * , - 与 * 或范围后的 /，例如 ${example}；完整的例子："0 3 * * *"`,
      en: `field ${place + 1} of the cron expression (${name.en}), '${part}', cannot be read; it takes ${values} with * , - and a / after * or a range, for example ${example}; a whole example: "0 3 * * *"`,
    };
  }
  if (nextTime({ cron: text, timezone: 'UTC' }, new Date()) !== null) return null;
  return {
    zh: `没有任何日期符合 cron 表达式 '${text}'；例如 "0 3 1 * *" 表示每月一日 3:00`,
    en: `no date ever fits the cron expression '${text}'; for example "0 3 1 * *" is the first of each month at 3:00`,
  };
}

function isReadable(place: number, part: string): boolean {
  try {
    patternOf(fields.map((_, index) => (index === place ? part : '*')).join(' '));
    return true;
  } catch {
    return false;
  }
}

/** A cron expression and its time zone, which determine the times at which a target is started. */
export interface CronTimes {
  cron: string;
  timezone: string;
}

/**
 * The times of a schedule after an instant, in ascending order. Each matching time on the clock of the time zone counts once. A time that
 * the clock shows twice counts when it is shown first. A time that the clock skips counts at the first moment after the skip.
 */
export function* timesAfter({ cron, timezone }: CronTimes, after: Date): Generator<Date, void> {
  const pattern = patternOf(cron);
  const offsetAt = offsetsOf(timezone);
  let last = after.getTime();
  let wall = pattern.nextRun(new Date(last + offsetAt(last)));
  for (; wall !== null; wall = pattern.nextRun(wall)) {
    const instant = firstInstant(wall.getTime(), offsetAt);
    // The clock may show this time for the second time, so its first showing may lie before `last`.
    if (instant <= last) continue;
    last = instant;
    yield new Date(instant);
  }
}

/** The first time of a schedule after an instant; null when there is none. */
export function nextTime(schedule: CronTimes, after: Date): Date | null {
  return timesAfter(schedule, after).next().value ?? null;
}

/**
 * The cron library is used for the calendar only. Its own rule for skipped and repeated times depends on the form of the expression. With a
 * UTC offset instead of a time zone the library does not call `Intl`, and takes a tenth of the time.
 */
function patternOf(cron: string): Cron {
  return new Cron(cron.trim(), { mode: '5-part', utcOffset: 0, paused: true });
}

/**
 * The first instant at which the clock shows the time `wall`, which is given as if the clock were in UTC. If the clock skips that time,
 * this is the first instant after the skip.
 */
function firstInstant(wall: number, offsetAt: (instant: number) => number): number {
  const [before, behind] = [offsetAt(wall - dayMs), offsetAt(wall + dayMs)];
  const showing = [wall - before, wall - behind].filter(instant => instant + offsetAt(instant) === wall);
  if (showing.length > 0) return Math.min(...showing);
  let [last, first] = [wall - behind, wall - before];
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2);
    if (offsetAt(middle) === before) last = middle;
    else first = middle;
  }
  return first;
}

/** Returns a function from an instant to the milliseconds by which the clock of a time zone is ahead of UTC. */
function offsetsOf(timezone: string): (instant: number) => number {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, calendar: 'iso8601', hourCycle: 'h23', ...numeric });
  return instant => {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
  };
}

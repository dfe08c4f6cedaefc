import { mulberry32 } from '../../test/support/seeded.js';
import { findCronProblem, nextTime } from './cron-times.js';
import { isLong } from '../../test/support/tier.js';

const minuteMs = 60_000;
const rounds = isLong ? 240 : 32;

/** The values that a cron field allows, computed without the library. */
function valuesOf(field: string, min: number, max: number): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [from = min, to = range === '*' ? max : from] = range === '*' ? [] : range.split('-').map(Number);
    for (let value = from; value <= to; value += Number(step)) values.add(value);
  }
  return values;
}

const known = new Map<string, { shown: string; at: number }[]>();

/** Each minute that passes, with what the clock of the zone shows then. */
function minutesAround(timezone: string, start: number, days: number): { shown: string; at: number }[] {
  const key = `${timezone} ${start} ${days}`;
  const found = known.get(key) ?? [];
  if (found.length > 0) return found;
  known.set(key, found);
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  for (let at = start - 24 * 60 * minuteMs; at < start + (days + 1) * 24 * 60 * minuteMs; at += minuteMs) {
    found.push({ shown: clock.format(at), at });
  }
  return found;
}

/**
 * The expected times by brute force. For each matching minute of the local calendar it finds the first instant at which the zone's clock
 * shows that minute, or the first one behind it if the clock skips the minute.
 */
function allTimes(cron: string, timezone: string, from: string, days: number): string[] {
  const [minutes, hours, dates, months, weekdays] = cron.split(' ') as [string, string, string, string, string];
  const sets = [
    valuesOf(minutes, 0, 59),
    valuesOf(hours, 0, 23),
    valuesOf(dates, 1, 31),
    valuesOf(months, 1, 12),
    valuesOf(weekdays, 0, 7),
  ];
  const start = Date.parse(`${from}T00:00Z`);
  const passing = minutesAround(timezone, start, days);
  const byShown = new Map<string, number>();
  for (const { shown, at } of passing) if (!byShown.has(shown)) byShown.set(shown, at);
  const found = new Set<number>();
  for (let wall = start; wall < start + days * 24 * 60 * minuteMs; wall += minuteMs) {
    const date = new Date(wall);
    const isDate = sets[2]!.has(date.getUTCDate());
    const isWeekday = sets[4]!.has(date.getUTCDay()) || (date.getUTCDay() === 0 && sets[4]!.has(7));
    const isDay = dates === '*' ? isWeekday : weekdays === '*' ? isDate : isDate || isWeekday;
    if (!isDay || !sets[0]!.has(date.getUTCMinutes()) || !sets[1]!.has(date.getUTCHours()) || !sets[3]!.has(date.getUTCMonth() + 1))
      continue;
    const shown = date.toISOString().slice(0, 16).replace('T', ' ');
    found.add(byShown.get(shown) ?? passing.find(minute => minute.shown > shown)!.at);
  }
  return [...found].sort((a, b) => a - b).map(at => new Date(at).toISOString());
}

function timesFrom(cron: string, timezone: string, expected: string[]): string[] {
  const times: string[] = [];
  let after = new Date(Date.parse(expected[0]!) - 1);
  while (times.length < expected.length) {
    after = nextTime({ cron, timezone }, after)!;
    times.push(after.toISOString());
  }
  return times;
}

describe('the times of a schedule', () => {
  it.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28', ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24', ['2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['30 2 * * *', 'America/New_York', '2026-03-07', ['2026-03-07T07:30Z', '2026-03-08T07:00Z', '2026-03-09T06:30Z']],
    ['30 1 * * *', 'America/New_York', '2026-10-31', ['2026-10-31T05:30Z', '2026-11-01T05:30Z', '2026-11-02T06:30Z']],
    ['0,15,45 2 * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T01:00Z']],
    ['0 3 * * *', 'Asia/Shanghai', '2026-11-22', ['2026-11-21T19:00Z']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-05', ['2026-04-04T14:45Z']],
  ])('%s in %s on %s is %s', (cron, timezone, from, expected) => {
    const times = expected.map(time => new Date(time).toISOString());
    expect(timesFrom(cron, timezone, times)).toEqual(times);
    expect(allTimes(cron, timezone, from, times.length)).toEqual(times);
  });

  it('are those that looking at each minute finds, around changes of the clock', () => {
    const random = mulberry32(30);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
    const int = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
    const field = (min: number, max: number): string => {
      const [low, high] = [int(min, max), int(min, max)].sort((a, b) => a - b) as [number, number];
      return pick(['*', `${low}`, `${low}-${high}`, `${low},${high}`, `*/${int(2, max - min)}`, `${low}-${high}/${int(1, 5)}`]);
    };
    const places = [
      ...['2026-03-28', '2026-10-24', '2027-03-27'].map(from => ['Europe/Berlin', from]),
      ...['2026-03-07', '2026-10-31', '2027-03-13'].map(from => ['America/New_York', from]),
      ...['2026-04-04', '2026-10-03'].map(from => ['Australia/Lord_Howe', from]),
      ['Asia/Shanghai', '2026-11-21'],
      ['UTC', '2026-02-27'],
      ['America/Sao_Paulo', '2018-11-03'],
      ['Pacific/Apia', '2011-12-29'],
    ] as const;
    let compared = 0;
    for (let round = 0; round < rounds; round++) {
      const [timezone, from] = places[round % places.length]!;
      const hours = pick(['*', '1', '2', '3', '1-3', '0,2', '*/2', field(0, 23)]);
      const cron = [field(0, 59), hours, pick(['*', field(1, 31)]), pick(['*', '*', '3-11']), pick(['*', field(0, 7)])].join(' ');
      if (findCronProblem(cron) !== null) continue;
      const expected = allTimes(cron, timezone, from, 3);
      if (expected.length === 0) continue;
      compared++;
      const some = expected.slice(-100);
      expect({ round, cron, timezone, times: timesFrom(cron, timezone, some) }).toEqual({ round, cron, timezone, times: some });
    }
    expect(compared).toBeGreaterThan(rounds * 0.4);
  });

  it('never end for a leap day, and never come on 30 February', () => {
    expect(nextTime({ cron: '0 0 29 2 *', timezone: 'UTC' }, new Date('2026-11-22'))?.toISOString()).toBe('2028-02-29T00:00:00.000Z');
    expect(findCronProblem('0 0 30 2 *')).toMatchObject({ en: expect.stringContaining('no date ever fits') });
  });

  it.each([
    ['0 3 * *', 'has five fields'],
    ['0 0 3 * * *', 'this one has 6'],
    ['@daily', 'this one has 1'],
    ['', 'for example "0 3 * * *"'],
    ['61 * * * *', 'field 1 of the cron expression (minute)'],
    ['0 24 * * *', 'field 2 of the cron expression (hour)'],
    ['0 0 L * *', 'field 3 of the cron expression (day of the month)'],
    ['0 0 1W * *', 'field 3'],
    ['0 0 LW * *', 'field 3'],
    ['0 0 ? * *', 'field 3'],
    ['0 0 * 13 *', 'field 4 of the cron expression (month)'],
    ['0 0 * foo *', 'field 4'],
    ['0 0 * * 5#2', 'field 5 of the cron expression (day of the week)'],
    ['0 0 * * +mon', 'field 5'],
    ['5/10 * * * *', 'field 1'],
    ['*/0 * * * *', 'field 1'],
    ['5-1 * * * *', 'field 1'],
    ['1,,2 * * * *', 'field 1'],
    ['１ * * * *', 'field 1'],
    ["1' * * * *", 'field 1'],
  ])('refuses %s with its field and an example', (cron, part) => {
    const problem = findCronProblem(cron)!;
    expect(problem.en).toContain(part);
    expect(problem.zh).toMatch(/例如/);
  });

  it.each(['* * * * *', '*/15 0-6/2 1,15 JAN-mar mon-FRI', '  0   3 * * 7 ', '00 03 * * *'])('takes %s', cron => {
    expect(findCronProblem(cron)).toBeNull();
  });
});

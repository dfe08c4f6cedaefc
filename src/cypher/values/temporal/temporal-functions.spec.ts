import { type CypherValue } from '../cypher-value.js';
import { Decimal } from '../decimal.js';
import { ValueFault } from '../value-fault.js';
import { compareTemporals, temporalKey } from './compare-temporals.js';
import { compareDurationsForOrder, divideDuration, negatedDuration, scaleDuration } from './duration.js';
import { isDuration, isTemporal } from './is-temporal.js';
import { addDuration, subtractDuration } from './temporal-arithmetic.js';
import { temporalComponent } from './temporal-component.js';
import { temporalFunctions } from './temporal-functions.js';
import { temporalText } from './temporal-text.js';
import { type DurationValue, type TemporalValue } from './temporal-value.js';

/** 2023-11-14T22:13:20.123456789Z, the next day in Shanghai. */
const epochNanoseconds = 1_700_000_000_123_456_789n;

function call(name: string, args: CypherValue[], timeZone = 'UTC'): CypherValue {
  const described = temporalFunctions[name.toLowerCase()];
  if (!described) throw new Error(`no function ${name}`);
  return described.call(args, { epochNanoseconds, timeZone });
}

function text(value: CypherValue): string | null {
  if (value === null) return null;
  if (!isTemporal(value) && !isDuration(value)) throw new Error('not a temporal value');
  return temporalText(value);
}

const temporal = (name: string, argument: string) => call(name, [argument]) as TemporalValue;
const duration = (argument: string) => call('duration', [argument]) as DurationValue;
const map = (fields: Record<string, CypherValue>): CypherValue => new Map(Object.entries(fields));

function faultOf(operation: () => unknown): string {
  try {
    operation();
  } catch (error) {
    if (error instanceof ValueFault) return `${error.type} ${error.detail}: ${error.sentence.en}`;
    throw error;
  }
  return 'no fault';
}

describe('the functions of times', () => {
  it('have their names as documents write them', () => {
    expect(Object.keys(temporalFunctions)).toHaveLength(5 * 5 + 2 + 5);
    expect(temporalFunctions['duration.inmonths']?.name).toBe('duration.inMonths');
    expect(temporalFunctions['datetime.fromepochmillis']?.name).toBe('datetime.fromEpochMillis');
  });

  it.each([
    ['date', '2023-11-15'],
    ['localtime', '06:13:20.123456789'],
    ['time', '06:13:20.123456789+08:00'],
    ['localdatetime', '2023-11-15T06:13:20.123456789'],
    ['datetime', '2023-11-15T06:13:20.123456789+08:00[Asia/Shanghai]'],
  ])('%s() is the moment of the query in the zone of the query', (name, expected) => {
    for (const clock of ['', '.transaction', '.statement', '.realtime'])
      expect(text(call(`${name}${clock}`, [], 'Asia/Shanghai'))).toBe(expected);
    expect(text(call(name, [map({ timezone: 'Asia/Shanghai' })]))).toBe(expected);
    expect(text(call(`${name}.realtime`, ['Asia/Shanghai']))).toBe(expected);
  });

  it.each<[string, CypherValue[]]>([
    ['date', [map({ year: 2020n, month: null })]],
    ['date.truncate', ['month', null]],
    ['date.truncate', [null, null]],
    ['duration', [map({ days: null })]],
    ['datetime.fromEpoch', [0n, null]],
    ['duration.between', [null, temporalFunctions['date']!.call([], { epochNanoseconds, timeZone: 'UTC' })]],
  ])('%s of something unknown is null', (name, args) => {
    expect(call(name, args)).toBeNull();
  });

  it.each([
    ['date', '2015-Q3-45', '2015-08-14'],
    ['date', '2015Q3', '2015-07-01'],
    ['date', '-0044-03-15', '-0044-03-15'],
    ['date', '+12345-01-01', '+12345-01-01'],
    ['date', '2024-02-29', '2024-02-29'],
    ['localtime', 'T21:40:32,5', '21:40:32.5'],
    ['time', '21:40', '21:40Z'],
    ['time', '21:40:00.000000001-02:05:07', '21:40:00.000000001-02:05:07'],
    ['localdatetime', '2015-07-21', '2015-07-21T00:00'],
    ['datetime', '2015-07-21', '2015-07-21T00:00Z'],
    ['datetime', '2015-07-21T21:40[UTC]', '2015-07-21T21:40Z'],
    ['datetime', '2015-07-21T21:40[america/new york]', '2015-07-21T21:40-04:00[America/New_York]'],
    ['datetime', '2017-10-29T02:30[Europe/Stockholm]', '2017-10-29T02:30+02:00[Europe/Stockholm]'],
    ['datetime', '2017-10-29T02:30+01:00[Europe/Stockholm]', '2017-10-29T02:30+01:00[Europe/Stockholm]'],
    ['datetime', '2017-03-26T02:30[Europe/Stockholm]', '2017-03-26T03:30+02:00[Europe/Stockholm]'],
    ['duration', 'P-1Y2W-3DT-0.5S', 'P-1Y11DT-0.5S'],
    ['duration', '-P1DT1H', 'P-1DT-1H'],
    ['duration', 'P20120202T143721.545', 'P2012Y2M2DT14H37M21.545S'],
    ['duration', 'PT1,5H', 'PT1H30M'],
    ['duration', 'P0D', 'PT0S'],
  ])('%s(%j) is %s', (name, argument, expected) => {
    expect(text(call(name, [argument]))).toBe(expected);
  });

  it.each([
    ['date', '2015-07-21T21:40'],
    ['date', '2015-0721'],
    ['date', ''],
    ['localtime', '21:40Z'],
    ['localtime', '21:4032'],
    ['time', '21:40[Europe/Stockholm]'],
    ['localdatetime', '2015-07-21T21:40Z'],
    ['localdatetime', '21:40'],
    ['datetime', '2015-07-21T21:40T'],
    ['datetime', '2015-07-21T'],
    ['datetime', `2015-07-21T21:40[${'A'.repeat(200)}]`],
    ['duration', 'P'],
    ['duration', 'PT'],
    ['duration', 'P1DT'],
    ['duration', '1D'],
    ['duration', 'P1D1M'],
  ])('%s(%j) is refused with an example', (name, argument) => {
    expect(faultOf(() => call(name, [argument]))).toMatch(
      /^ArgumentError InvalidArgumentValue: \w+\(\) expects an ISO 8601 .* such as '.*', found '/,
    );
  });

  it.each<[string, CypherValue, string]>([
    ['date', '2015-13-01', 'ArgumentError NumberOutOfRange: month is from 1 to 12, found 13'],
    ['date', '2015-02-29', 'ArgumentError NumberOutOfRange: day is from 1 to 28, found 29'],
    ['date', '2015-W54', 'ArgumentError NumberOutOfRange: week is from 1 to 53, found 54'],
    ['date', '2015-366', 'ArgumentError NumberOutOfRange: ordinalDay is from 1 to 365, found 366'],
    ['date', '+275760-09-14', 'ArgumentError NumberOutOfRange: The time is out of range: years are from -271820 to 275759'],
    ['localtime', '24:00', 'ArgumentError NumberOutOfRange: hour is from 0 to 23, found 24'],
    ['time', '12:00+18:01', "ArgumentError InvalidArgumentValue: timezone expects an offset within ±18:00, found '+18:01'"],
    [
      'datetime',
      '2015-07-21T21:40+05:00[Europe/Stockholm]',
      "ArgumentError InvalidArgumentValue: The offset in '2015-07-21T21:40+05:00[Europe/Stockholm]' is not that of the zone Europe/Stockholm, which is +02:00 then",
    ],
    [
      'datetime',
      '2015-07-21T21:40[Mars/Crater]',
      "ArgumentError InvalidArgumentValue: timezone expects a time zone such as +08:00, Z or Asia/Shanghai, found 'Mars/Crater'",
    ],
    ['date', 1n, 'TypeError InvalidArgumentType: date() expects a string, a map or another time, found 1'],
    ['date', map({}), 'ArgumentError InvalidArgumentValue: year is missing, found no fields'],
    ['date', map({ year: 2020n, day: 1n }), 'ArgumentError InvalidArgumentValue: month is missing, found year, day'],
    ['date', map({ year: 2020.5 }), 'TypeError InvalidArgumentType: date({year}) expects an integer, found 2020.5'],
    ['date', map({ year: '2020' }), "TypeError InvalidArgumentType: date({year}) expects an integer, found '2020'"],
    [
      'date',
      map({ year: 2020n, month: 1n, week: 2n }),
      'ArgumentError InvalidArgumentValue: month cannot be given together with week or dayOfWeek: they say in different ways which day is meant',
    ],
    [
      'localtime',
      map({ hour: 1n, day: 1n }),
      'ArgumentError InvalidArgumentValue: localtime() has no field day, its fields are hour, minute, second, millisecond, microsecond, nanosecond, time',
    ],
    ['localtime', map({ minute: 1n }), 'ArgumentError InvalidArgumentValue: hour is missing, found minute'],
    ['localtime', map({ hour: 1n, nanosecond: 1n }), 'ArgumentError InvalidArgumentValue: minute is missing, found hour, nanosecond'],
    ['time', temporal('date', '2020-01-01'), "TypeError InvalidArgumentType: time() expects a value with a time, found date('2020-01-01')"],
    ['date', map({ date: 'x' }), "TypeError InvalidArgumentType: date({date}) expects a value with a date, found 'x'"],
    ['duration', map({ day: 1n }), 'ArgumentError InvalidArgumentValue: duration() has no field day, its fields are years, quarters'],
    ['duration', map({ days: '1' }), "TypeError InvalidArgumentType: duration({days}) expects a number, found '1'"],
    ['duration', map({ days: NaN }), 'ArithmeticError NumberOutOfRange: The duration is out of range'],
    ['duration', map({ days: 1e300 }), 'ArithmeticError NumberOutOfRange: The duration is out of range'],
  ])('%s(%j) says what is wrong', (name, argument, expected) => {
    expect(faultOf(() => call(name, [argument]))).toContain(expected);
  });

  it.each<[string, CypherValue, string]>([
    ['datetime', map({ epochMillis: 1500n, timezone: '+01:00' }), '1970-01-01T01:00:01.5+01:00'],
    ['datetime', map({ epochSeconds: -1n, nanosecond: 1n }), '1969-12-31T23:59:59.000000001Z'],
    ['datetime', temporal('date', '2020-01-01'), '2020-01-01T00:00Z'],
    ['date', map({ year: new Decimal(20200n, 1), month: 2n }), '2020-02-01'],
    ['duration', map({ quarters: 1n, days: new Decimal(15n, 1) }), 'P3M1DT12H'],
    ['duration', map({ seconds: 0.1 }), 'PT0.1S'],
  ])('%s(%j) is built', (name, argument, expected) => {
    expect(text(call(name, [argument]))).toBe(expected);
  });

  it('the second of two equal hours stays the second when fields or the zone change', () => {
    const second = temporal('datetime', '2017-10-29T02:30+01:00[Europe/Stockholm]');
    expect(text(call('datetime', [map({ datetime: second, timezone: 'Z' })]))).toBe('2017-10-29T01:30Z');
    expect(text(call('datetime', [map({ datetime: second, minute: 31n })]))).toBe('2017-10-29T02:31+01:00[Europe/Stockholm]');
    expect(text(call('datetime.truncate', ['hour', second]))).toBe('2017-10-29T02:00+01:00[Europe/Stockholm]');
    expect(text(addDuration(second, duration('PT1M')))).toBe('2017-10-29T02:31+01:00[Europe/Stockholm]');
    const first = temporal('datetime', '2017-10-29T02:30[Europe/Stockholm]');
    expect(text(call('duration.between', [first, second]))).toBe('PT1H');
    expect(text(call('duration.inSeconds', [second, first]))).toBe('PT-1H');
  });

  it('truncation takes now and no fields when they are left out, and refuses units that are too small', () => {
    expect(text(call('date.truncate', ['MONTH']))).toBe('2023-11-01');
    expect(text(call('datetime.truncate', ['hour'], 'Asia/Shanghai'))).toBe('2023-11-15T06:00+08:00[Asia/Shanghai]');
    expect(faultOf(() => call('date.truncate', ['hour']))).toContain('date.truncate() expects one of the units millennium, century');
    expect(faultOf(() => call('localtime.truncate', ['month', temporal('localtime', '12:00')]))).toContain(
      "expects one of the units day, hour, minute, second, millisecond, microsecond, found 'month'",
    );
    expect(text(call('date.truncate', ['century', temporal('date', '-0001-05-05')]))).toBe('-0100-01-01');
  });

  it('a day in a named zone may have 23 hours', () => {
    const before = temporal('datetime', '2017-03-25T12:00[Europe/Stockholm]');
    expect(text(addDuration(before, duration('P1D')))).toBe('2017-03-26T12:00+02:00[Europe/Stockholm]');
    expect(text(addDuration(before, duration('PT24H')))).toBe('2017-03-26T13:00+02:00[Europe/Stockholm]');
    const after = temporal('datetime', '2017-03-26T12:00[Europe/Stockholm]');
    expect(text(call('duration.between', [before, after]))).toBe('P1D');
    expect(text(call('duration.inSeconds', [before, after]))).toBe('PT23H');
  });

  it('sums keep to the days of the month and to the range of the calendar', () => {
    expect(text(addDuration(temporal('date', '2024-01-31'), duration('P1M')))).toBe('2024-02-29');
    expect(text(subtractDuration(temporal('date', '2024-03-31'), duration('P1M')))).toBe('2024-02-29');
    for (const far of ['P300000Y', 'P9223372036854775807D', 'PT9223372036854775807S'])
      for (const argument of ['2024-01-31', '2024-01-31T00:00Z'])
        expect(faultOf(() => addDuration(temporal(argument.length > 10 ? 'datetime' : 'date', argument), duration(far)))).toContain(
          'The time is out of range',
        );
  });
});

describe('durations', () => {
  it('are scaled exactly', () => {
    expect(text(scaleDuration(duration('PT1S'), 0.1))).toBe('PT0.1S');
    expect(text(scaleDuration(duration('P1M'), -0.75))).toBe('P-22DT-19H-51M-49.5S');
    expect(text(divideDuration(duration('P3D'), -2n))).toBe('P-1DT-12H');
    expect(text(divideDuration(duration('PT1S'), 3n))).toBe('PT0.333333333S');
    expect(text(negatedDuration(duration('PT1.5S')))).toBe('PT-1.5S');
  });

  it('refuse zero, infinity and what does not fit', () => {
    expect(faultOf(() => divideDuration(duration('P1D'), 0n))).toBe('ArithmeticError DivisionByZero: A duration cannot be divided by zero');
    expect(faultOf(() => divideDuration(duration('P1D'), 0))).toContain('DivisionByZero');
    expect(faultOf(() => scaleDuration(duration('P1D'), Infinity))).toContain('NumberOutOfRange');
    expect(faultOf(() => scaleDuration(duration('P9223372036854775807D'), 2n))).toContain('NumberOutOfRange');
  });

  it('are ordered by their mean length, and never compared', () => {
    const ordered = ['P-1D', 'PT0S', 'PT23H', 'PT24H', 'P1D', 'P30D', 'P1M', 'P31D', 'P12M', 'P366D'].map(duration);
    const shuffled = [...ordered].reverse().sort(compareDurationsForOrder);
    expect(shuffled.map(temporalText)).toEqual(ordered.map(temporalText));
    expect(compareTemporals(duration('P1D'), duration('P1D'))).toBeNull();
  });

  it('have components that keep to their part', () => {
    const value = duration('P1Y4M10DT-1.5S');
    const components = ['hours', 'seconds', 'milliseconds', 'nanosecondsOfSecond', 'quartersOfYear'];
    expect(components.map(name => temporalComponent(value, name))).toEqual([0n, -2n, -1500n, 500_000_000n, 1n]);
    expect(temporalComponent(value, 'constructor')).toBeUndefined();
  });
});

describe('comparisons', () => {
  it('order equal moments by their offsets and their zones, so only equal values are equal', () => {
    const moments = ['2020-01-01T00:00Z', '2020-01-01T01:00+01:00', '2020-01-01T01:00+01:00[Europe/Paris]'].map(value =>
      temporal('datetime', value),
    );
    for (const [i, left] of moments.entries())
      for (const [j, right] of moments.entries()) {
        expect(Math.sign(compareTemporals(left, right) ?? NaN)).toBe(Math.sign(i - j));
        expect(temporalKey(left) === temporalKey(right)).toBe(i === j);
      }
    expect(compareTemporals(temporal('time', '10:00+01:00'), temporal('time', '09:30Z'))).toBe(-1);
    expect(compareTemporals(temporal('date', '2020-01-01'), temporal('localdatetime', '2020-01-01'))).toBeNull();
    expect(temporalKey(temporal('date', '2020-01-01'))).not.toBe(temporalKey(temporal('localdatetime', '2020-01-01')));
  });

  it('know the components of each kind only', () => {
    expect(temporalComponent(temporal('date', '2020-01-01'), 'hour')).toBeUndefined();
    expect(temporalComponent(temporal('localdatetime', '2020-01-01'), 'epochMillis')).toBeUndefined();
    expect(temporalComponent(temporal('datetime', '1969-12-31T23:59:59.5Z'), 'epochSeconds')).toBe(-1n);
    expect(temporalComponent(temporal('datetime', '2020-01-01T00:00Z'), 'timezone')).toBe('Z');
  });
});

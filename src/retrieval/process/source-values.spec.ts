import pg from 'pg';
import { type ClonedDatabase, cloneDatabase } from '../../../test/support/database.js';
import { Dice } from '../../../test/support/dice.js';
import { add } from '../../cypher/values/arithmetic.js';
import { type CypherValue, isList } from '../../cypher/values/cypher-value.js';
import { compareForOrder } from '../../cypher/values/order.js';
import { durationFromMap } from '../../cypher/values/temporal/read-duration.js';
import { isTemporal } from '../../cypher/values/temporal/is-temporal.js';
import { temporalComponent } from '../../cypher/values/temporal/temporal-component.js';
import { temporalText } from '../../cypher/values/temporal/temporal-text.js';
import { atOnce } from '../../text/steps.js';
import { toAnswerValues } from './answer-values.js';
import { readProperty } from './source-values.js';

const shown = (value: CypherValue): unknown => atOnce(toAnswerValues([value], { nodes: new Map(), edges: new Map() }))[0];
const read = (text: string, type: string): CypherValue => readProperty(JSON.stringify(text), type);
const component = (value: CypherValue, name: string): CypherValue | undefined =>
  isTemporal(value) ? temporalComponent(value, name) : 'not a time';

/** The days from 1970-01-01 to a day of the proleptic Gregorian calendar, counted by whole years. */
function daysTo(year: number, month: number, day: number): number {
  const isLeap = (of: number) => (of % 4 === 0 && of % 100 !== 0) || of % 400 === 0;
  const lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  const leapsBefore = (of: number) => Math.floor((of - 1) / 4) - Math.floor((of - 1) / 100) + Math.floor((of - 1) / 400);
  const before = (year - 1970) * 365 + leapsBefore(year) - leapsBefore(1970);
  return before + lengths.slice(0, month - 1).reduce((sum, length) => sum + length, 0) + day - 1;
}

const two = (number: number) => String(number).padStart(2, '0');

interface Clock {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** Seconds east of UTC. */
  offset: number;
}

/** A time as PostgreSQL writes it into jsonb. */
function postgresText({ year, month, day, hour, minute, second, offset }: Clock): string {
  const [era, shownYear] = year < 1 ? [' BC', 1 - year] : ['', year];
  const distance = Math.abs(offset);
  const parts = [Math.floor(distance / 3600), Math.floor(distance / 60) % 60, ...(distance % 60 === 0 ? [] : [distance % 60])];
  const date = `${String(shownYear).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}${offset < 0 ? '-' : '+'}${parts.map(two).join(':')}${era}`;
}

describe('stored times', () => {
  it('from -5000 to 12000, at offsets with seconds, are the moments and local times that their texts say', () => {
    const dice = new Dice(3604);
    const all = Array.from({ length: 2_000 }, () => {
      const clock: Clock = {
        year: dice.between(-5_000, 12_000),
        month: dice.between(1, 12),
        day: dice.between(1, 28),
        hour: dice.below(24),
        minute: dice.below(60),
        second: dice.below(60),
        offset: dice.chance(0.5) ? dice.between(-50_000, 50_000) : dice.between(-14, 14) * 3600,
      };
      const { year, month, day, hour, minute, second, offset } = clock;
      const epoch = daysTo(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
      return { clock, epoch, value: read(postgresText(clock), 'datetime') };
    });
    for (const { clock, epoch, value } of all) {
      const names = ['epochSeconds', 'year', 'month', 'day', 'hour', 'minute', 'second', 'offsetSeconds'];
      const { year, month, day, hour, minute, second, offset } = clock;
      expect([postgresText(clock), ...names.map(name => component(value, name))]).toEqual([
        postgresText(clock),
        ...[epoch, year, month, day, hour, minute, second, offset].map(BigInt),
      ]);
      const seconds = dice.between(-1_000_000_000, 1_000_000_000);
      const later = add(value, durationFromMap(new Map([['seconds', BigInt(seconds)]])));
      expect(component(later, 'epochSeconds')).toBe(BigInt(epoch + seconds));
      expect(shown(later)).toBe(isTemporal(later) && temporalText(later));
    }
    const sorted = all.toSorted((a, b) => compareForOrder(a.value, b.value));
    expect(sorted.map(({ epoch }) => epoch)).toEqual(all.map(({ epoch }) => epoch).toSorted((a, b) => a - b));
  });

  it.each([
    ['0044-03-15 BC', 'date', '-0043-03-15'],
    ['-0043-03-15', 'date', '-0043-03-15'],
    ['12024-03-15', 'date', '+12024-03-15'],
    ['1900-01-01T00:00:00+08:05:43', 'datetime', '1900-01-01T00:00:00+08:05:43'],
    ['0044-03-15T12:00:00+08:05:43 BC', 'datetime', '-0043-03-15T12:00:00+08:05:43'],
    ['0044-03-15T12:00:00 BC', 'localdatetime', '-0043-03-15T12:00:00'],
    ['-0043-03-15T12:00:00', 'localdatetime', '-0043-03-15T12:00:00'],
    ['08:30:00+05:00', 'timetz', '08:30:00+05:00'],
  ])('%s as %s is a time that answers show as %s', (text, type, expected) => {
    const value = read(text, type);
    expect([isTemporal(value), shown(value)]).toEqual([true, expected]);
    expect(isTemporal(value) && shown({ ...value })).toBe(isTemporal(value) && temporalText(value));
  });

  it('keep their types in lists', () => {
    const list = readProperty('["0044-03-15 BC", null]', 'date[]');
    expect(isList(list) && [component(list[0]!, 'year'), list[1]]).toEqual([-43n, null]);
  });
});

describe('times that PostgreSQL writes', () => {
  let database: ClonedDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it.each(['Asia/Shanghai', 'Asia/Kolkata', 'Africa/Monrovia', 'Europe/Amsterdam', 'America/New_York', 'Pacific/Apia', 'UTC'])(
    'in %s have its moment, year and month',
    async zone => {
      await client.query(`SELECT set_config('TimeZone', $1, false)`, [zone]);
      const dice = new Dice(zone.length);
      const [first, last] = [daysTo(-4_700, 1, 1), daysTo(12_000, 1, 1)];
      const epochs = Array.from({ length: 300 }, (_, i) =>
        i % 3 === 0
          ? dice.between(daysTo(1840, 1, 1), daysTo(1950, 1, 1)) * 86_400 + dice.below(86_400)
          : dice.between(first, last) * 86_400 + dice.below(86_400),
      );
      const { rows } = await client.query<{ json: string; month: number; later: string }>(
        `SELECT to_jsonb(to_timestamp(e))::text AS json, extract(month FROM to_timestamp(e))::int AS month,
                extract(epoch FROM to_timestamp(e) + interval '90061 seconds')::bigint::text AS later
           FROM unnest($1::float8[]) WITH ORDINALITY AS l (e, n) ORDER BY n`,
        [epochs],
      );
      for (const [i, { json, month, later }] of rows.entries()) {
        const value = readProperty(json, 'datetime');
        expect([json, component(value, 'epochSeconds'), component(value, 'month')]).toEqual([json, BigInt(epochs[i]!), BigInt(month)]);
        const moved = add(value, durationFromMap(new Map([['hours', 25n], ['seconds', 61n]]))); // prettier-ignore
        expect(component(moved, 'epochSeconds')).toBe(BigInt(later));
      }
    },
  );
});

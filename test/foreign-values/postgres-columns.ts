import { type Dice } from '../support/dice.js';
import {
  anyMoment,
  anySpan,
  type Civil,
  clockText,
  dayText,
  eraText,
  jsonDay,
  jsonMoment,
  type Span,
  spanText,
  timeText,
} from './moments.js';
import * as v from './values.js';

const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const typed = (type: string, value: string): string => `${quoted(value)}::${type}`;
const texts =
  (type: string, make: (dice: Dice) => string, read = (value: string): string => value) =>
  (dice: Dice): v.Written => {
    const value = make(dice);
    return v.text(typed(type, value), read(value));
  };
const momentSql = (at: Civil): string => `${dayText(at)} ${timeText(at)}`;
const element = (value: string | null): string => (value === null ? 'NULL' : quoted(value));

function floats(type: string, make: (dice: Dice) => number): (dice: Dice) => v.Written {
  return dice => {
    if (dice.chance(0.15)) {
      const odd = dice.of(['NaN', 'Infinity', '-Infinity']);
      return v.rejected(typed(type, odd), odd);
    }
    const value = make(dice);
    return v.float(typed(type, Object.is(value, -0) ? '-0' : String(value)), value);
  };
}

function numeric(dice: Dice): v.Written {
  if (dice.chance(0.15)) {
    const odd = dice.of(['NaN', 'Infinity', '-Infinity']);
    return v.rejected(typed('numeric', odd), odd);
  }
  const value = dice.of([
    () => v.decimal(dice, 100, 40),
    () => v.decimal(dice, 5, 2),
    () => `1${'0'.repeat(300)}`,
    () => `0.${'0'.repeat(200)}1`,
  ])();
  return v.number(typed('numeric', value), value);
}

const days = (dice: Dice): v.Written => {
  if (dice.chance(0.1)) {
    const odd = dice.of(['infinity', '-infinity']);
    return v.rejected(typed('date', odd), odd);
  }
  const at = anyMoment(dice, [-4713, 5_874_897]);
  if (at.year === -4713 && (at.month < 11 || at.day < 24)) at.year = -4712;
  return v.text(typed('date', `${dayText(at)}${eraText(at)}`), jsonDay(at));
};

function moments(type: string, suffix: string): (dice: Dice) => v.Written {
  return dice => {
    if (dice.chance(0.1)) {
      const odd = dice.of(['infinity', '-infinity']);
      return v.rejected(typed(type, odd), odd);
    }
    const at = anyMoment(dice, [-4712, 294_276]);
    return v.text(typed(type, `${momentSql(at)}${suffix}${eraText(at)}`), jsonMoment(at));
  };
}

const times = (dice: Dice): v.Written => {
  if (dice.chance(0.15)) return v.rejected(typed('time', '24:00:00'), '24:00:00');
  const time = timeText(anyMoment(dice, [2000, 2000]));
  return v.text(typed('time', time), time);
};

const jsons =
  (type: string) =>
  (dice: Dice): v.Written => {
    const value = v.json(dice);
    const sql = typed(type, value);
    if (value === 'null') return v.missing(sql);
    return v.document(sql, value);
  };

function list<T>(type: string, one: (dice: Dice) => T, sql: (value: T) => string, json: (value: T) => unknown): (dice: Dice) => v.Written {
  return dice => {
    const items = dice.many(4, () => (dice.chance(0.2) ? null : one(dice)));
    const written = items.map(item => (item === null ? 'NULL' : sql(item))).join(', ');
    const values = items.map(item => (item === null ? 'null' : String(json(item)))).join(',');
    return v.document(`ARRAY[${written}]::${type}`, `[${values}]`);
  };
}

const int = v.integers(-(2n ** 31n), 2n ** 31n - 1n);
const bigint = v.integers(-(2n ** 63n), 2n ** 63n - 1n, value => `'${value}'::bigint`);
const any = (dice: Dice): string => v.anyText(dice);
const intervalText = ({ months, days, micros }: Span): string => quoted(`${months} months ${days} days ${micros} microseconds`);
const spans = (dice: Dice): v.Written => {
  const span = anySpan(dice);
  return v.text(`${intervalText(span)}::interval`, spanText(span));
};

export const postgresColumns: v.Column[] = [
  v.column('smallint', v.integers(-32768n, 32767n)),
  v.column('int', int),
  v.column('bigint', bigint),
  v.column('numeric', numeric),
  v.column('numeric(12,2)', dice => {
    const value = v.decimal(dice, 12, 2);
    return v.number(value, value);
  }),
  v.column('numeric(5,-2)', dice => {
    const value = `${dice.between(-99_999, 99_999)}00`;
    return v.number(value, value);
  }),
  v.column('real', floats('real', v.single)),
  v.column('float', floats('float8', v.double)),
  v.column('boolean', dice => {
    const value = String(dice.chance(0.5));
    return v.document(value, value);
  }),
  v.column('date', days),
  v.column('time', times),
  v.column('timetz', dice => {
    const [time, zone] = [timeText(anyMoment(dice, [2000, 2000])), dice.of(['+00', '+08', '-05:30', '+15:59:59'])];
    return v.text(typed('timetz', time + zone), time + (zone.length === 3 ? `${zone}:00` : zone));
  }),
  v.column('timestamp', moments('timestamp', '')),
  v.column('timestamptz', moments('timestamptz', '+00')),
  v.column('interval', spans),
  v.column('interval(0)', dice => {
    const micros = BigInt(dice.below(1_000_000)) * 1_000_000n;
    return v.text(typed('interval', clockText(micros)), spanText({ months: 0, days: 0, micros }));
  }),
  v.column('bit(8)', texts('bit(8)', dice => v.bits(dice, 8))),
  v.column('bit varying', texts('bit varying', dice => v.bits(dice, dice.below(90)))),
  v.column('uuid', texts('uuid', v.uuid)),
  v.column('bytea', texts('bytea', dice => `\\x${v.hexText(dice, dice.below(20))}`)),
  v.column('inet', texts('inet', dice => dice.of(['10.0.0.1', '10.0.0.0/8', '::1', 'fe80::/10', '255.255.255.255']))),
  v.column('cidr', texts('cidr', dice => dice.of(['10.0.0.0/8', '::1/128']))),
  v.column('macaddr', texts('macaddr', dice => v.hexText(dice, 6).replace(/(..)(?=.)/g, '$1:'))),
  v.column('json', jsons('json')),
  v.column('json', dice => {
    const odd = dice.of(['"\\u0000"', '{"a":"x\\u0000"}', '1e400000', '[1e-400000]', '"\\ud800"', '{"a":1,"a":2}', '[{"b":{"a":1,"a":1}}]']);
    return v.rejected(typed('json', odd), odd);
  }),
  v.column('jsonb', jsons('jsonb')),
  v.column('text', texts('text', any)),
  v.column('varchar(40)', texts('varchar', any)),
  // PostgreSQL itself removes the padding of this type when it converts a value to text.
  v.column('char(40)', texts('char(40)', any, value => value.replace(/ +$/, ''))),
  v.column('"char"', texts('"char"', dice => dice.of(['a', '', '\\', '\t']))),
  v.column('name', texts('name', dice => v.anyText(dice, 3))),
  v.column('mood', texts('mood', dice => dice.of(['sad', "o'k", 'a\\b', '{', '高兴'])), [
    `CREATE TYPE mood AS ENUM ('sad', 'ok', 'o''k', 'a\\b', '{', '高兴')`,
  ]),
  v.column('price', dice => {
    const value = v.decimal(dice, 6, 2);
    return v.number(value, value);
  }, ['CREATE DOMAIN cheap AS numeric(6,2)', 'CREATE DOMAIN price AS cheap']),
  v.column('int4range', texts('int4range', dice => dice.of(['empty', '[1,5)', '(,)', '[-2147483648,)']))),
  v.column('numrange', texts('numrange', dice => dice.of(['empty', '(1.50,2.5]', `(,1${'0'.repeat(30)}]`]))),
  v.column('tstzrange', texts('tstzrange', dice => dice.of(['empty', '["2024-01-01 00:00:00+00","2024-01-02 00:00:00.000001+00")', '["0044-03-15 00:00:00+00 BC",infinity)']))),
  v.column('int4multirange', texts('int4multirange', dice => dice.of(['{}', '{[1,3),[5,7)}']))),
  v.column('int[]', list('int[]', dice => v.integer(dice, -(2n ** 31n), 2n ** 31n - 1n), String, String)),
  v.column('bigint[]', list('bigint[]', dice => v.integer(dice, -(2n ** 63n), 2n ** 63n - 1n), value => `'${value}'::bigint`, String)),
  v.column('text[]', list('text[]', any, element, value => JSON.stringify(value))),
  v.column('varchar(30)[]', list('varchar[]', any, element, value => JSON.stringify(value))),
  v.column('mood[]', list('mood[]', dice => dice.of(['sad', '{', 'a\\b']), element, value => JSON.stringify(value))),
  v.column('int[]', dice => dice.of([
    v.document(`'[0:1]={7,8}'::int[]`, '[7,8]'),
    v.document(`'[-3:-3]={NULL}'::int[]`, '[null]'),
    v.rejected(`'{{1,2},{3,NULL}}'::int[]`, '{{1,2},{3,NULL}}'),
    v.rejected(`'[0:0][2:3]={{1,2}}'::int[]`, '[0:0][2:3]={{1,2}}'),
  ])),
  v.column('text[]', dice => dice.of([
    v.document(`'[5:6]={a,"b,c"}'::text[]`, '["a","b,c"]'),
    v.rejected(`'{{a,b},{c,NULL}}'::text[]`, '{{a,b},{c,NULL}}'),
  ])),
  v.column('numeric[]', dice => dice.of([
    v.document(`'{}'::numeric[]`, '[]'),
    v.document(`'{1.50,NULL}'::numeric[]`, '[1.50,null]'),
    v.document(`'[0:1]={1.0,2.00}'::numeric[]`, '[1.0,2.00]'),
    v.rejected(`'{1.50,NULL,NaN}'::numeric[]`, '{1.50,NULL,NaN}'),
    v.rejected(`'{{1,2},{3,4}}'::numeric[]`, '{{1,2},{3,4}}'),
  ])),
  v.column('boolean[]', list('boolean[]', dice => dice.chance(0.5), String, String)),
  v.column('float[]', dice => dice.of([
    v.document(`'{0.1,NULL,1e+300}'::float[]`, '[0.1,null,1e+300]'),
    v.rejected(`'{0.1,NaN}'::float[]`, '{0.1,NaN}'),
  ])),
  v.column('timestamptz[]', list('timestamptz[]', dice => anyMoment(dice, [1, 9999]), at => quoted(`${momentSql(at)}+00`), at => JSON.stringify(jsonMoment(at)))),
  v.column('date[]', list('date[]', dice => anyMoment(dice, [1, 9999]), at => quoted(dayText(at)), at => JSON.stringify(dayText(at)))),
  v.column('time[]', list('time[]', dice => timeText(anyMoment(dice, [2000, 2000])), quoted, time => JSON.stringify(time))),
  v.column('interval[]', list('interval[]', anySpan, intervalText, span => JSON.stringify(spanText(span)))),
]; // prettier-ignore

/** Types whose columns cannot be mapped. */
export const postgresOthers: [native: string, before: string | null][] = [
  ['money', null],
  ['pair', 'CREATE TYPE pair AS (a int, b text)'],
  ['pair[]', null],
  ['regclass', null],
  ['shape', `CREATE TYPE shape AS RANGE (subtype = float8)`],
];

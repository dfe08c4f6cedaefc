import { type Dice } from '../support/dice.js';
import { anyMoment, anySpan, type Civil, dayText, eraText, jsonDay, jsonMoment, spanText, timeText } from './moments.js';
import * as v from './values.js';

const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const typed = (type: string, value: string): string => `${quoted(value)}::${type}`;
const texts =
  (type: string, make: (dice: Dice) => string, read = (value: string): string => value) =>
  (dice: Dice): v.Written => {
    const value = make(dice);
    return v.text(typed(type, value), read(value));
  };
const any = (dice: Dice): string => v.anyText(dice);
const wide = (type: string, least: bigint, most: bigint): v.Column =>
  v.column(
    type,
    v.integers(least, most, value => typed(type, String(value))),
  );
const signed = (type: string, bits: bigint): v.Column => wide(type, -(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n);
const unsigned = (type: string, bits: bigint): v.Column => wide(type, 0n, 2n ** bits - 1n);
const floats =
  (type: string, make: (dice: Dice) => number) =>
  (dice: Dice): v.Written => {
    if (dice.chance(0.15)) {
      const [sql, shown] = dice.of([['nan', 'NaN'], ['inf', 'Infinity'], ['-inf', '-Infinity']] as const); // prettier-ignore
      return v.rejected(typed(type, sql), shown);
    }
    const value = make(dice);
    return v.float(typed(type, Object.is(value, -0) ? '-0.0' : value.toExponential()), value);
  };
const decimals =
  (precision: number, scale: number) =>
  (dice: Dice): v.Written => {
    const value = v.decimal(dice, precision, scale);
    return v.number(typed(`DECIMAL(${precision},${scale})`, value), value);
  };
const era = (at: Civil): string => (eraText(at) === '' ? '' : ' (BC)');
const days = (dice: Dice): v.Written => {
  if (dice.chance(0.1)) {
    const odd = dice.of(['infinity', '-infinity']);
    return v.rejected(typed('DATE', odd), odd);
  }
  const at = anyMoment(dice, [-4712, 5_874_897]);
  return v.text(typed('DATE', dayText(at) + era(at)), jsonDay(at));
};
const moments =
  (type: string, years: [number, number], maxMicros: number) =>
  (dice: Dice): v.Written => {
    if (dice.chance(0.1)) {
      const odd = dice.of(['infinity', '-infinity']);
      return v.rejected(typed(type, odd), odd);
    }
    const at = anyMoment(dice, years, { maxMicros });
    const zone = type === 'TIMESTAMPTZ' ? '+00' : '';
    return v.text(typed(type, `${dayText(at)}${era(at)} ${timeText(at)}${zone}`), jsonMoment(at));
  };
const list =
  (type: string, one: (dice: Dice) => [sql: string, json: string]) =>
  (dice: Dice): v.Written => {
    const items = dice.many(4, () => (dice.chance(0.2) ? (['NULL', 'null'] as const) : one(dice)));
    return { sql: `[${items.map(([sql]) => sql).join(', ')}]::${type}`, json: `[${items.map(([, json]) => json).join(',')}]` };
  };
const said = (dice: Dice): [string, string] => {
  const value = any(dice);
  return [quoted(value), JSON.stringify(value)];
};
const whole =
  (type: string, least: bigint, most: bigint) =>
  (dice: Dice): [string, string] => {
    const value = String(v.integer(dice, least, most));
    return [typed(type, value), value];
  };
const bigint = whole('BIGINT', -(2n ** 63n), 2n ** 63n - 1n);

export const duckdbColumns: v.Column[] = [
  signed('TINYINT', 8n),
  unsigned('UTINYINT', 8n),
  signed('SMALLINT', 16n),
  unsigned('USMALLINT', 16n),
  signed('INTEGER', 32n),
  unsigned('UINTEGER', 32n),
  signed('BIGINT', 64n),
  unsigned('UBIGINT', 64n),
  wide('HUGEINT', -(2n ** 127n), 2n ** 127n - 1n),
  unsigned('UHUGEINT', 128n),
  v.column('DECIMAL(4,1)', decimals(4, 1)),
  v.column('DECIMAL(18,3)', decimals(18, 3)),
  v.column('DECIMAL(38,20)', decimals(38, 20)),
  v.column('FLOAT', floats('FLOAT', v.single)),
  v.column('DOUBLE', floats('DOUBLE', v.double)),
  v.column('BOOLEAN', dice => {
    const value = String(dice.chance(0.5));
    return v.document(value, value);
  }),
  v.column('DATE', days),
  v.column('TIME', dice => {
    if (dice.chance(0.1)) return v.rejected(typed('TIME', '24:00:00'), '24:00:00');
    const time = timeText(anyMoment(dice, [2000, 2000]));
    return v.text(typed('TIME', time), time);
  }),
  v.column('TIMETZ', dice => {
    const [time, zone] = [timeText(anyMoment(dice, [2000, 2000])), dice.of(['+00', '+08', '-05:30'])];
    return v.text(typed('TIMETZ', time + zone), time + (zone.length === 3 ? `${zone}:00` : zone));
  }),
  v.column('TIMESTAMP', moments('TIMESTAMP', [-4712, 294_245], 999_999)),
  v.column('TIMESTAMP_S', moments('TIMESTAMP_S', [-4712, 294_245], 0)),
  v.column('TIMESTAMP_MS', moments('TIMESTAMP_MS', [-4712, 294_245], 999_000)),
  v.column('TIMESTAMP_NS', moments('TIMESTAMP_NS', [1678, 2261], 999_999)),
  // DuckDB itself parses later times of this type with an error of a millisecond.
  v.column('TIMESTAMPTZ', moments('TIMESTAMPTZ', [-4712, 200_000], 999_999)),
  v.column('INTERVAL', dice => {
    const span = anySpan(dice);
    return v.text(`(to_months(${span.months}) + to_days(${span.days}) + to_microseconds(${span.micros}))`, spanText(span));
  }),
  v.column('VARCHAR', texts('VARCHAR', any)),
  v.column(`ENUM('a', 'b\\c', '华''')`, dice => {
    const value = dice.of(['a', 'b\\c', "华'"]);
    return v.text(quoted(value), value);
  }),
  v.column('UUID', texts('UUID', v.uuid)),
  v.column('BIT', texts('BIT', dice => v.bits(dice, dice.between(1, 90)))),
  v.column('BLOB', dice => {
    const value = v.hexText(dice, dice.below(20));
    return v.text(`unhex('${value}')`, `\\x${value}`);
  }),
  v.column('JSON', dice => {
    const value = v.json(dice);
    const sql = typed('JSON', value);
    return value === 'null' ? v.missing(sql) : v.document(sql, value);
  }),
  v.column('BIGINT[]', list('BIGINT[]', bigint)),
  v.column('INTEGER[2]', dice => dice.of([v.document('[1, NULL]', '[1,null]'), v.document('[-2147483648, 2147483647]', '[-2147483648,2147483647]')])),
  v.column('VARCHAR[]', list('VARCHAR[]', said)),
  v.column('DECIMAL(10,2)[]', dice => dice.of([v.document('[1.50, NULL]', '[1.50,null]'), v.document('[]', '[]')])),
  v.column('DOUBLE[]', dice => dice.of([v.document('[0.1, NULL]', '[0.1,null]'), v.document('[]', '[]'), v.rejected(`[0.1, 'nan'::DOUBLE]`, '{0.1,NaN}')])),
  v.column('INTERVAL[]', dice => dice.of([v.document(`[INTERVAL 1 MONTH, NULL]`, '["P1M",null]')])),
  v.column('TIME[]', dice => dice.of([v.document(`['08:30'::TIME]`, '["08:30:00"]')])),
  v.column('BIGINT[][]', list('BIGINT[][]', dice => {
    const { sql, json } = list('BIGINT[]', bigint)(dice);
    return [sql, json!];
  })),
  v.column('STRUCT(a HUGEINT, b VARCHAR, c DECIMAL(30,20), d DOUBLE)', dice => {
    const [[a, aJson], [b, bJson]] = [whole('HUGEINT', -(2n ** 127n), 2n ** 127n - 1n)(dice), said(dice)];
    const [c, d] = [v.decimal(dice, 30, 20), v.double(dice)];
    return v.document(`{'a': ${a}, 'b': ${b}, 'c': ${typed('DECIMAL(30,20)', c)}, 'd': ${typed('DOUBLE', d.toExponential())}}`, `{"a":${aJson},"b":${bJson},"c":${c},"d":${d}}`);
  }),
  v.column('MAP(VARCHAR, BIGINT)', dice => {
    const keys = [...new Set(dice.many(3, () => any(dice)))];
    const pairs = keys.map(key => [key, bigint(dice)] as const);
    const [names, values] = [pairs.map(([key]) => quoted(key)), pairs.map(([, [sql]]) => sql)];
    return v.document(`MAP([${names.join(', ')}]::VARCHAR[], [${values.join(', ')}]::BIGINT[])`, `{${pairs.map(([key, [, json]]) => `${JSON.stringify(key)}:${json}`).join(',')}}`);
  }),
]; // prettier-ignore

/** Types whose columns cannot be mapped. */
export const duckdbOthers = ['UNION(a INTEGER, b VARCHAR)'];

/** Values that cannot be read: a run that meets one fails. */
export const duckdbUnreadable: v.Unreadable[] = [
  { native: 'VARCHAR', sql: `'a' || chr(0) || 'b'` },
  { native: 'TIMESTAMP_NS', sql: `'2024-01-01 00:00:00.000000001'::TIMESTAMP_NS` },
  { native: 'DATE', sql: `'5874898-01-01'::DATE` },
  { native: 'TIMESTAMP', sql: `'294247-01-10 04:00:54'::TIMESTAMP` },
  { native: 'STRUCT(a DOUBLE)', sql: `{'a': 'nan'::DOUBLE}` },
  { native: 'DOUBLE[][]', sql: `[['inf'::DOUBLE]]` },
  { native: 'STRUCT(a VARCHAR)', sql: `{'a': 'x' || chr(0)}` },
  { native: 'VARCHAR[]', sql: `['x' || chr(0)]` },
];

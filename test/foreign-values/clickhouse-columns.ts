import { type Dice } from '../support/dice.js';
import { anyMoment, type Civil, dayText, fraction, jsonMoment, timeText } from './moments.js';
import * as v from './values.js';

const quoted = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`;
const big = (type: string) => (value: bigint): string => `to${type}('${value}')`; // prettier-ignore
const texts =
  (make: (dice: Dice) => string, read = (value: string): string => value) =>
  (dice: Dice): v.Written => {
    const value = make(dice);
    return v.text(quoted(value), read(value));
  };
const any = (dice: Dice): string => v.anyText(dice);
const floats =
  (type: string, make: (dice: Dice) => number) =>
  (dice: Dice): v.Written => {
    if (dice.chance(0.15)) {
      const [sql, shown] = dice.of([['nan', 'NaN'], ['inf', 'Infinity'], ['-inf', '-Infinity']] as const); // prettier-ignore
      return v.rejected(sql, shown);
    }
    const value = make(dice);
    return v.float(`to${type}(${quoted(value.toExponential())})`, value);
  };
const decimals =
  (precision: number, scale: number, type: string) =>
  (dice: Dice): v.Written => {
    const value = v.decimal(dice, precision, scale);
    return v.number(`to${type}(${quoted(value)}, ${scale})`, value);
  };
const days =
  (years: [number, number]) =>
  (dice: Dice): v.Written => {
    const at = anyMoment(dice, years);
    return v.text(quoted(dayText(at)), dayText(at));
  };
const moments =
  (years: [number, number], digits: number, json: (at: Civil) => string = jsonMoment) =>
  (dice: Dice): v.Written => {
    const at = anyMoment(dice, years, { maxMicros: 1_000_000 - 10 ** (6 - digits) });
    return v.text(quoted(`${dayText(at)} ${timeText({ ...at, micros: 0 })}${digits === 0 ? '' : fraction(at.micros)}`), json(at));
  };
const list =
  (one: (dice: Dice) => [sql: string, json: string]) =>
  (dice: Dice): v.Written => {
    const items = dice.many(4, () => one(dice));
    return { sql: `[${items.map(([sql]) => sql).join(', ')}]`, json: `[${items.map(([, json]) => json).join(',')}]` };
  };
const maybe =
  (one: (dice: Dice) => [string, string]) =>
  (dice: Dice): [string, string] =>
    dice.chance(0.2) ? ['NULL', 'null'] : one(dice);
const said = (dice: Dice): [string, string] => {
  const value = any(dice);
  return [quoted(value), JSON.stringify(value)];
};
const whole =
  (least: bigint, most: bigint) =>
  (dice: Dice): [string, string] => {
    const value = String(v.integer(dice, least, most));
    return [value, value];
  };
const int64 = whole(-(2n ** 63n), 2n ** 63n - 1n);
const wide = (bits: bigint, isSigned: boolean): ((dice: Dice) => v.Written) =>
  v.integers(isSigned ? -(2n ** (bits - 1n)) : 0n, 2n ** (isSigned ? bits - 1n : bits) - 1n, big(`${isSigned ? '' : 'U'}Int${bits}`));

function column(native: string, make: (dice: Dice) => v.Written): v.Column {
  return { native, make };
}

function nullable(native: string, make: (dice: Dice) => v.Written): v.Column {
  return v.column(`Nullable(${native})`, make);
}

export const clickHouseColumns: v.Column[] = [
  ...[8n, 16n, 32n, 64n, 128n, 256n].flatMap(bits => [nullable(`Int${bits}`, wide(bits, true)), nullable(`UInt${bits}`, wide(bits, false))]),
  nullable('Float32', floats('Float32', v.single)),
  nullable('Float64', floats('Float64', v.double)),
  nullable('Decimal(12, 2)', decimals(12, 2, 'Decimal64')),
  nullable('Decimal(38, 10)', decimals(38, 10, 'Decimal128')),
  nullable('Decimal(76, 38)', decimals(76, 38, 'Decimal256')),
  nullable('Bool', dice => {
    const value = String(dice.chance(0.5));
    return v.document(value, value);
  }),
  nullable('Date', days([1970, 2148])),
  nullable('Date32', days([1900, 2299])),
  nullable("DateTime('UTC')", moments([1970, 2105], 0)),
  nullable("DateTime64(3, 'UTC')", moments([1900, 2298], 3)),
  nullable("DateTime64(6, 'UTC')", moments([1900, 2298], 6)),
  nullable("DateTime64(9, 'UTC')", moments([1900, 2261], 6, at => `${dayText(at)}T${timeText({ ...at, micros: 0 })}.${String(at.micros).padStart(6, '0')}000Z`)),
  nullable('UUID', texts(v.uuid)),
  nullable('IPv4', texts(dice => dice.of(['0.0.0.0', '10.0.0.1', '255.255.255.255']))),
  nullable('IPv6', texts(dice => dice.of(['::', '::1', 'fe80::1', '2001:db8::ff00:42:8329']))),
  nullable("Enum8('a' = 1, 'b\\\\c' = 2, '\\t' = -3, '' = 4, '华\\'' = 5)", texts(dice => dice.of(['a', 'b\\c', '\t', '', "华'"]))),
  nullable('String', texts(any)),
  nullable('FixedString(24)', texts(dice => v.anyText(dice, 3, ['a', '华', '\t', ' ', '\\']))),
  column('LowCardinality(Nullable(String))', v.orNull(texts(any))),
  column('Array(Int64)', list(int64)),
  column('Array(Nullable(Int32))', list(maybe(whole(-(2n ** 31n), 2n ** 31n - 1n)))),
  column('Array(String)', list(said)),
  column('Array(Nullable(String))', list(maybe(said))),
  column('Array(LowCardinality(String))', list(said)),
  column('Array(Array(Int64))', list(dice => {
    const { sql, json } = list(int64)(dice);
    return [sql, json!];
  })),
  column('Array(Float64)', dice => dice.of([v.document('[0.1, -1e300]', '[0.1,-1e300]'), v.document('[]', '[]'), v.rejected('[0.1, nan]', '{0.1,NaN}'), v.rejected('[inf]', '{Infinity}')])),
  column('Array(Decimal(10, 2))', dice => dice.of([v.document(`[toDecimal64('1.50', 2)]`, '[1.50]'), v.document('[]', '[]')])),
  column('Map(String, Int64)', dice => {
    const keys = [...new Set(dice.many(3, () => any(dice)))];
    const pairs = keys.map(key => [key, int64(dice)[0]] as const);
    return v.document(`map(${pairs.map(([key, value]) => `${quoted(key)}, ${value}`).join(', ')})`, `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`);
  }),
  column('Tuple(a Int256, b Nullable(String), c Decimal(30, 20))', dice => {
    const [[a, aJson], [b, bJson]] = [whole(-(2n ** 255n), 2n ** 255n - 1n)(dice), maybe(said)(dice)];
    const c = v.decimal(dice, 30, 20);
    return v.document(`(toInt256('${a}'), ${b}, toDecimal128('${c}', 20))`, `{"a":${aJson},"b":${bJson},"c":${c}}`);
  }),
  column('Tuple(Float64, UInt64)', dice => {
    const [value, [sql, json]] = [v.double(dice), whole(0n, 2n ** 64n - 1n)(dice)];
    return v.document(`(toFloat64('${value.toExponential()}'), ${sql})`, `[${value},${json}]`);
  }),
]; // prettier-ignore

/** Types whose columns cannot be mapped. */
export const clickHouseOthers = ['AggregateFunction(sum, UInt64)', 'Variant(Int32, String)', 'Point', 'Array(Map(String, String))'];

/** Values that cannot be read: a run that meets one fails. */
export const clickHouseUnreadable: v.Unreadable[] = [
  { native: 'String', sql: `'a\\0b'` },
  { native: 'String', sql: `'\\xff'` },
  { native: 'FixedString(4)', sql: `'a\\0b'` },
  { native: 'Map(String, Int32)', sql: `map('a', 1, 'a', 2)` },
  { native: 'Tuple(a Float64)', sql: 'tuple(nan)' },
  { native: 'Array(Array(Float64))', sql: '[[inf]]' },
];

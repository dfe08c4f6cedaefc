import { type Dice } from '../support/dice.js';
import { anyMoment, type Civil, clockText, dayText, jsonMoment, spanText, timeText } from './moments.js';
import * as v from './values.js';

const hex = (value: string): string => (value === '' ? "''" : `0x${Buffer.from(value).toString('hex')}`);
const sqlText = (value: string): string => (value === '' ? "''" : `CONVERT(${hex(value)} USING utf8mb4)`);
const texts =
  (make: (dice: Dice) => string, read = (value: string): string => value) =>
  (dice: Dice): v.Written => {
    const value = make(dice);
    return v.text(sqlText(value), read(value));
  };
const any = (dice: Dice): string => v.anyText(dice);
const latin = (dice: Dice): string => v.anyText(dice, 8, ['é', 'ÿ', '€', '\t', '\n', '\\', "'", '\u0001', 'a', ' ']);
const decimals =
  (precision: number, scale: number) =>
  (dice: Dice): v.Written => {
    const value = v.decimal(dice, precision, scale);
    return v.number(value, value);
  };
const floats =
  (make: (dice: Dice) => number) =>
  (dice: Dice): v.Written => {
    const value = make(dice);
    return v.float(value.toExponential(), value);
  };
const written = (at: Civil): string => `'${dayText(at)} ${timeText(at)}'`;
const moments =
  (years: [number, number], maxMicros: number) =>
  (dice: Dice): v.Written => {
    if (dice.chance(0.1)) return v.missing(`'0000-00-00 00:00:00'`);
    const at = anyMoment(dice, years, { maxMicros });
    return v.text(written(at), jsonMoment(at));
  };
/** Values of the type `time`, from -838:59:59 to 838:59:59. */
const spans = (dice: Dice): v.Written => {
  const most = 838n * 3600n + 59n * 60n + 59n;
  const micros = v.integer(dice, 0n, most) * 1_000_000n + BigInt(dice.of([0, 0, 500_000])) * (dice.chance(0.5) ? 1n : 0n);
  const capped = micros > most * 1_000_000n ? most * 1_000_000n : micros;
  const sign = capped > 0n && dice.chance(0.5) ? '-' : '';
  return v.text(`'${sign}${clockText(capped)}'`, spanText({ months: 0, days: 0, micros: sign === '' ? capped : -capped }));
};
const bytes =
  (most: number) =>
  (dice: Dice): v.Written => {
    const value = v.hexText(dice, dice.below(most + 1));
    return v.text(value === '' ? "''" : `0x${value}`, `\\x${value}`);
  };
const unhexed = (value: string): string => String(BigInt(`0b${value}`));

export const mysqlColumns: v.Column[] = [
  v.column('tinyint(1)', v.integers(-128n, 127n)),
  v.column('tinyint unsigned', v.integers(0n, 255n)),
  v.column('smallint unsigned', v.integers(0n, 65535n)),
  v.column('mediumint', v.integers(-8388608n, 8388607n)),
  v.column('int', v.integers(-(2n ** 31n), 2n ** 31n - 1n)),
  v.column('int(10) unsigned zerofill', v.integers(0n, 2n ** 32n - 1n)),
  v.column('bigint', v.integers(-(2n ** 63n), 2n ** 63n - 1n)),
  v.column('bigint unsigned', v.integers(0n, 2n ** 64n - 1n)),
  v.column('decimal(65,30)', decimals(65, 30)),
  v.column('decimal(10,2)', decimals(10, 2)),
  v.column('decimal(38,0)', decimals(38, 0)),
  v.column('float', floats(v.single)),
  v.column('double', floats(v.double)),
  v.column('year', v.integers(1901n, 2155n)),
  v.column('bit(1)', dice => {
    const value = v.bits(dice, 1);
    return v.text(`b'${value}'`, value);
  }),
  v.column('bit(64)', dice => {
    const value = v.bits(dice, 64);
    return v.text(unhexed(value), value);
  }),
  v.column('date', dice => {
    if (dice.chance(0.1)) return v.missing(`'0000-00-00'`);
    const at = anyMoment(dice, [1, 9999]);
    return v.text(`'${dayText(at)}'`, dayText(at));
  }),
  v.column('datetime', moments([1, 9999], 0)),
  v.column('datetime(3)', moments([1, 9999], 999_000)),
  v.column('datetime(6)', moments([1, 9999], 999_999)),
  v.column('timestamp(6) NULL', moments([1971, 2037], 999_999)),
  v.column('time(6)', spans),
  // The server removes spaces at the end of a value of this type.
  v.column(
    'char(60)',
    texts(any, value => value.replace(/ +$/, '')),
  ),
  v.column('varchar(60)', texts(any)),
  v.column('varchar(60) CHARACTER SET latin1', texts(latin)),
  v.column('varchar(60) CHARACTER SET utf16', texts(any)),
  v.column(
    'varchar(60) CHARACTER SET gbk',
    texts(dice => v.anyText(dice, 8, ['中', '文', '\\', '\t', '\n', "'", 'a', '乗'])),
  ),
  v.column(
    'mediumtext',
    texts(dice => v.anyText(dice, 40)),
  ),
  v.column(
    `enum('a','b c','华''','')`,
    texts(dice => dice.of(['a', 'b c', "华'", ''])),
  ),
  v.column(
    `set('x','y','z')`,
    texts(dice => dice.of(['', 'x', 'x,z', 'x,y,z'])),
  ),
  v.column('binary(8)', dice => {
    const value = v.hexText(dice, dice.between(1, 8));
    return v.text(`0x${value}`, `\\x${value.padEnd(16, '0')}`);
  }),
  v.column('varbinary(30)', bytes(30)),
  v.column('longblob', bytes(60)),
  v.column('json', dice => {
    const value = v.json(dice);
    return v.text(sqlText(value), value);
  }),
  v.column('uuid', texts(v.uuid)),
  v.column(
    'inet6',
    texts(dice => dice.of(['::', '::1', 'fe80::1', '2001:db8::ff00:42:8329'])),
  ),
  v.column(
    'inet4',
    texts(dice => dice.of(['0.0.0.0', '10.0.0.1', '255.255.255.255'])),
  ),
];

/** Types whose columns cannot be mapped. */
export const mysqlOthers = ['geometry', 'point'];

/** Values that cannot be read: a run that meets one fails. */
export const mysqlUnreadable: v.Unreadable[] = [
  { native: 'date', sql: `'2024-02-00'` },
  { native: 'date', sql: `'0000-01-01'` },
  { native: 'datetime', sql: `'2024-00-10 00:00:00'` },
  { native: 'varchar(20)', sql: `CONCAT('a', 0x00, 'b')` },
];

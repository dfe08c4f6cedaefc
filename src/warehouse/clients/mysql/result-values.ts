import { type Field } from 'mysql2';
import { type RowDocuments } from '../read-document.js';

/** Type numbers of result columns in MySQL's protocol. https://dev.mysql.com/doc/dev/mysql-server/latest/field__types_8h.html */
const types = {
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  bit: 16,
  json: 245,
  decimal: 246,
  geometry: 255,
};
const unsignedFlag = 32;
const binaryCharset = 63;
/** The most bytes of a BIT value: BIT(64) has 8 bytes. */
const mostBitBytes = 8;

/** The name of a result column's type in PostgreSQL's spelling. */
export function typeNameOf({ columnType, flags, characterSet }: Field): string {
  const isUnsigned = (flags & unsignedFlag) !== 0;
  switch (columnType) {
    case types.tiny:
      return 'smallint';
    case types.short:
      return isUnsigned ? 'integer' : 'smallint';
    case types.long:
      return isUnsigned ? 'bigint' : 'integer';
    case types.longlong:
      return isUnsigned ? 'numeric' : 'bigint';
    case types.int24:
    case types.year:
      return 'integer';
    case types.float:
      return 'real';
    case types.double:
      return 'double precision';
    case types.decimal:
      return 'numeric';
    case types.date:
      return 'date';
    case types.time:
      return 'interval';
    case types.datetime:
      return 'timestamp';
    case types.timestamp:
      return 'timestamptz';
    case types.bit:
      return 'bit';
    case types.json:
      return 'jsonb';
    case types.geometry:
      return 'other';
    default:
      return characterSet === binaryCharset ? 'bytea' : 'text';
  }
}

/** Turns a value from mysql2 into the value that a query result has, by the type of its column. @throws ValueTooDetailedError */
export function toResultValue(value: unknown, type: string, documents: RowDocuments): unknown {
  if (value === null) return null;
  switch (type) {
    case 'real':
      return shortest(value as number);
    case 'date':
      return isZeroDate(value) ? null : value;
    case 'timestamp':
      return isZeroDate(value) ? null : (value as string).replace(' ', 'T');
    case 'timestamptz':
      return isZeroDate(value) ? null : `${(value as string).replace(' ', 'T')}+00:00`;
    case 'bit':
      // A BIT column has at most 8 bytes. A longer value of a dishonest server would take seconds as binary digits, so it is shown in hex.
      if ((value as Buffer).length > mostBitBytes) return toHex(value as Buffer);
      return [...(value as Buffer)].map(byte => byte.toString(2).padStart(8, '0')).join('');
    case 'jsonb':
      return documents.read(value as string);
    default:
      return Buffer.isBuffer(value) ? toHex(value) : value;
  }
}

function toHex(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

/** Whether a date is 0000-00-00, which MySQL writes for a missing date. */
function isZeroDate(value: unknown): boolean {
  return (value as string).startsWith('0000-00-00');
}

/** A float of four bytes with the fewest digits that still identify it: 0.1 instead of 0.10000000149011612. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

import { type CypherValue } from '../values/cypher-value.js';
import { Decimal } from '../values/decimal.js';
import { spend } from '../syntax/effort.js';
import { fittingInteger } from '../values/number-arithmetic.js';
import { floatOf, isNumber } from '../values/numbers.js';
import { textOf } from '../values/text-of.js';
import { ValueFault } from '../values/value-fault.js';
import { checkedSize } from '../values/value-size.js';
import { type CypherFunction, ofOne, tableOf, takes, wrongArgument } from './cypher-function.js';
import { listArgument } from './list-functions.js';

type Conversion = (value: NonNullable<CypherValue>) => CypherValue;

/** Maximum characters of a text that may be a number. */
const longestNumber = 500;
/** Work units to read a text that is not a number. */
const unitsOfConversion = 20;
/** Work units to make a fault with its sentences and to catch it. */
const unitsOfCaughtFault = 400;
const specialFloats: Readonly<Record<string, number>> = { NaN, Infinity, '+Infinity': Infinity, '-Infinity': -Infinity };

export const conversionFunctions = tableOf(
  ...threeOf('toInteger', toInteger),
  ...threeOf('toFloat', toFloat),
  ...threeOf('toBoolean', toBoolean),
  ...threeOf('toString', toText),
);

/**
 * Makes three functions: `toX` refuses a value of a wrong type, `toXOrNull` gives null for it, and `toXList` gives null for each such item.
 */
function threeOf(name: string, convert: Conversion): CypherFunction[] {
  const orNull = (value: CypherValue) => {
    spend(unitsOfConversion);
    return value === null ? null : withoutFault(convert, value);
  };
  return [
    ofOne(name, convert),
    ofOne(`${name}OrNull`, orNull),
    ofOne(`${name}List`, value => checkedSize(listArgument(`${name}List`, value).map(orNull))),
  ];
}

function withoutFault(convert: Conversion, value: NonNullable<CypherValue>): CypherValue {
  try {
    return convert(value);
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    spend(unitsOfCaughtFault);
    return null;
  }
}

/** `toInteger`: cuts decimals off. Null for a text that is not a number, and for NaN. */
function toInteger(value: NonNullable<CypherValue>): CypherValue {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') return wholePart(readDecimal(trimmed(value)));
  if (value instanceof Decimal) return wholePart(value);
  if (typeof value !== 'number') throw wrongArgument('toInteger', takes.readable, value);
  if (Number.isNaN(value)) return null;
  if (!Number.isFinite(value)) throw notAnInteger(value);
  return fittingInteger(BigInt(Math.trunc(value)));
}

function toFloat(value: NonNullable<CypherValue>): CypherValue {
  if (isNumber(value)) return floatOf(value);
  if (typeof value !== 'string') throw wrongArgument('toFloat', takes.readableAsFloat, value);
  const text = trimmed(value);
  if (Object.hasOwn(specialFloats, text)) return specialFloats[text] ?? null;
  return readDecimal(text) === null ? null : Number(text);
}

function toBoolean(value: NonNullable<CypherValue>): CypherValue {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value !== 0n;
  if (typeof value !== 'string') throw wrongArgument('toBoolean', takes.readableAsBoolean, value);
  const text = trimmed(value);
  // A text longer than 'false' means neither true nor false.
  if (text.length > 'false'.length) return null;
  const word = text.toLowerCase();
  if (word === 'true') return true;
  return word === 'false' ? false : null;
}

function toText(value: NonNullable<CypherValue>): CypherValue {
  const text = textOf(value);
  if (text === null) throw wrongArgument('toString', takes.writable, value);
  return text;
}

function trimmed(text: string): string {
  spend(text.length >> 3);
  return text.trim();
}

function readDecimal(text: string): Decimal | null {
  return text.length > longestNumber ? null : Decimal.parse(text);
}

function wholePart(value: Decimal | null): bigint | null {
  return value === null ? null : fittingInteger(value.whole());
}

function notAnInteger(value: number): ValueFault {
  return new ValueFault('ArithmeticError', 'IntegerOverflow', { zh: `${value} 不是整数`, en: `${value} is not an integer` });
}

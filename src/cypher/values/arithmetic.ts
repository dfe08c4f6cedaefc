import { type CypherValue, isList } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { spend } from '../syntax/effort.js';
import { addNumbers, divideNumbers, multiplyNumbers, negateNumber, remainderOfNumbers, subtractNumbers } from './number-arithmetic.js';
import { type CypherNumber, floatOf, isNumber } from './numbers.js';
import { divideDuration, minusDurations, plusDurations, scaleDuration } from './temporal/duration.js';
import { isDuration, isTemporal } from './temporal/is-temporal.js';
import { addDuration, subtractDuration } from './temporal/temporal-arithmetic.js';
import { textOf, typeNameOf } from './text-of.js';
import { ValueFault } from './value-fault.js';
import { bytesOfList, checkBytes, checkedSize, checkLength } from './value-size.js';

/** Maximum characters of a joined text that is copied into one new string. */
const longestCopied = 256;

/** `+`: numbers add, lists append, texts join with texts, numbers, booleans and times. */
export function add(a: CypherValue, b: CypherValue): CypherValue {
  if (a === null || b === null) return null;
  if (isNumber(a) && isNumber(b)) return addNumbers(a, b);
  if (isList(a) || isList(b)) return append(isList(a) ? a : [a], isList(b) ? b : [b]);
  if (typeof a === 'string' || typeof b === 'string') return join(a, b);
  if (isDuration(a)) {
    if (isDuration(b)) return plusDurations(a, b);
    if (isTemporal(b)) return addDuration(b, a);
  }
  if (isTemporal(a) && isDuration(b)) return addDuration(a, b);
  throw wrongOperands('+', a, b);
}

export function subtract(a: CypherValue, b: CypherValue): CypherValue {
  if (a === null || b === null) return null;
  if (isNumber(a) && isNumber(b)) return subtractNumbers(a, b);
  if (isDuration(b)) {
    if (isDuration(a)) return minusDurations(a, b);
    if (isTemporal(a)) return subtractDuration(a, b);
  }
  if (isTemporal(a) && isTemporal(b)) throw differenceOfTimes();
  throw wrongOperands('-', a, b);
}

export function multiply(a: CypherValue, b: CypherValue): CypherValue {
  if (a === null || b === null) return null;
  if (isNumber(a)) {
    if (isNumber(b)) return multiplyNumbers(a, b);
    if (isDuration(b)) return scaleDuration(b, factor(a));
  }
  if (isDuration(a) && isNumber(b)) return scaleDuration(a, factor(b));
  throw wrongOperands('*', a, b);
}

/** `/`: integers divide to integers, towards zero. A decimal quotient has at least 20 digits, rounded half up. */
export function divide(a: CypherValue, b: CypherValue): CypherValue {
  if (a === null || b === null) return null;
  if (isNumber(a) && isNumber(b)) return divideNumbers(a, b);
  if (isDuration(a) && isNumber(b)) return divideDuration(a, factor(b));
  throw wrongOperands('/', a, b);
}

/** `%`: the remainder has the sign of the dividend. */
export function remainder(a: CypherValue, b: CypherValue): CypherValue {
  if (a === null || b === null) return null;
  if (isNumber(a) && isNumber(b)) return remainderOfNumbers(a, b);
  throw wrongOperands('%', a, b);
}

/** `^`: always a float, as in openCypher. */
export function power(a: CypherValue, b: CypherValue): CypherValue {
  if (a === null || b === null) return null;
  if (isNumber(a) && isNumber(b)) return floatOf(a) ** floatOf(b);
  throw wrongOperands('^', a, b);
}

export function negate(value: CypherValue): CypherValue {
  if (value === null) return null;
  if (isNumber(value)) return negateNumber(value);
  if (isDuration(value)) return scaleDuration(value, -1n);
  const { zh, en } = typeNameOf(value);
  throw new ValueFault('TypeError', 'InvalidArgumentType', { zh: `运算符 - 不适用于${zh}`, en: `The operator - does not apply to ${en}` });
}

function append(a: readonly CypherValue[], b: readonly CypherValue[]): CypherValue {
  checkBytes(bytesOfList(a.length + b.length));
  spend(a.length + b.length);
  return checkedSize(a.concat(b));
}

function join(a: CypherValue, b: CypherValue): string {
  const [left, right] = [textOf(a), textOf(b)];
  if (left === null || right === null) throw wrongOperands('+', a, b);
  const length = left.length + right.length;
  checkLength(length);
  // V8 represents the result of `+` by two pointers and keeps both parts. For a short text the pointers alone take as much memory as a
  // copy.
  return length <= longestCopied ? [left, right].join('') : left + right;
}

function factor(value: CypherNumber): number | bigint {
  return value instanceof Decimal ? value.toNumber() : value;
}

function differenceOfTimes(): ValueFault {
  return new ValueFault('TypeError', 'InvalidArgumentType', {
    zh: '两个时间不能相减；它们之间的时长是 duration.between(较早, 较晚)，天数是 duration.inDays(较早, 较晚).days',
    en: 'A time cannot be subtracted from a time; the duration between them is duration.between(earlier, later), and the days are duration.inDays(earlier, later).days',
  });
}

function wrongOperands(operator: string, a: CypherValue, b: CypherValue): ValueFault {
  const [left, right] = [typeNameOf(a), typeNameOf(b)];
  return new ValueFault('TypeError', 'InvalidArgumentType', {
    zh: `运算符 ${operator} 不适用于${left.zh}与${right.zh}`,
    en: `The operator ${operator} does not apply to ${left.en} and ${right.en}`,
  });
}

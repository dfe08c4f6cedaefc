import { type BinaryOperator, type Expression } from '../../syntax/cypher-ast.js';
import { hasPart } from '../../functions/search-text.js';
import { add, divide, multiply, power, remainder, subtract } from '../../values/arithmetic.js';
import { type CypherValue, isList } from '../../values/cypher-value.js';
import { spend, spendComparing } from '../../syntax/effort.js';
import { equals, isIn } from '../../values/equality.js';
import { lessOrEqual, lessThan } from '../../values/order.js';
import { isTemporal } from '../../values/temporal/is-temporal.js';
import { temporalFunctions } from '../../values/temporal/temporal-functions.js';
import { offsetText, temporalText } from '../../values/temporal/temporal-text.js';
import { type TemporalValue } from '../../values/temporal/temporal-value.js';
import { epochNanosecondsOf, inZone, zoneOf } from '../../values/temporal/zone.js';
import { compile, type ExpressionPlace } from './expression-place.js';
import { type Evaluate } from './scope.js';
import { isPlain, staticType } from './static-type.js';

/** Times read from texts, by kind, zone and text: a condition often compares each row with the same text. */
const timesRead = new Map<string, CypherValue>();
const mostTimesRead = 1_000;

type Operation = (left: CypherValue, right: CypherValue) => CypherValue;

/** openCypher's `=`. @throws ValueFault if a text is compared with a time and cannot be read as a time of this kind */
export const areEqual = ofTimes(equals);

const operations: Record<Exclude<BinaryOperator, 'XOR'>, Operation> = {
  '=': areEqual,
  '<>': ofTimes((left, right) => negated(equals(left, right))),
  '<': ofTimes(lessThan),
  '<=': ofTimes(lessOrEqual),
  '>': ofTimes((left, right) => lessThan(right, left)),
  '>=': ofTimes((left, right) => lessOrEqual(right, left)),
  'STARTS WITH': ofTexts((left, right) => left.startsWith(right)),
  'ENDS WITH': ofTexts((left, right) => left.endsWith(right)),
  CONTAINS: ofTexts(hasPart),
  IN: (left, right) => isIn(left, isTemporal(left) && isList(right) ? right.map(item => asTimeLike(item, left)) : right),
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': remainder,
  '^': power,
};

export function compileBinary(expression: Expression & { kind: 'binary' }, place: ExpressionPlace): Evaluate {
  const { operator, position } = expression;
  if (operator === 'XOR') throw new Error('XOR is compiled with the conditions');
  const type = staticType(expression.right, place.scope);
  if (operator === 'IN' && isPlain(type) && type !== 'list')
    throw place.query.error('InvalidArgumentType', { zh: 'IN 之后须为列表', en: 'IN takes a list' }, expression.right.position);
  if (['-', '*', '/', '%', '^'].includes(operator))
    for (const operand of [expression.left, expression.right])
      if (['string', 'boolean', 'list', 'map'].includes(staticType(operand, place.scope)))
        throw place.query.error(
          'InvalidArgumentType',
          { zh: `运算符 ${operator} 不适用于此处的值`, en: `The operator ${operator} does not apply to a value of this type` },
          operand.position,
        );
  const [left, right] = [compile(expression.left, place), compile(expression.right, place)];
  const operation = operations[operator];
  return place.query.at(position, row => operation(left(row), right(row)));
}

function negated(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

/** An operation on texts. A time counts as its text. Null if an operand is neither a text nor a time. */
function ofTexts(operation: (left: string, right: string) => boolean): Operation {
  const textOf = (value: CypherValue) => (isTemporal(value) ? temporalText(value) : value);
  return (left, right) => {
    const [a, b] = [textOf(left), textOf(right)];
    if (typeof a !== 'string' || typeof b !== 'string') return null;
    spendComparing(a, b);
    return operation(a, b);
  };
}

/**
 * An operation that reads a text as a time if the other operand is a time, as SQL does. openCypher itself does not compare a text with a
 * time.
 */
function ofTimes(operation: Operation): Operation {
  return (left, right) => {
    if (typeof right === 'string' && isTemporal(left)) return operation(left, asTimeLike(right, left));
    if (typeof left === 'string' && isTemporal(right)) return operation(asTimeLike(left, right), right);
    return operation(left, right);
  };
}

/**
 * Reads a text as a time of the same kind as `time`, with which it is compared. A text without a zone takes the zone of `time`. A moment in
 * another zone is converted to the zone of `time`: moments of the source are always shown in one zone.
 * @throws ValueFault for a text that cannot be read as a time of this kind
 */
function asTimeLike(value: CypherValue, time: TemporalValue): CypherValue {
  if (typeof value !== 'string') return value;
  const offset = 'offsetSeconds' in time ? offsetText(time.offsetSeconds) : 'UTC';
  const zone = 'zone' in time ? (time.zone ?? offset) : offset;
  spend(10 + (value.length >> 3));
  const key = `${time.kind} ${zone} ${value}`;
  const known = timesRead.get(key);
  if (known !== undefined) return known;
  const read = readLike(value, time, zone);
  if (timesRead.size >= mostTimesRead) timesRead.clear();
  timesRead.set(key, read);
  return read;
}

function readLike(value: string, time: TemporalValue, zone: string): CypherValue {
  const read = temporalFunctions[time.kind]!.call([value], { epochNanoseconds: 0n, timeZone: zone });
  if (time.kind !== 'datetime' || !isTemporal(read) || read.kind !== 'datetime') return read;
  return inZone(epochNanosecondsOf(read), zoneOf(time));
}

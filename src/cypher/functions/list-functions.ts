import { type CypherValue, isList, isMap } from '../values/cypher-value.js';
import { spend } from '../syntax/effort.js';
import { ValueFault } from '../values/value-fault.js';
import { typeNameOf } from '../values/type-names.js';
import { bytesOfIntegers, checkBytes } from '../values/value-size.js';
import { ofOne, outOfRange, strict, tableOf, takes, wrongArgument } from './cypher-function.js';
import { backwards, countOfCharacters } from './text-functions.js';

export const listFunctions = tableOf(
  ofOne('size', value => {
    if (typeof value === 'string') return BigInt(countOfCharacters(value));
    if (isList(value)) return BigInt(value.length);
    throw wrongArgument('size', takes.stringOrList, value);
  }),
  ofOne('length', value => {
    if (typeof value === 'string') return BigInt(countOfCharacters(value));
    if (isList(value)) return BigInt(value.length);
    if (typeof value === 'object' && 'edges' in value) return BigInt(value.edges.length);
    throw wrongArgument('length', takes.measured, value);
  }),
  ofOne('isEmpty', value => {
    if (typeof value === 'string') return value === '';
    if (isList(value)) return value.length === 0;
    if (isMap(value)) return value.size === 0;
    throw wrongArgument('isEmpty', takes.sized, value);
  }),
  ofOne('reverse', value => {
    if (typeof value === 'string') return backwards(value);
    return copied(listArgument('reverse', value, takes.stringOrList)).toReversed();
  }),
  ofOne('head', value => listArgument('head', value)[0] ?? null),
  ofOne('last', value => listArgument('last', value).at(-1) ?? null),
  ofOne('tail', value => copied(listArgument('tail', value)).slice(1)),
  strict('range', 2, 3, (...args) => {
    const range = readRange(args);
    checkBytes(bytesOfIntegers(range.count));
    spend(4 * range.count);
    return listOf(range);
  }),
);

/** The items of `range(…)` one by one, for UNWIND: a range of any length costs no memory. Null if an argument is null. */
export function iterateRange(args: readonly CypherValue[]): Iterable<bigint> | null {
  return args.includes(null) ? null : itemsOf(readRange(args));
}

export function listArgument(name: string, value: CypherValue, expected = takes.list): readonly CypherValue[] {
  if (!isList(value)) throw wrongArgument(name, expected, value);
  return value;
}

/** Counts one work unit for each item of a copy of the list: allocating fresh memory costs more than the copying itself. */
function copied(list: readonly CypherValue[]): readonly CypherValue[] {
  spend(list.length);
  return list;
}

interface Range {
  start: bigint;
  step: bigint;
  count: number;
}

function readRange([start = null, end = null, step = 1n]: readonly CypherValue[]): Range {
  const [first, last, by] = [boundOfRange(start), boundOfRange(end), boundOfRange(step)];
  if (by === 0n) throw outOfRange({ zh: 'range() 的步长不能为零', en: 'The step of range() must not be zero' });
  const leadsAway = by > 0n ? last < first : last > first;
  return { start: first, step: by, count: leadsAway ? 0 : Number((last - first) / by) + 1 };
}

/** Reads a bound of `range`. openCypher calls a bound of a wrong type an ArgumentError, unlike a wrong argument of other functions. */
function boundOfRange(value: CypherValue): bigint {
  if (typeof value === 'bigint') return value;
  const { zh, en } = typeNameOf(value);
  throw new ValueFault('ArgumentError', 'InvalidArgumentType', {
    zh: `range() 需要整数，而非${zh}`,
    en: `range() takes integers, not ${en}`,
  });
}

function listOf({ start, step, count }: Range): bigint[] {
  const items = new Array<bigint>(count);
  for (let i = 0, item = start; i < count; i += 1, item += step) items[i] = item;
  return items;
}

function* itemsOf({ start, step, count }: Range): Generator<bigint> {
  let item = start;
  for (let i = 0; i < count; i += 1, item += step) yield item;
}

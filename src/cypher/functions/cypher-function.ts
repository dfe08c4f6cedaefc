import { type Bilingual } from '../../text/bilingual.js';
import { type CypherValue, type NodeValue } from '../values/cypher-value.js';
import { typeNameOf } from '../values/type-names.js';
import { ValueFault } from '../values/value-fault.js';

/** Access of functions to the graph that a query runs on. */
export interface GraphAccess {
  nodeById(id: number): NodeValue;
}

export interface CypherFunction {
  /** Name as openCypher spells it. */
  readonly name: string;
  /** Minimum and maximum number of arguments. The caller checks the number. */
  readonly least: number;
  readonly most: number;
  call(args: readonly CypherValue[], graph: GraphAccess): CypherValue;
}

export type FunctionTable = Readonly<Record<string, CypherFunction>>;

/** Phrases for error messages: the type of argument that a function expects. */
export const takes = {
  number: { zh: '数', en: 'a number' },
  integer: { zh: '整数', en: 'an integer' },
  string: { zh: '文本', en: 'a string' },
  list: { zh: '列表', en: 'a list' },
  stringOrList: { zh: '文本或列表', en: 'a string or a list' },
  sized: { zh: '文本、列表或映射', en: 'a string, a list or a map' },
  measured: { zh: '路径、文本或列表', en: 'a path, a string or a list' },
  node: { zh: '节点', en: 'a node' },
  edge: { zh: '关系', en: 'a relationship' },
  element: { zh: '节点或关系', en: 'a node or a relationship' },
  propertied: { zh: '节点、关系或映射', en: 'a node, a relationship or a map' },
  path: { zh: '路径', en: 'a path' },
  writable: { zh: '文本、数、布尔值或时间', en: 'a string, a number, a boolean or a time' },
  readable: { zh: '文本、数或布尔值', en: 'a string, a number or a boolean' },
  readableAsFloat: { zh: '文本或数', en: 'a string or a number' },
  readableAsBoolean: { zh: '文本、整数或布尔值', en: 'a string, an integer or a boolean' },
  summable: { zh: '数或时长', en: 'a number or a duration' },
} satisfies Record<string, Bilingual>;

/** The table of the given functions by their names in lower case. */
export function tableOf(...functions: CypherFunction[]): FunctionTable {
  return Object.fromEntries(functions.map(each => [each.name.toLowerCase(), each]));
}

/** A function of one argument that gives null for null. */
export function ofOne(name: string, body: (value: NonNullable<CypherValue>, graph: GraphAccess) => CypherValue): CypherFunction {
  return { name, least: 1, most: 1, call: ([value = null], graph) => (value === null ? null : body(value, graph)) };
}

/** A function that gives null as soon as one of its arguments is null. */
export function strict(
  name: string,
  least: number,
  most: number,
  body: (...args: NonNullable<CypherValue>[]) => CypherValue,
): CypherFunction {
  const isPresent = (value: CypherValue) => value !== null;
  return { name, least, most, call: args => (args.every(isPresent) ? body(...args) : null) };
}

/** The fault of an argument whose type the function does not accept. */
export function wrongArgument(name: string, expected: Bilingual, value: CypherValue): ValueFault {
  const { zh, en } = typeNameOf(value);
  return new ValueFault('TypeError', 'InvalidArgumentValue', {
    zh: `${name}() 需要${expected.zh}，而非${zh}`,
    en: `${name}() takes ${expected.en}, not ${en}`,
  });
}

export function textArgument(name: string, value: CypherValue): string {
  if (typeof value !== 'string') throw wrongArgument(name, takes.string, value);
  return value;
}

/**
 * Reads an argument that is a number of characters or an offset. @throws ValueFault for a value that is not an integer, and for an integer
 * below zero
 */
export function countArgument(name: string, value: CypherValue): number {
  if (typeof value !== 'bigint') throw wrongArgument(name, takes.integer, value);
  if (value < 0n) throw outOfRange({ zh: `${name}() 不接受负数 ${value}`, en: `${name}() takes no negative number such as ${value}` });
  return Number(value);
}

export function outOfRange(sentence: Bilingual): ValueFault {
  return new ValueFault('ArgumentError', 'NumberOutOfRange', sentence);
}

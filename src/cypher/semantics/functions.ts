import { commonType, mayBe, type ValueType } from '../values/value-type.js';

/**
 * The possible types of an argument. `element` is a node or edge, `scalar` a text, number or boolean. A value of unknown type fits
 * all but elements.
 */
type Parameter = 'any' | 'element' | 'node' | 'edge' | 'map' | 'list' | 'string' | 'number' | 'scalar';

interface Signature {
  /** The possible types of each argument, in order. The last entry applies to all further arguments. */
  takes: Parameter[][];
  least: number;
  most: number;
  returns: ValueType | ((args: ValueType[]) => ValueType);
}

const text = fixed('string', 'string');
const ofTextAndCount = fixed('string', 'string', 'number');
const sameNumber = ([type = 'any']: ValueType[]): ValueType => (type === 'any' ? 'number' : type);

const signatures = {
  id: fixed('integer', 'element'),
  elementid: fixed('string', 'element'),
  labels: fixed('list', 'node'),
  type: fixed('string', 'edge'),
  properties: fixed('map', ['element', 'map']),
  keys: fixed('list', ['element', 'map']),
  coalesce: { takes: [['any']], least: 1, most: 50, returns: commonStoredType },
  exists: fixed('boolean', 'any'),
  size: fixed('integer', ['string', 'list']),
  length: fixed('integer', ['string', 'list']),
  head: fixed('any', 'list'),
  last: fixed('any', 'list'),
  tolower: text,
  lower: text,
  toupper: text,
  upper: text,
  trim: text,
  ltrim: text,
  rtrim: text,
  reverse: text,
  left: ofTextAndCount,
  right: ofTextAndCount,
  substring: { takes: [['string'], ['number'], ['any']], least: 2, most: 3, returns: 'string' },
  replace: fixed('string', 'any', 'any', 'any'),
  split: fixed('list', 'any', 'any'),
  tostring: fixed('string', 'scalar'),
  tointeger: fixed('integer', 'scalar'),
  tofloat: fixed('float', 'scalar'),
  toboolean: fixed('boolean', 'scalar'),
  abs: fixed(sameNumber, 'number'),
  sign: fixed('integer', 'number'),
  ceil: fixed('float', 'number'),
  floor: fixed('float', 'number'),
  round: { takes: [['number']], least: 1, most: 2, returns: 'float' },
  sqrt: fixed('float', 'number'),
  date: fixed('date', 'string'),
} satisfies Record<string, Signature>;

/** The supported openCypher functions, in lower case. */
export type FunctionName = keyof typeof signatures;

export const functionNames = Object.keys(signatures) as FunctionName[];

export function findFunction(name: string): { name: FunctionName; signature: Signature } | null {
  const lower = name.toLowerCase();
  return Object.hasOwn(signatures, lower) ? { name: lower as FunctionName, signature: signatures[lower as FunctionName] } : null;
}

/** Tells whether every argument may have a type that the function accepts there. */
export function takes({ takes }: Signature, args: ValueType[]): boolean {
  return args.every((type, i) => (takes[i] ?? takes.at(-1) ?? []).some(parameter => fits(type, parameter)));
}

export function typeOfCall({ returns }: Signature, args: ValueType[]): ValueType {
  return typeof returns === 'function' ? returns(args) : returns;
}

function fits(type: ValueType, parameter: Parameter): boolean {
  switch (parameter) {
    case 'any':
      return true;
    case 'element':
      return type === 'node' || type === 'edge';
    case 'node':
    case 'edge':
      return type === parameter;
    case 'map':
    case 'list':
    case 'string':
    case 'number':
      return mayBe(type, parameter);
    case 'scalar':
      return mayBe(type, 'string') || mayBe(type, 'number') || mayBe(type, 'boolean');
    default:
      return parameter satisfies never;
  }
}

function fixed(returns: Signature['returns'], ...takes: (Parameter | Parameter[])[]): Signature {
  return { takes: takes.map(each => (Array.isArray(each) ? each : [each])), least: takes.length, most: takes.length, returns };
}

/** Among other values, an element counts as the map that shows it. */
function commonStoredType(args: ValueType[]): ValueType {
  const type = commonType(args);
  return type === 'node' || type === 'edge' ? 'any' : type;
}

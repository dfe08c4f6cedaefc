import { toExactNumber } from '../../common/json/parse-exact-json.js';
import { isGraphValue } from '../../cypher/functions/graph-functions.js';
import { type CypherMap, type CypherValue, isList, isMap, type PathValue } from '../../cypher/values/cypher-value.js';
import { Decimal } from '../../cypher/values/decimal.js';
import { type AnswerEdge, type AnswerNode } from '../../cypher/values/graph-values.js';
import { temporalText } from '../../cypher/values/temporal/temporal-text.js';
import { kindOf } from '../../cypher/values/value-kind.js';
import { type Steps } from '../../text/steps.js';
import { sourceText } from './source-values.js';

/** The nodes and edges of an answer, by id, in the form in which rows show them. */
export interface ShownElements {
  nodes: ReadonlyMap<number, AnswerNode>;
  edges: ReadonlyMap<number, AnswerEdge>;
}

/** The number of values that are converted in one step, which takes some 50 µs. */
const valuesInStep = 256;

/**
 * Converts values to JSON, in steps, since one list may be as large as an answer. A value that JSON cannot hold becomes a text: integers
 * beyond 2^53, decimals with more digits than a float, NaN, the infinities, and times.
 */
export function* toAnswerValues(values: readonly CypherValue[], shown: ShownElements): Steps<unknown[]> {
  const answers: unknown[] = [];
  for (const value of values) {
    const holds = holdsValues(value);
    answers.push(holds ? yield* holderAsJson(value, shown) : toJson(value, shown));
    if (holds || answers.length % valuesInStep === 0) yield;
  }
  return answers;
}

type Holder = readonly CypherValue[] | CypherMap | PathValue;

function holdsValues(value: CypherValue): value is Holder {
  return isList(value) || isMap(value) || (isGraphValue(value) && value.kind === 'path');
}

function* holderAsJson(value: Holder, shown: ShownElements): Steps<unknown> {
  if (isList(value)) return yield* toAnswerValues(value, shown);
  if (!isMap(value)) return { nodes: yield* toAnswerValues(value.nodes, shown), edges: yield* toAnswerValues(value.edges, shown) };
  const values = yield* toAnswerValues([...value.values()], shown);
  return Object.fromEntries([...value.keys()].map((name, i) => [name, values[i]]));
}

function toJson(value: Exclude<CypherValue, Holder>, shown: ShownElements): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return toExactNumber(value.toString());
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof Decimal) return toExactNumber(value.isRounded ? roundedText(value) : value.toString());
  switch (value.kind) {
    case 'node':
      return shown.nodes.get(value.id) ?? null;
    case 'edge':
      return shown.edges.get(value.id) ?? null;
    default:
      return sourceText(value) ?? temporalText(value);
  }
}

/** The text of a rounded decimal, such as a quotient, with the digits of a float: more digits would not be more exact. */
function roundedText(value: Decimal): string {
  const nearest = value.toNumber();
  return Math.abs(nearest) <= Number.MAX_SAFE_INTEGER ? String(nearest) : value.toString();
}

const columnTypes: Partial<Record<ReturnType<typeof kindOf>, string>> = {
  boolean: 'boolean',
  string: 'string',
  list: 'list',
  map: 'map',
  node: 'node',
  edge: 'edge',
  path: 'path',
  date: 'date',
  datetime: 'datetime',
  localdatetime: 'datetime',
  time: 'time',
  localtime: 'time',
  duration: 'duration',
};

/**
 * The type of all non-null values of a column; `number` if several numeric types are mixed, `any` for other mixtures and without values.
 */
export function columnTypeOf(values: readonly CypherValue[]): string {
  const types = new Set(values.filter(value => value !== null).map(typeOf));
  const [first = 'any', ...others] = types;
  if (others.length === 0) return first;
  return [...types].every(type => ['integer', 'float', 'number'].includes(type)) ? 'number' : 'any';
}

function typeOf(value: CypherValue): string {
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return 'float';
  if (value instanceof Decimal) return 'number';
  return columnTypes[kindOf(value)] ?? 'any';
}

/** A lower bound of the bytes that values take in the answer's JSON. Counting stops beyond `most`. */
export function leastBytesOf(values: Iterable<CypherValue>, most: number): number {
  let bytes = 0;
  for (const value of values) {
    if (bytes > most) break;
    bytes += 2;
    if (typeof value === 'string') bytes += value.length;
    else if (isList(value)) bytes += leastBytesOf(value, most - bytes);
    else if (isMap(value)) bytes += leastBytesOf(value.values(), most - bytes);
    else if (isGraphValue(value) && value.kind === 'path') bytes += 2 * (value.nodes.length + value.edges.length);
  }
  return bytes;
}

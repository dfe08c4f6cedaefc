import { toExactNumber } from '../../common/json/parse-exact-json.js';
import { type CypherValue, isList, isMap } from '../../cypher/values/cypher-value.js';
import { Decimal } from '../../cypher/values/decimal.js';
import { type AnswerEdge, type AnswerNode } from '../../cypher/values/graph-values.js';
import { temporalText } from '../../cypher/values/temporal/temporal-text.js';
import { kindOf } from '../../cypher/values/value-kind.js';

/** The nodes and edges of an answer as its rows show them, by id. */
export interface ShownElements {
  nodes: ReadonlyMap<number, AnswerNode>;
  edges: ReadonlyMap<number, AnswerEdge>;
}

/**
 * A value as JSON. What JSON cannot hold leaves as a text: integers beyond 2^53, decimals with more digits than a float, NaN, the
 * infinities, and times.
 */
export function toAnswerValue(value: CypherValue, shown: ShownElements): unknown {
  const inner = (each: CypherValue) => toAnswerValue(each, shown);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return toExactNumber(value.toString());
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof Decimal) return toExactNumber(value.isRounded ? roundedText(value) : value.toString());
  if (isList(value)) return value.map(inner);
  if (isMap(value)) return Object.fromEntries([...value].map(([name, each]) => [name, inner(each)]));
  switch (value.kind) {
    case 'node':
      return shown.nodes.get(value.id) ?? null;
    case 'edge':
      return shown.edges.get(value.id) ?? null;
    case 'path':
      return { nodes: value.nodes.map(inner), edges: value.edges.map(inner) };
    default:
      // A time of the source looks as it does there.
      return (value as { source?: string }).source ?? temporalText(value);
  }
}

/** A quotient with the digits of a float, because a text would not be more exact. */
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

/** The type that all values of a column share, or `any`. */
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

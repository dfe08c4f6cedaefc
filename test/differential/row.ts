import { type Element, isElement, keyOf, Path, type Value } from './naive-values.js';
import { type RandomGraph } from './random-graph.js';

/** A row between two clauses: the values of its variables, and the keys of all nodes and edges in the matches behind it. */
export class Row {
  constructor(
    readonly graph: RandomGraph,
    readonly values: ReadonlyMap<string, Value> = new Map(),
    readonly cited: ReadonlySet<string> = new Set(),
  ) {}

  /** Undefined for a variable that is not bound. */
  get(name: string): Value | undefined {
    return this.values.get(name);
  }

  with(name: string, value: Value): Row {
    const elements = elementsIn(value).map(keyOf);
    return new Row(
      this.graph,
      new Map([...this.values, [name, value]]),
      elements.length > 0 ? new Set([...this.cited, ...elements]) : this.cited,
    );
  }
}

function elementsIn(value: Value): Element[] {
  if (Array.isArray(value)) return value.flatMap(elementsIn);
  if (value instanceof Map) return [...value.values()].flatMap(elementsIn);
  if (value instanceof Path) return [...value.nodes, ...value.edges];
  return isElement(value) ? [value] : [];
}

import { type CypherMap, type CypherValue, type EdgeValue, type NodeValue, type PathValue } from '../../src/cypher/values/cypher-value.js';

/**
 * Parses a value in the notation of the TCK: `(:A {num: 1})`, `[:T]`, `<(:A)-[:T]->(:B)>`, `'text'`, `[1, null]`, `{a: 1.0}`. In a path,
 * the ids of nodes give the directions of its edges. All other ids have no meaning.
 */
export function readTckValue(text: string): CypherValue {
  const reader = new ValueReader(text);
  const value = reader.value();
  if (!reader.atEnd()) throw reader.unreadable();
  return value;
}

class ValueReader {
  private at = 0;
  private lastId = 0;

  constructor(private readonly text: string) {}

  atEnd(): boolean {
    return this.text.slice(this.at).trim() === '';
  }

  unreadable(): Error {
    return new Error(`not a TCK value: ${this.text}`);
  }

  value(): CypherValue {
    const word = this.take(/null\b|true\b|false\b|NaN\b|-?Inf\b/y);
    if (word !== null) return wordValues[word] ?? null;
    const float = this.take(/-?(?:\d+\.\d+(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)/y);
    if (float !== null) return Number(float);
    const integer = this.take(/-?\d+/y);
    if (integer !== null) return BigInt(integer);
    const string = this.take(/'(?:[^'\\]|\\.)*'/y);
    if (string !== null) return string.slice(1, -1).replace(/\\(.)/g, '$1');
    if (this.take(/</y) !== null) return this.path();
    if (this.take(/\(/y) !== null) return this.node();
    if (this.take(/\[(?=:)/y) !== null) return this.edge(0, 0);
    if (this.take(/\[/y) !== null) return this.items(']', () => this.value());
    if (this.take(/\{/y) !== null) return this.map();
    throw this.unreadable();
  }

  private path(): PathValue {
    this.expect(/\(/y);
    const nodes = [this.node()];
    const edges: EdgeValue[] = [];
    while (this.take(/>/y) === null) {
      const pointsLeft = this.take(/<-\[/y) !== null;
      if (!pointsLeft) this.expect(/-\[/y);
      const left = nodes.at(-1)?.id ?? 0;
      const right = left + 1;
      edges.push(pointsLeft ? this.edge(right, left) : this.edge(left, right));
      this.expect(pointsLeft ? /-\(/y : /->\(/y);
      nodes.push({ ...this.node(), id: right });
    }
    return { kind: 'path', nodes, edges };
  }

  private node(): NodeValue {
    const labels: string[] = [];
    for (let label = this.take(/:\w+/y); label !== null; label = this.take(/:\w+/y)) labels.push(label.slice(1));
    const properties = this.properties();
    this.expect(/\)/y);
    return { kind: 'node', id: this.nextId(), labels, properties };
  }

  private edge(source: number, target: number): EdgeValue {
    const type = this.expect(/:\w+/y).slice(1);
    const properties = this.properties();
    this.expect(/\]/y);
    return { kind: 'edge', id: this.nextId(), type, source, target, properties };
  }

  private properties(): CypherMap {
    return this.take(/\{/y) === null ? new Map() : this.map();
  }

  private map(): CypherMap {
    return new Map(
      this.items('}', () => {
        const key = this.expect(/`[^`]+`|[^\s:`]+/y);
        this.expect(/:/y);
        return [key.replaceAll('`', ''), this.value()] as const;
      }),
    );
  }

  private items<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    const end = new RegExp(`\\${close}`, 'y');
    if (this.take(end) !== null) return items;
    do items.push(item());
    while (this.take(/,/y) !== null);
    this.expect(end);
    return items;
  }

  private nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  private expect(pattern: RegExp): string {
    const found = this.take(pattern);
    if (found === null) throw this.unreadable();
    return found;
  }

  /** Skips spaces and consumes what the pattern matches. Returns null if it does not match. */
  private take(pattern: RegExp): string | null {
    const space = /\s*/y;
    space.lastIndex = this.at;
    pattern.lastIndex = this.at + (space.exec(this.text)?.[0].length ?? 0);
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) return null;
    this.at = pattern.lastIndex;
    return found;
  }
}

const wordValues: Record<string, CypherValue> = {
  null: null,
  true: true,
  false: false,
  NaN: Number.NaN,
  Inf: Number.POSITIVE_INFINITY,
  '-Inf': Number.NEGATIVE_INFINITY,
};

import { type Dice } from '../support/dice.js';
import { isElement, type Value } from './naive-values.js';
import { type Row } from './row.js';

/** An expression as Cypher text and as a function. */
export interface Expression {
  text: string;
  /** @throws NaiveError */
  run: (row: Row) => Value;
}

/**
 * The kinds of values. `list` contains texts, `integers` integers, and `elements` nodes or edges. `bag` is a list in undefined order. `map`
 * contains texts and integers.
 */
export type Kind =
  'string' | 'integer' | 'float' | 'decimal' | 'boolean' | 'day' | 'list' | 'integers' | 'elements' | 'bag' | 'map' | 'any';

/** The kinds whose values can be keys for grouping and sorting: the test recognizes all values of these kinds that are equal. */
export type PlainKind = 'string' | 'integer' | 'float' | 'decimal' | 'boolean' | 'day';
export const plainKinds: readonly PlainKind[] = ['string', 'integer', 'float', 'decimal', 'boolean', 'day'];

export interface BoundElement {
  name: string;
  kind: 'node' | 'edge';
  /** The labels or types that it may have. */
  names: string[];
}

export type Bound =
  | BoundElement
  /** `isAnyOfMany`: the query may return any one of several shortest paths. All have the same length. */
  | { name: string; kind: 'path'; isAnyOfMany: boolean }
  | { name: string; kind: 'value'; of: Kind; /** The kind of the items of a bag. */ items?: PlainKind };

/** The properties of each label and type. */
export const propertyKinds: Record<string, Partial<Record<string, Kind>>> = {
  A: { id: 'integer', s: 'string', i: 'integer', big: 'integer', d: 'decimal', f: 'float', t: 'boolean', day: 'day', l: 'list', j: 'any', m: 'integer' }, // prettier-ignore
  B: { id: 'string', s: 'string', i: 'integer', d: 'decimal', m: 'string' },
  R: { id: 'integer', w: 'integer', f: 'float' },
  S: { id: 'integer', w: 'integer', s: 'string' },
  T: { id: 'integer' },
};

/** The variables that a query has bound so far, and its parameters. */
export class Scope {
  readonly parameters: Record<string, Value> = {};
  bound: Bound[] = [];
  private count = 0;

  constructor(
    readonly dice: Dice,
    /** Whether the query may use expressions that only the memory executor supports. */
    readonly isRich: boolean,
  ) {}

  /** Returns a new name, which nothing else in the query has. */
  name = (prefix: string): string => `${prefix}${this.count++}`;

  bindElement(kind: 'node' | 'edge', names: string[]): string {
    const name = this.name(kind === 'node' ? 'n' : 'r');
    this.bound.push({ name, kind, names: names.length > 0 ? names : kind === 'node' ? ['A', 'B'] : ['R', 'S', 'T'] });
    return name;
  }

  get elements(): BoundElement[] {
    return this.bound.flatMap(each => (each.kind === 'node' || each.kind === 'edge' ? [each] : []));
  }

  get nodes(): BoundElement[] {
    return this.elements.filter(({ kind }) => kind === 'node');
  }

  valuesOf(kind: Kind): (Bound & { kind: 'value' })[] {
    return this.bound.filter(each => each.kind === 'value').filter(each => each.of === kind);
  }

  /** Runs `make`, and removes the variables that it binds afterwards. */
  inside<T>(make: () => T): T {
    const before = this.bound;
    this.bound = [...before];
    try {
      return make();
    } finally {
      this.bound = before;
    }
  }
}

export function propertyOf(value: Value | undefined, name: string): Value {
  if (value == null) return null;
  if (value instanceof Map) return value.get(name) ?? null;
  if (!isElement(value)) throw new Error(`The test reads ${name} of a value that has none`);
  return value.properties.get(name) ?? null;
}

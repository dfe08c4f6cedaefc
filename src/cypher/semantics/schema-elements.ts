import { nearestName } from '../../text/nearest-name.js';
import { spend } from '../syntax/effort.js';
import { wordOf } from '../values/value-type.js';
import { type PropertySchema } from './graph-schema.js';

/** A property of a query under its stored name. `known` is false when no element carries it. */
export interface ResolvedProperty {
  name: string;
  /** The mapping's word for its type, without a scale and with `bigint` for all integers; '' if no element carries it, null if they disagree. */
  word: string | null;
  /** Whether some element may hold a date or a date-time. */
  mayBeTime: boolean;
  /** Whether some element may hold a value of a type that SQL would take for a text or for plain JSON, such as a duration. */
  inMemory: boolean;
  known: boolean;
  /** Whether it has another name in some labels or types than in others. */
  varies: boolean;
}

/** SQL reads or shows values of these types as memory does. */
const wordsOfSql = new Set([
  'string',
  'bigint',
  'float',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'json',
  'mixed',
  'string[]',
  'bigint[]',
]);

export interface Element {
  names: string[];
  properties: PropertySchema[];
}

/** Labels, or types of edges. Look-ups are kept, since they are the same for all queries. */
export class Elements<E extends Element> {
  private readonly elements = new Map<string, E>();
  private readonly single = new Map<string, IndexedProperties>();
  private anyCase: Map<string, string> | null = null;
  private whole: IndexedProperties | null = null;

  /** The element with this name, which begins as `made` if it is new. */
  at(name: string, made: () => E): E {
    const element = this.elements.get(name) ?? made();
    this.elements.set(name, element);
    return element;
  }

  get(name: string): E | undefined {
    return this.elements.get(name);
  }

  entries(): Iterable<[string, E]> {
    return this.elements;
  }

  get canonicalNames(): string[] {
    return [...this.elements.keys()];
  }

  /** The element with this name or alias, or null. */
  find(name: string): string | null {
    if (this.elements.has(name)) return name;
    if (this.anyCase === null) {
      this.anyCase = new Map();
      for (const [canonical, { names }] of this.elements)
        for (const each of names) if (!this.anyCase.has(each.toLowerCase())) this.anyCase.set(each.toLowerCase(), canonical);
    }
    return this.anyCase.get(name.toLowerCase()) ?? null;
  }

  nearest(name: string): string | null {
    return nearestName(name, this.allNames());
  }

  /** The properties of all elements together. */
  get all(): Properties {
    return (this.whole ??= new IndexedProperties(this.elements.values()));
  }

  /** The properties of some elements. */
  of(names: readonly string[]): Properties {
    return names.length === 1 ? this.one(names[0]!) : new JoinedProperties(names.map(name => this.one(name)));
  }

  private one(name: string): IndexedProperties {
    const element = this.elements.get(name);
    if (!element) return noProperties;
    const properties = this.single.get(name) ?? new IndexedProperties([element]);
    this.single.set(name, properties);
    return properties;
  }

  private *allNames(): Iterable<string> {
    for (const { names } of this.elements.values()) yield* names;
  }
}

export interface Properties {
  /** Finds a property by its name, else by its source column. */
  resolve(name: string): ResolvedProperty;
  nearest(name: string): string | null;
}

/** The properties of some elements by their names and by their source columns. */
class IndexedProperties implements Properties {
  readonly byName = new Map<string, PropertySchema[]>();
  readonly byColumn = new Map<string, PropertySchema[]>();
  private readonly resolved = new Map<string, ResolvedProperty>();

  constructor(elements: Iterable<Element>) {
    for (const { properties } of elements)
      for (const property of properties) {
        add(this.byName, property.name, property);
        if (property.column !== undefined) add(this.byColumn, property.column, property);
      }
  }

  resolve(name: string): ResolvedProperty {
    const known = this.resolved.get(name);
    if (known) return known;
    const property = resolve(name, this.byColumn.get(name) ?? [], each => this.byName.get(each) ?? []);
    // A query may ask for any number of unknown names, so these are not kept.
    if (property.known) this.resolved.set(name, property);
    return property;
  }

  nearest(name: string): string | null {
    return nearestName(name, this.byName.keys());
  }
}

const noProperties = new IndexedProperties([]);

/** The properties of several elements that a query names. */
class JoinedProperties implements Properties {
  constructor(private readonly parts: readonly IndexedProperties[]) {}

  resolve(name: string): ResolvedProperty {
    spend(3 * this.parts.length);
    const aliased = this.parts.flatMap(({ byColumn }) => byColumn.get(name) ?? []);
    return resolve(name, aliased, each => this.parts.flatMap(({ byName }) => byName.get(each) ?? []));
  }

  nearest(name: string): string | null {
    return nearestName(name, this.names());
  }

  /** Each name once. */
  private *names(): Iterable<string> {
    const seen = new Set<string>();
    for (const { byName } of this.parts)
      for (const name of byName.keys()) {
        if (seen.has(name)) continue;
        seen.add(name);
        yield name;
      }
  }
}

function add(index: Map<string, PropertySchema[]>, name: string, property: PropertySchema): void {
  const known = index.get(name);
  if (known) known.push(property);
  else index.set(name, [property]);
}

/** @param aliased the properties of which the name is the source column */
function resolve(name: string, aliased: readonly PropertySchema[], named: (name: string) => readonly PropertySchema[]): ResolvedProperty {
  const first = named(name)[0] ?? aliased[0];
  if (!first) return { name, word: '', mayBeTime: false, inMemory: false, known: false, varies: false };
  if (aliased.some(other => other.name !== first.name))
    return { name, word: null, mayBeTime: true, inMemory: true, known: true, varies: true };
  const words = new Set(named(first.name).map(({ type }) => wordOf(type)));
  const mayBeTime = words.has('date') || words.has('datetime');
  const inMemory = [...words].some(word => !wordsOfSql.has(word));
  return { name: first.name, word: words.size === 1 ? wordOf(first.type) : null, mayBeTime, inMemory, known: true, varies: false };
}

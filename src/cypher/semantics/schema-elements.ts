import { nearestName } from '../../text/nearest-name.js';
import { spend } from '../syntax/effort.js';
import { wordOf } from '../values/value-type.js';
import { type PropertySchema } from './graph-schema.js';

/** A property that a query names, under its stored name. `known` is false when no label or type has it. */
export interface ResolvedProperty {
  name: string;
  /**
   * The mapping's word for the type of the property, without a scale and with `bigint` for all integers; '' if no label or type has the
   * property, null if they declare different types.
   */
  word: string | null;
  /** Whether the property of some label or type may be a date or a date-time. */
  mayBeTime: boolean;
  /**
   * Whether some label or type may store a value, such as a duration, that SQL would read as a text or as plain JSON. The query then runs
   * in memory.
   */
  inMemory: boolean;
  known: boolean;
  /** Whether the property has different names in different labels or types. */
  varies: boolean;
}

/** The mapping's words for types whose values SQL reads and returns exactly as the in-memory executor does. */
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

/** The labels of a graph, or its edge types. Results of look-ups are cached, since they are the same for all queries. */
export class Elements<E extends Element> {
  private readonly elements = new Map<string, E>();
  private readonly single = new Map<string, IndexedProperties>();
  private anyCase: Map<string, string> | null = null;
  private whole: IndexedProperties | null = null;

  /** The label or type with this name. A new one is made by `made` and added. */
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

  /** The name of the label or type that has this name or alias; null if there is none. */
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

  /** The properties of all labels or types together. */
  get all(): Properties {
    return (this.whole ??= new IndexedProperties(this.elements.values()));
  }

  /** The properties of the labels or types with these names, together. */
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
  /** Finds a property by its name, or else by the name of its source column. */
  resolve(name: string): ResolvedProperty;
  nearest(name: string): string | null;
}

/** The properties of some labels or types, by their names and by their source columns. */
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
    // A query may ask for any number of unknown names, so the results for unknown names are not kept.
    if (property.known) this.resolved.set(name, property);
    return property;
  }

  nearest(name: string): string | null {
    return nearestName(name, this.byName.keys());
  }
}

const noProperties = new IndexedProperties([]);

/** The properties of several labels or types that a query names. */
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

  /** Yields the name of each property once. */
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

/** @param aliased the properties whose source column has this name */
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

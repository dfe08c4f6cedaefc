import { nearestName } from '../../text/nearest-name.js';
import { type StoredNames } from '../syntax/cypher-ast.js';
import { wordOf } from '../values/value-type.js';
import { type GraphSchema, type LabelSchema, type PropertySchema } from './graph-schema.js';

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

interface Element {
  names: string[];
  properties: PropertySchema[];
}

/** The properties of some elements by their names and by their source columns. */
interface Properties {
  byName: Map<string, PropertySchema[]>;
  byColumn: Map<string, PropertySchema[]>;
}

/** Look-ups over a GraphSchema. Exact names come first, then names in any case. Aliases count like names. */
export class SchemaIndex {
  private readonly labels: Map<string, Element & Pick<LabelSchema, 'keyProperties'>>;
  /** The labels that nodes may carry besides the label of their key. */
  private readonly furtherLabels = new Set<string>();
  private readonly types = new Map<string, Element & { ends: { source: string; target: string }[] }>();
  /** By the list that names their elements: a query asks for many properties of one list, which may have tens of thousands. */
  private readonly properties = new Map<string[], Properties>();
  /** The labels of keys, of which each node has one. */
  readonly labelNames: string[];
  private readonly typeNames: string[];

  private readonly stored = new Map<string, StoredNames | undefined>();

  constructor(private readonly schema: GraphSchema) {
    this.labels = new Map(schema.labels.map(label => [label.name, { ...label, names: [label.name, ...label.aliases] }]));
    this.labelNames = [...this.labels.keys()];
    for (const label of schema.labels) this.addFurtherLabels(label);
    for (const edge of schema.edges) {
      const known = this.types.get(edge.type);
      this.types.set(edge.type, {
        names: [edge.type, ...(known?.names ?? []), ...edge.aliases],
        properties: [...(known?.properties ?? []), ...edge.properties],
        ends: [...(known?.ends ?? []), { source: edge.sourceLabel, target: edge.targetLabel }],
      });
    }
    this.typeNames = [...this.types.keys()];
  }

  /** A further label has the properties of all nodes that may carry it. Its nodes have no key in common. */
  private addFurtherLabels({ properties, furtherLabels = [] }: LabelSchema): void {
    for (const { name, aliases } of furtherLabels) {
      const known = this.labels.get(name);
      this.labels.set(name, {
        names: [name, ...(known?.names ?? []), ...aliases],
        properties: [...(known?.properties ?? []), ...properties],
        keyProperties: [],
      });
      this.furtherLabels.add(name);
    }
  }

  get isEmpty(): boolean {
    return this.labels.size === 0;
  }

  hasLabel(name: string): boolean {
    return this.labels.has(name);
  }

  /** Tells whether nodes may carry the label besides another one, which is that of their key. */
  isFurtherLabel(name: string): boolean {
    return this.furtherLabels.has(name);
  }

  /** The label with this name or alias, or null. */
  findLabel(name: string): string | null {
    return findElement(this.labels, name);
  }

  findType(name: string): string | null {
    return findElement(this.types, name);
  }

  nearestLabel(name: string): string | null {
    return nearestName(name, namesOf(this.labels));
  }

  nearestType(name: string): string | null {
    return nearestName(name, namesOf(this.types));
  }

  /** Labels at one end of the types. Null when a type is unknown or none is given. */
  labelsAt(end: 'source' | 'target', types: string[]): string[] | null {
    if (types.length === 0) return null;
    const labels = new Set<string>();
    for (const type of types) {
      const element = this.types.get(type);
      if (!element) return null;
      for (const ends of element.ends) labels.add(ends[end]);
    }
    return [...labels];
  }

  /** The properties that hold the key of a label, in key order. Null when they are unknown or not all mapped. */
  keyProperties(label: string): ResolvedProperty[] | null {
    const element = this.labels.get(label);
    if (!element || element.keyProperties.length === 0 || element.keyProperties.includes('')) return null;
    return element.keyProperties.map(name => resolve(name, this.propertiesOf(this.labels, [label])));
  }

  nodeProperty(name: string, labels: string[]): ResolvedProperty {
    return resolve(name, this.propertiesOf(this.labels, labels));
  }

  edgeProperty(name: string, types: string[]): ResolvedProperty {
    return resolve(name, this.propertiesOf(this.types, types.length === 0 ? this.typeNames : types));
  }

  nearestNodeProperty(name: string, labels: string[]): string | null {
    return nearestName(name, this.propertiesOf(this.labels, labels).byName.keys());
  }

  nearestEdgeProperty(name: string, types: string[]): string | null {
    return nearestName(name, this.propertiesOf(this.types, types).byName.keys());
  }

  /** The stored names of a property in those labels and types where it is known by its source column alone. Undefined if there are none. */
  storedNames(name: string): StoredNames | undefined {
    if (!this.stored.has(name)) this.stored.set(name, this.findStoredNames(name));
    return this.stored.get(name);
  }

  private findStoredNames(name: string): StoredNames | undefined {
    const nodes = new Map(this.schema.labels.flatMap(label => storedName(label.name, label.properties, name)));
    const edges = new Map([...this.types].flatMap(([type, { properties }]) => storedName(type, properties, name)));
    return nodes.size + edges.size > 0 ? { nodes, edges } : undefined;
  }

  private propertiesOf(elements: Map<string, Element>, names: string[]): Properties {
    const known = this.properties.get(names) ?? indexProperties(elementsOf(elements, names));
    this.properties.set(names, known);
    return known;
  }
}

function elementsOf<E extends Element>(elements: Map<string, E>, names: string[]): E[] {
  return names.map(name => elements.get(name)).filter(element => element !== undefined);
}

/** None where edges of one type disagree, and where the name is a property itself. */
function storedName(owner: string, properties: PropertySchema[], name: string): [string, string][] {
  const names = new Set(properties.filter(property => property.column === name).map(property => property.name));
  return names.size === 1 && !properties.some(property => property.name === name) ? [[owner, [...names][0]!]] : [];
}

function namesOf(elements: Map<string, Element>): string[] {
  return [...elements.values()].flatMap(element => [...element.names]);
}

function findElement(elements: Map<string, Element>, name: string): string | null {
  if (elements.has(name)) return name;
  const lower = name.toLowerCase();
  for (const [canonical, element] of elements) {
    for (const known of element.names) if (known.toLowerCase() === lower) return canonical;
  }
  return null;
}

function indexProperties(elements: Element[]): Properties {
  const [byName, byColumn] = [new Map<string, PropertySchema[]>(), new Map<string, PropertySchema[]>()];
  const add = (index: Map<string, PropertySchema[]>, name: string, property: PropertySchema) => {
    const known = index.get(name);
    if (known) known.push(property);
    else index.set(name, [property]);
  };
  for (const { properties } of elements)
    for (const property of properties) {
      add(byName, property.name, property);
      if (property.column !== undefined) add(byColumn, property.column, property);
    }
  return { byName, byColumn };
}

/** Finds a property by its name, else by its source column. */
function resolve(name: string, { byName, byColumn }: Properties): ResolvedProperty {
  const aliased = byColumn.get(name) ?? [];
  const [first] = byName.get(name) ?? aliased;
  if (!first) return { name, word: '', mayBeTime: false, inMemory: false, known: false, varies: false };
  if (aliased.some(other => other.name !== first.name))
    return { name, word: null, mayBeTime: true, inMemory: true, known: true, varies: true };
  const words = new Set((byName.get(first.name) ?? []).map(({ type }) => wordOf(type)));
  const mayBeTime = words.has('date') || words.has('datetime');
  const inMemory = [...words].some(word => !wordsOfSql.has(word));
  return { name: first.name, word: words.size === 1 ? wordOf(first.type) : null, mayBeTime, inMemory, known: true, varies: false };
}

import { nearestName } from '../../text/nearest-name.js';
import { type ValueType } from '../values/value-type.js';
import { type GraphSchema, type LabelSchema, type PropertySchema } from './graph-schema.js';

/** A property of a query: its stored name and the type of its values. `known` is false when no element carries it. `inMemory`: SQL does not know its values. */
export interface ResolvedProperty {
  name: string;
  type: ValueType;
  known: boolean;
  inMemory: boolean;
}

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
  /** For each further label, the labels of the keys of the nodes that may carry it. */
  readonly carriers: ReadonlyMap<string, string[]>;
  private readonly types = new Map<string, Element & { ends: { source: string; target: string }[] }>();
  /** By the list that names their elements: a query asks for many properties of one list, which may have tens of thousands. */
  private readonly properties = new Map<string[], Properties>();
  /** The labels of keys, of which each node has one. */
  readonly labelNames: string[];
  private readonly typeNames: string[];

  constructor(schema: GraphSchema) {
    this.labels = new Map(schema.labels.map(label => [label.name, { ...label, names: [label.name, ...label.aliases] }]));
    this.labelNames = [...this.labels.keys()];
    this.carriers = this.addFurtherLabels(schema.labels);
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
  private addFurtherLabels(labels: LabelSchema[]): Map<string, string[]> {
    const carriers = new Map<string, string[]>();
    for (const { name: carrier, properties, furtherLabels = [] } of labels) {
      for (const { name, aliases } of furtherLabels) {
        const known = this.labels.get(name);
        this.labels.set(name, {
          names: [name, ...(known?.names ?? []), ...aliases],
          properties: [...(known?.properties ?? []), ...properties],
          keyProperties: [],
        });
        carriers.set(name, [...(carriers.get(name) ?? []), carrier]);
      }
    }
    return carriers;
  }

  get isEmpty(): boolean {
    return this.labels.size === 0;
  }

  /** Tells whether any node or edge has a property that only memory knows. */
  get hasValuesOfMemory(): boolean {
    return [...this.labels.values(), ...this.types.values()].some(({ properties }) => properties.some(({ type }) => isInMemory(type)));
  }

  hasLabel(name: string): boolean {
    return this.labels.has(name);
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

  private propertiesOf(elements: Map<string, Element>, names: string[]): Properties {
    const known = this.properties.get(names) ?? indexProperties(elementsOf(elements, names));
    this.properties.set(names, known);
    return known;
  }
}

function elementsOf<E extends Element>(elements: Map<string, E>, names: string[]): E[] {
  return names.map(name => elements.get(name)).filter(element => element !== undefined);
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

/** Finds a property by its name, else by its source column. Its type is `any` if elements disagree. */
function resolve(name: string, { byName, byColumn }: Properties): ResolvedProperty {
  const [first, ...others] = byName.get(name) ?? byColumn.get(name) ?? [];
  if (!first) return { name, type: 'any', known: false, inMemory: false };
  const inMemory = [first, ...others].some(property => isInMemory(property.type));
  if (others.some(other => other.name !== first.name)) return { name, type: 'any', known: true, inMemory };
  const type = valueTypeOf(first.type);
  return { name: first.name, type: others.every(other => valueTypeOf(other.type) === type) ? type : 'any', known: true, inMemory };
}

/** The mapping's word for a type, without the digits of a decimal. */
export function wordOf(mappingType: string): string {
  return mappingType
    .replace(/\([^)]*\)/, '')
    .trim()
    .toLowerCase();
}

const typesOfMemory = new Set(['time', 'timetz', 'localdatetime', 'duration', 'map']);
const listsOfSql = new Set(['string[]', 'int[]']);

/** Tells whether SQL would take values of the type for something else, such as a duration for a text. */
export function isInMemory(mappingType: string): boolean {
  const word = wordOf(mappingType);
  return typesOfMemory.has(word) || (word.endsWith('[]') && !listsOfSql.has(word));
}

/** The value type for the mapping's word. */
export function valueTypeOf(mappingType: string): ValueType {
  const word = wordOf(mappingType);
  if (word.endsWith('[]')) return 'list';
  switch (word) {
    case 'int':
    case 'bigint':
      return 'integer';
    case 'decimal':
    case 'float':
      return 'float';
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'string';
    case 'date':
      return 'date';
    case 'datetime':
      return 'datetime';
    default:
      return 'any';
  }
}

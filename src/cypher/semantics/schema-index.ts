import { type StoredNames } from '../syntax/cypher-ast.js';
import { spend } from '../syntax/effort.js';
import { type GraphSchema, type LabelSchema, type PropertySchema } from './graph-schema.js';
import { type Element, Elements, type Properties, type ResolvedProperty } from './schema-elements.js';

type Label = Element & Pick<LabelSchema, 'keyProperties'>;

interface EdgeType extends Element {
  /** The labels of the nodes at the two ends of edges of this type. */
  source: Set<string>;
  target: Set<string>;
}

/** Look-ups over a GraphSchema. A name or alias is looked up as written, and if that fails, ignoring case. */
export class SchemaIndex {
  private static readonly known = new WeakMap<GraphSchema, SchemaIndex>();

  private readonly labels = new Elements<Label>();
  private readonly types = new Elements<EdgeType>();
  /** Labels that nodes may carry in addition to the label of their key. */
  private readonly furtherLabels = new Set<string>();
  /** The labels of keys. Each node has exactly one of them. Passing this very array as `labels` means any node. */
  readonly labelNames: string[];
  private stored: ReadonlyMap<string, StoredNames> | null = null;

  /** The index of a schema, which is built once for each schema object. */
  static of(schema: GraphSchema): SchemaIndex {
    const index = SchemaIndex.known.get(schema) ?? new SchemaIndex(schema);
    SchemaIndex.known.set(schema, index);
    return index;
  }

  private constructor(private readonly schema: GraphSchema) {
    for (const { name, aliases, keyProperties, properties } of schema.labels)
      this.labels.at(name, () => ({ names: [name, ...aliases], properties: [...properties], keyProperties }));
    this.labelNames = this.labels.canonicalNames;
    for (const label of schema.labels) this.addFurtherLabels(label);
    for (const { type, aliases, properties, sourceLabel, targetLabel } of schema.edges) {
      const known = this.types.at(type, () => ({ names: [type], properties: [], source: new Set(), target: new Set() }));
      pushAll(known.names, aliases);
      pushAll(known.properties, properties);
      known.source.add(sourceLabel);
      known.target.add(targetLabel);
    }
  }

  /**
   * Adds the further labels of a label. A further label has the properties of all nodes that may carry it. It has no key properties,
   * because its nodes have no key in common.
   */
  private addFurtherLabels({ properties, furtherLabels = [] }: LabelSchema): void {
    for (const { name, aliases } of furtherLabels) {
      const known = this.labels.at(name, () => ({ names: [name], properties: [], keyProperties: [] }));
      known.keyProperties = [];
      pushAll(known.names, aliases);
      pushAll(known.properties, properties);
      this.furtherLabels.add(name);
    }
  }

  get isEmpty(): boolean {
    return this.labelNames.length === 0;
  }

  hasLabel(name: string): boolean {
    return this.labels.get(name) !== undefined;
  }

  /** Whether nodes may carry this label in addition to the label of their key. */
  isFurtherLabel(name: string): boolean {
    return this.furtherLabels.has(name);
  }

  /** The name of the label that has this name or alias; null if there is none. */
  findLabel(name: string): string | null {
    return this.labels.find(name);
  }

  findType(name: string): string | null {
    return this.types.find(name);
  }

  nearestLabel(name: string): string | null {
    return this.labels.nearest(name);
  }

  nearestType(name: string): string | null {
    return this.types.nearest(name);
  }

  /** The labels at one end of edges of these types. Null when a type is unknown, or when `types` is empty. */
  labelsAt(end: 'source' | 'target', types: string[]): string[] | null {
    if (types.length === 0) return null;
    const labels = new Set<string>();
    for (const type of types) {
      const element = this.types.get(type);
      if (!element) return null;
      spend(2 * element[end].size);
      for (const label of element[end]) labels.add(label);
    }
    return [...labels];
  }

  /** The properties that hold the key of a label, in key order. Null when the key is unknown or a part of the key has no property. */
  keyProperties(label: string): ResolvedProperty[] | null {
    const element = this.labels.get(label);
    if (!element || element.keyProperties.length === 0 || element.keyProperties.includes('')) return null;
    return element.keyProperties.map(name => this.nodeProperty(name, [label]));
  }

  nodeProperty(name: string, labels: string[]): ResolvedProperty {
    return this.ofLabels(labels).resolve(name);
  }

  edgeProperty(name: string, types: string[]): ResolvedProperty {
    return this.ofTypes(types).resolve(name);
  }

  nearestNodeProperty(name: string, labels: string[]): string | null {
    return this.ofLabels(labels).nearest(name);
  }

  nearestEdgeProperty(name: string, types: string[]): string | null {
    return this.ofTypes(types).nearest(name);
  }

  /**
   * The stored names of a property, for those labels and types in which the given name is only the source column of the property. Undefined
   * if there are none.
   */
  storedNames(name: string): StoredNames | undefined {
    this.stored ??= this.namesByColumn();
    return this.stored.get(name);
  }

  private namesByColumn(): ReadonlyMap<string, StoredNames> {
    const found = new Map<string, { nodes: Map<string, string>; edges: Map<string, string> }>();
    const note = (kind: 'nodes' | 'edges', owner: string, properties: PropertySchema[]): void => {
      for (const [column, name] of namesOfColumns(properties)) {
        const names = found.get(column) ?? { nodes: new Map<string, string>(), edges: new Map<string, string>() };
        names[kind].set(owner, name);
        found.set(column, names);
      }
    };
    for (const { name, properties } of this.schema.labels) note('nodes', name, properties);
    for (const [type, { properties }] of this.types.entries()) note('edges', type, properties);
    return found;
  }

  private ofLabels(labels: string[]): Properties {
    return labels === this.labelNames ? this.labels.all : this.labels.of(labels);
  }

  private ofTypes(types: string[]): Properties {
    return types.length === 0 ? this.types.all : this.types.of(types);
  }
}

/**
 * The names of the properties of one label or edge type, by their source columns. A column is left out if it is the source of two
 * properties, or if a property has the column's name.
 */
function namesOfColumns(properties: readonly PropertySchema[]): Map<string, string> {
  const names = new Set(properties.map(({ name }) => name));
  const found = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const { name, column } of properties) {
    if (column === undefined || names.has(column)) continue;
    if ((found.get(column) ?? name) !== name) ambiguous.add(column);
    found.set(column, name);
  }
  for (const column of ambiguous) found.delete(column);
  return found;
}

function pushAll<T>(list: T[], more: readonly T[]): void {
  for (const each of more) list.push(each);
}

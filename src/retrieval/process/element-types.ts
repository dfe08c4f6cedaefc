import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type Topology } from '../../graph-index/topology.js';
import { type GraphElements } from './graph-elements.js';
import { type PropertyTypes, propertyTypesOf } from './source-values.js';

/** The types of properties by the number of a label set or of an edge type. Sets with one key label share theirs. */
export interface ElementTypes {
  nodes: readonly PropertyTypes[];
  edges: readonly PropertyTypes[];
}

type Names = Pick<Topology, 'labelSets' | 'types'>;

/** Types of elements that the schema does not know, such as stubs. */
export const noTypes: PropertyTypes = new Map();
/** All queries on a version share its topology and its schema. */
const kept = new WeakMap<Names, { schema: GraphElements; types: ElementTypes }>();

export function elementTypesOf(topology: Names, schema: GraphElements): ElementTypes {
  const known = kept.get(topology);
  if (known?.schema === schema) return known.types;
  const ofLabels = new Map(schema.labels.map(({ name, properties }) => [name, propertyTypesOf(properties)]));
  const ofEdges = new Map<string, PropertySchema[]>(topology.types.map(type => [type, []]));
  for (const { type, properties } of schema.edges) ofEdges.get(type)?.push(...properties);
  const types = {
    nodes: topology.labelSets.map(([key]) => ofLabels.get(key!) ?? noTypes),
    edges: topology.types.map(type => propertyTypesOf(ofEdges.get(type)!)),
  };
  kept.set(topology, { schema, types });
  return types;
}

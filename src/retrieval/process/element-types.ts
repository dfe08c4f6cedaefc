import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type Topology } from '../../graph-index/topology.js';
import { type GraphElements } from './graph-elements.js';
import { type PropertyTypes, propertyTypesOf } from './source-values.js';

/**
 * Types of properties: `nodes` is indexed by the number of the label set, `edges` by the number of the edge type. Label sets with the same
 * key label share one object.
 */
export interface ElementTypes {
  nodes: readonly PropertyTypes[];
  edges: readonly PropertyTypes[];
}

type Names = Pick<Topology, 'labelSets' | 'types'>;

/** The property types of elements that the schema does not contain, such as stubs. */
export const noTypes: PropertyTypes = new Map();
/** The types for each topology, computed once: all queries on a version share its topology and its schema. */
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

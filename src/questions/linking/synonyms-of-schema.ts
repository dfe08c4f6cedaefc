import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { type MetricEntry, type Synonym, type SynonymKind } from '../vocabulary.js';

/** Gives labels, relations, properties, metrics and dimensions their synonyms as aliases. */
export function withSynonyms<S extends GraphSchema>(
  schema: S,
  metrics: MetricEntry[],
  synonyms: readonly Synonym[],
): { schema: S; metrics: MetricEntry[] } {
  if (synonyms.length === 0) return { schema, metrics };
  const known = new Map<string, string[]>();
  for (const { kind, name, synonym } of synonyms) {
    const key = `${kind} ${name}`;
    known.set(key, [...(known.get(key) ?? []), synonym]);
  }
  const of = (kind: SynonymKind, name: string): string[] => known.get(`${kind} ${name}`) ?? [];
  const named = <T extends { aliases: string[] }>(kind: SynonymKind, name: string, element: T): T => {
    const more = of(kind, name);
    return more.length === 0 ? element : { ...element, aliases: [...element.aliases, ...more] };
  };
  const withProperties = <T extends GraphSchema['labels'][number] | GraphSchema['edges'][number]>(element: T): T => ({
    ...element,
    properties: element.properties.map(property => ({ ...property, aliases: of('property', property.name) })),
  });
  return {
    schema: {
      ...schema,
      labels: schema.labels.map(label =>
        withProperties({
          ...named('label', label.name, label),
          ...(label.furtherLabels && { furtherLabels: label.furtherLabels.map(further => named('label', further.name, further)) }),
        }),
      ),
      edges: schema.edges.map(edge => withProperties(named('relation', edge.type, edge))),
    },
    metrics: metrics.map(metric => ({
      ...named('metric', metric.name, metric),
      dimensions: metric.dimensions.map(dimension => named('dimension', dimension.name, dimension)),
    })),
  };
}

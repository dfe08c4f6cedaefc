import { type SearchRequest } from '../../graph-index/search-index.js';
import { cellAt, type PropertyColumn } from '../../graph-index/property-column.js';
import { textAt } from '../../graph-index/stored-texts.js';
import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { indexOf, type Topology } from '../../graph-index/topology.js';
import { nearestName } from '../../text/nearest-name.js';
import { type SearchFilter } from '../protocol.js';
import { UnknownFilterError } from '../retrieval.errors.js';
import { type LoadedElements } from './graph-in-memory.js';
import { type LoadedGraph } from './loaded-graphs.js';

type FilterValue = SearchFilter['where'][string][number];

/** The values that a filter allows for each property, by the property's stored name. @throws UnknownFilterError */
export function propertiesOf({ schema }: LoadedGraph, { where }: SearchFilter): Map<string, FilterValue[]> {
  const properties = schema.labels.flatMap(label => label.properties);
  return new Map(
    Object.entries(where).map(([name, values]) => {
      const found = properties.find(property => property.name === name) ?? properties.find(property => property.column === name);
      if (!found) throw new UnknownFilterError('property', name, nearestName(name, new Set(properties.map(property => property.name))));
      return [found.name, values];
    }),
  );
}

/** The conditions of a filter on the graph's nodes, for a search. `isWanted` is absent without `elements`. @throws UnknownFilterError */
export function readFilter(
  graph: LoadedGraph,
  filter: SearchFilter,
  elements: LoadedElements | null,
): Pick<SearchRequest, 'labels' | 'isWanted'> {
  const labels = filter.labels.map(name => {
    const label = graph.labelNames.get(compactText(normalizeText(name)));
    if (label === undefined)
      throw new UnknownFilterError(
        'label',
        name,
        nearestName(
          name,
          graph.schema.labels.flatMap(each => [each.name, ...each.aliases]),
        ),
      );
    return label;
  });
  const byLabel = labels.length > 0 ? { labels: new Set(labels) } : {};
  if (!elements) return byLabel;
  const { topology, columns } = elements;
  const tests = [...propertiesOf(graph, filter)].map(([name, values]) => testOf(topology, columns.nodes.get(name), values));
  return { ...byLabel, isWanted: id => tests.every(test => test(id)) };
}

/** A predicate on the id of a node: whether the node has one of the values. Each text of the column is parsed once. */
function testOf(topology: Topology, column: PropertyColumn | undefined, values: FilterValue[]): (id: number) => boolean {
  const wanted = new Set<unknown>(values);
  const known = new Map<number, boolean>();
  return id => {
    const place = indexOf(topology.nodeIds, id);
    const cell = column && place >= 0 ? cellAt(column, place) : undefined;
    if (!column || !cell) return false;
    if ('number' in cell) return wanted.has(cell.number);
    let isIn = known.get(cell.text);
    if (isIn === undefined) {
      const value = JSON.parse(textAt(column, cell.text)) as unknown;
      isIn = Array.isArray(value) ? value.some(item => wanted.has(item)) : wanted.has(value);
      known.set(cell.text, isIn);
    }
    return isIn;
  };
}

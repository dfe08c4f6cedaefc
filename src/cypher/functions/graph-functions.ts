import { type CypherMap, type CypherValue, type EdgeValue, isList, isMap, type NodeValue, type PathValue } from '../values/cypher-value.js';
import { spend } from '../syntax/effort.js';
import { isDuration, isTemporal } from '../values/temporal/is-temporal.js';
import { sizeOf } from '../values/value-size.js';
import { ofOne, tableOf, takes, wrongArgument } from './cypher-function.js';

export const graphFunctions = tableOf(
  ofOne('id', value => BigInt(elementArgument('id', value).id)),
  ofOne('elementId', value => String(elementArgument('elementId', value).id)),
  ofOne('labels', value => {
    if (!isGraphValue(value) || value.kind !== 'node') throw wrongArgument('labels', takes.node, value);
    return value.labels;
  }),
  ofOne('type', value => edgeArgument('type', value).type),
  ofOne('properties', value => propertiesArgument('properties', value)),
  ofOne('keys', value => [...propertiesArgument('keys', value).keys()]),
  ofOne('nodes', value => pathArgument('nodes', value).nodes),
  ofOne('relationships', value => pathArgument('relationships', value).edges),
  ofOne('startNode', (value, graph) => graph.nodeById(edgeArgument('startNode', value).source)),
  ofOne('endNode', (value, graph) => graph.nodeById(edgeArgument('endNode', value).target)),
);

export function isGraphValue(value: CypherValue): value is NodeValue | EdgeValue | PathValue {
  if (value === null || typeof value !== 'object' || isList(value) || isMap(value)) return false;
  return 'kind' in value && !isTemporal(value) && !isDuration(value);
}

function elementArgument(name: string, value: CypherValue): NodeValue | EdgeValue {
  if (!isGraphValue(value) || value.kind === 'path') throw wrongArgument(name, takes.element, value);
  return value;
}

function edgeArgument(name: string, value: CypherValue): EdgeValue {
  if (!isGraphValue(value) || value.kind !== 'edge') throw wrongArgument(name, takes.edge, value);
  return value;
}

function pathArgument(name: string, value: CypherValue): PathValue {
  if (!isGraphValue(value) || value.kind !== 'path') throw wrongArgument(name, takes.path, value);
  return value;
}

function propertiesArgument(name: string, value: CypherValue): CypherMap {
  if (isMap(value)) {
    spend(value.size);
    return value;
  }
  if (!isGraphValue(value) || value.kind === 'path') throw wrongArgument(name, takes.propertied, value);
  const { properties } = value;
  spend(sizeOf(properties) >> 3);
  return properties;
}

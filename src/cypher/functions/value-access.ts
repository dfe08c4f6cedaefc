import { type StoredNames } from '../syntax/cypher-ast.js';
import { type CypherValue, type EdgeValue, isList, isMap, type NodeValue } from '../values/cypher-value.js';
import { spend, spendReading } from '../syntax/effort.js';
import { isDuration, isTemporal } from '../values/temporal/is-temporal.js';
import { temporalComponent } from '../values/temporal/temporal-component.js';
import { typeNameOf } from '../values/type-names.js';
import { sizeOf } from '../values/value-size.js';
import { ValueFault } from '../values/value-fault.js';
import { isGraphValue } from './graph-functions.js';

/**
 * `value.name` of a node, relationship, map or time. Null for null, and for a property that a node, relationship or map does not have.
 * @param stored the names under which nodes and edges store the property, where they differ from `name`
 * @throws ValueFault for a component that a time does not have, and for a value of any other kind
 */
export function propertyOf(value: CypherValue, name: string, stored?: StoredNames): CypherValue {
  if (value === null) return null;
  if (isMap(value)) {
    spendReading(name);
    return value.get(name) ?? null;
  }
  if (isGraphValue(value) && value.kind !== 'path') return read(value.properties.get(storedNameOf(value, name, stored)) ?? null);
  if (isTemporal(value) || isDuration(value)) {
    spend(unitsOfTime);
    const component = temporalComponent(value, name);
    if (component !== undefined) return component;
  }
  const { zh, en } = typeNameOf(value);
  throw typeFault('InvalidArgumentType', `${zh}没有属性 ${name}`, `There is no property ${name} of ${en}`);
}

/** The name under which a node or edge stores a property. The label of a node's key is its first label. */
export function storedNameOf(element: NodeValue | EdgeValue, name: string, stored: StoredNames | undefined): string {
  if (!stored) return name;
  return (element.kind === 'node' ? stored.nodes.get(element.labels[0] ?? '') : stored.edges.get(element.type)) ?? name;
}

/** Work units (see `spend`) to read a component of a temporal value, which needs calendar arithmetic. */
const unitsOfTime = 50;

/** Work units to read a property, which may have to be looked up in a column. */
const unitsOfProperty = 12;

/**
 * Charges the work units of reading a property, and returns its value. A long text or list costs more, since it may be parsed from JSON at
 * each read.
 */
function read(value: CypherValue): CypherValue {
  spend(unitsOfProperty);
  if (typeof value === 'string') spend(value.length >> 3);
  else if (isList(value) || isMap(value)) spend(sizeOf(value) >> 4);
  return value;
}

/** `value[index]`: an item of a list, counted from its end if the index is below zero, or a property by name. Null outside of the list. */
export function itemAt(value: CypherValue, index: CypherValue, stored?: StoredNames): CypherValue {
  if (value === null || index === null) return null;
  const { zh, en } = typeNameOf(index);
  if (isList(value)) {
    if (typeof index === 'bigint') return value.at(Number(index)) ?? null;
    throw typeFault('ListElementAccessByNonInteger', `列表的下标须为整数，而非${zh}`, `The index of a list is an integer, not ${en}`);
  }
  if (isMap(value) || isGraphValue(value)) {
    if (typeof index === 'string') return propertyOf(value, index, stored);
    throw typeFault('MapElementAccessByNonString', `属性名须为文本，而非${zh}`, `The name of a property is a string, not ${en}`);
  }
  const type = typeNameOf(value);
  throw typeFault('InvalidArgumentType', `${type.zh}不能以 [] 取值`, `[] does not apply to ${type.en}`);
}

/** `list[from..to]`. An absent bound is undefined, and a bound that is null makes the slice null. */
export function slice(list: CypherValue, from: CypherValue | undefined, to: CypherValue | undefined): CypherValue {
  if (list === null || from === null || to === null) return null;
  if (isList(list)) {
    const items = list.slice(boundOf(from), boundOf(to));
    spend(items.length);
    return items;
  }
  const { zh, en } = typeNameOf(list);
  throw typeFault('InvalidArgumentType', `${zh}不能以 [..] 截取`, `[..] does not apply to ${en}`);
}

function boundOf(bound: NonNullable<CypherValue> | undefined): number | undefined {
  if (bound === undefined || typeof bound === 'bigint') return bound === undefined ? undefined : Number(bound);
  const { zh, en } = typeNameOf(bound);
  throw typeFault('ListElementAccessByNonInteger', `列表的下标须为整数，而非${zh}`, `The index of a list is an integer, not ${en}`);
}

function typeFault(detail: string, zh: string, en: string): ValueFault {
  return new ValueFault('TypeError', detail, { zh, en });
}

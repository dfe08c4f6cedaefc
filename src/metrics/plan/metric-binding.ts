import { type Grain } from '../formula/formula-tree.js';
import { type TablePlace } from '../../warehouse/clients/warehouse.client.js';
import { type ForeignDialect } from '../translate/target-dialect.js';

export interface BoundColumn {
  /** The name in formulas, filters and clauses, in any language, at most 63 bytes (PostgreSQL cuts longer names). */
  name: string;
  /** SQL over the physical tables: `o.amount`. */
  expression: string;
  /** PostgreSQL type, short spelling. */
  type: string;
}

export interface BoundDimension extends BoundColumn {
  aliases: string[];
}

export type TimeType = 'date' | 'timestamp' | 'timestamptz';

export interface BoundTime {
  expression: string;
  type: TimeType;
  /** The IANA zone of naive timestamps, and of periods when the request names none. */
  timezone: string;
  min_grain: Grain;
  week_start: 'monday' | 'sunday';
}

export interface BoundQuery {
  schema: string;
  sql: string;
}

export interface BoundTable {
  alias: string;
  source: TablePlace | BoundQuery;
  /** The columns as the warehouse described them when the binding was made. */
  columns: { name: string; type: string }[];
}

export interface BoundJoin extends BoundTable {
  kind: 'left' | 'inner';
  relationship: 'many_to_one' | 'one_to_one';
  /** Pairs of expressions that must be equal: [fact side, join side]. */
  on: [string, string][];
}

/** The columns of a table that a statement reads. */
export interface TableRead {
  table: BoundTable;
  columns: string[];
}

/** Whether the values of rows may be added up. `auto` leaves it to the functions of a formula, as `additive` does. */
export const additivities = ['auto', 'additive', 'semi_additive', 'non_additive'] as const;
export type Additivity = (typeof additivities)[number];

/** A metric's binding as stored: checked against the real tables, with every name and type written out. */
export interface MetricBinding {
  connection_id: number;
  /** The SQL of the database behind the connection. Absent for PostgreSQL's. */
  dialect?: ForeignDialect;
  fact: BoundTable;
  grain: string[];
  time: BoundTime | null;
  columns: BoundColumn[];
  dimensions: BoundDimension[];
  /** Columns that name the subject of a row, such as its user, for conversions. Absent in bindings stored before they existed. */
  entities?: BoundColumn[];
  joins: BoundJoin[];
  row_filter: string | null;
  /** Absent where it refuses nothing. */
  additivity?: Additivity;
  verified_at: string;
}

/** The columns of a binding by name, found once. A binding may have thousands of names. */
interface BindingIndex {
  named: ReadonlyMap<string, BoundColumn>;
  dimensions: ReadonlyMap<string, BoundColumn>;
  entities: ReadonlyMap<string, BoundColumn>;
}

const indexes = new WeakMap<MetricBinding, BindingIndex>();

function indexOf(binding: MetricBinding): BindingIndex {
  const known = indexes.get(binding);
  if (known) return known;
  const byName = (columns: readonly BoundColumn[]) => columns.map(column => [column.name, column] as const);
  const aliases = binding.dimensions.flatMap(each => each.aliases.map(alias => [alias, each] as const));
  const [dimensions, entities] = [byName(binding.dimensions), byName(binding.entities ?? [])];
  const index = {
    named: firstOfEach([...byName(binding.columns), ...dimensions, ...aliases]),
    dimensions: firstOfEach([...dimensions, ...aliases, ...entities]),
    entities: firstOfEach(entities),
  };
  indexes.set(binding, index);
  return index;
}

function firstOfEach(columns: readonly (readonly [string, BoundColumn])[]): Map<string, BoundColumn> {
  const first = new Map<string, BoundColumn>();
  for (const [name, column] of columns) if (!first.has(name)) first.set(name, column);
  return first;
}

/** The columns that a formula or a filter may name, dimensions also by their aliases. The first of two equal names wins. */
export function namedColumns(binding: MetricBinding): ReadonlyMap<string, BoundColumn> {
  return indexOf(binding).named;
}

/**
 * The names that an error may list: those of `namedColumns`, and to callers who do not see bindings the dimensions alone, which the
 * metric shows them anyway.
 */
export function listedNames(binding: MetricBinding, seesBindings: boolean): string[] {
  return seesBindings ? [...namedColumns(binding).keys()] : dimensionNames(binding);
}

export function dimensionNames({ dimensions }: MetricBinding): string[] {
  return dimensions.map(({ name }) => name);
}

/** The names that an error may list where an entity may stand as well. */
export function listedKeys(binding: MetricBinding, seesBindings: boolean): string[] {
  const entities = seesBindings ? (binding.entities ?? []) : [];
  return [...entities.map(({ name }) => name), ...listedNames(binding, seesBindings)];
}

/** A dimension, by its name before any alias, or an entity. */
export function findDimension(binding: MetricBinding, name: string): BoundColumn | undefined {
  return indexOf(binding).dimensions.get(name);
}

/** The column that a filter by a metric may name: a dimension or an entity, or else any column of the binding. */
export function findKey(binding: MetricBinding, name: string): BoundColumn | undefined {
  return findDimension(binding, name) ?? namedColumns(binding).get(name);
}

/** The entity of a conversion: one of the binding's entities, or else a column. */
export function findEntity(binding: MetricBinding, name: string): BoundColumn | undefined {
  return indexOf(binding).entities.get(name) ?? namedColumns(binding).get(name);
}

const keys = new WeakMap<MetricBinding, string>();

/** Equal for bindings to the same thing. */
export function bindingKey(binding: MetricBinding): string {
  const known = keys.get(binding);
  if (known !== undefined) return known;
  const { verified_at: _, ...rest } = binding;
  const key = JSON.stringify(rest);
  keys.set(binding, key);
  return key;
}

import { type Grain } from '../formula/formula-tree.js';
import { type TableColumn, type TablePlace } from '../../warehouse/clients/warehouse.client.js';
import { type ForeignDialect } from '../translate/target-dialect.js';

export interface BoundColumn {
  /** The name in formulas, filters and clauses, in any language, at most 63 bytes (PostgreSQL cuts longer names). */
  name: string;
  /** SQL over the physical tables: `o.amount`. */
  expression: string;
  /** PostgreSQL type in its short spelling, such as `timestamptz`. */
  type: string;
}

export interface BoundDimension extends BoundColumn {
  aliases: string[];
}

export type TimeType = 'date' | 'timestamp' | 'timestamptz';

export interface BoundTime {
  expression: string;
  type: TimeType;
  /** IANA name of the time zone of timestamps without a zone. Periods use it as well if the request names no zone. */
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
  columns: ColumnOfTable[];
}

/** `collation` as in TableColumn. It is also absent in bindings that were stored before collations were read. */
export type ColumnOfTable = Pick<TableColumn, 'name' | 'type' | 'collation'>;

export interface BoundJoin extends BoundTable {
  kind: 'left' | 'inner';
  relationship: 'many_to_one' | 'one_to_one';
  /** Pairs of expressions that must be equal: [fact side, join side]. */
  on: [string, string][];
  /**
   * Only in a join that `compile-proof.ts` proves: a condition on the rows of the table among which the key must be unique. Absent for all
   * rows.
   */
  filter?: string;
}

/** A table of a binding, with the names of the columns that a statement reads. */
export interface TableRead {
  table: BoundTable;
  columns: string[];
}

/**
 * Whether the values of rows may be added up. `auto` and `additive` allow every function of a formula. With `additive`, the values of
 * joined tables may be added up too, and count once for each fact row. `semi_additive` and `non_additive` refuse some functions, see
 * `check-arguments.ts`.
 */
export const additivities = ['auto', 'additive', 'semi_additive', 'non_additive'] as const;
export type Additivity = (typeof additivities)[number];

/** A metric's binding as it is stored: checked against the real tables, with every name and type written out. */
export interface MetricBinding {
  connection_id: number;
  /** The SQL dialect of the database behind the connection. Absent for PostgreSQL. */
  dialect?: ForeignDialect;
  fact: BoundTable;
  grain: string[];
  time: BoundTime | null;
  columns: BoundColumn[];
  dimensions: BoundDimension[];
  /**
   * Columns that name the subject of a row, such as its user, for conversions. Absent in bindings that were stored before entities
   * existed.
   */
  entities?: BoundColumn[];
  joins: BoundJoin[];
  row_filter: string | null;
  /** Which functions may add up the values. Absent if the binding refuses none. */
  additivity?: Additivity;
  verified_at: string;
}

/** The columns of a binding by name, computed once, because a binding may have thousands of names. */
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

/**
 * The columns that a formula or a filter may name, by name. Dimensions are listed by their aliases as well. The first of two equal
 * names wins.
 */
export function namedColumns(binding: MetricBinding): ReadonlyMap<string, BoundColumn> {
  return indexOf(binding).named;
}

/**
 * The names that an error may list. With `seesBindings`, all names of `namedColumns`; otherwise only the dimensions, which the metric
 * shows to every caller.
 */
export function listedNames(binding: MetricBinding, seesBindings: boolean): string[] {
  return seesBindings ? [...namedColumns(binding).keys()] : dimensionNames(binding);
}

export function dimensionNames({ dimensions }: MetricBinding): string[] {
  return dimensions.map(({ name }) => name);
}

/** The names that an error may list where a column or an entity is expected. */
export function listedKeys(binding: MetricBinding, seesBindings: boolean): string[] {
  const entities = seesBindings ? (binding.entities ?? []) : [];
  return [...entities.map(({ name }) => name), ...listedNames(binding, seesBindings)];
}

/** Finds a dimension by its name, else by an alias; else finds an entity. */
export function findDimension(binding: MetricBinding, name: string): BoundColumn | undefined {
  return indexOf(binding).dimensions.get(name);
}

/** Finds the column that a filter by a metric may name: a dimension or an entity, else any column of the binding. */
export function findKey(binding: MetricBinding, name: string): BoundColumn | undefined {
  return findDimension(binding, name) ?? namedColumns(binding).get(name);
}

/** Finds the entity of a conversion: an entity of the binding, else a column. */
export function findEntity(binding: MetricBinding, name: string): BoundColumn | undefined {
  return indexOf(binding).entities.get(name) ?? namedColumns(binding).get(name);
}

const keys = new WeakMap<MetricBinding, string>();

/** A text that is equal for bindings with the same content, even if they were verified at different times. */
export function bindingKey(binding: MetricBinding): string {
  const known = keys.get(binding);
  if (known !== undefined) return known;
  const { verified_at: _, ...rest } = binding;
  const key = JSON.stringify(rest);
  keys.set(binding, key);
  return key;
}

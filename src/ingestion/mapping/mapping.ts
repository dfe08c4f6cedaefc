import { type Bilingual } from '../../text/bilingual.js';
import { type Span } from '../../text/place.js';
import { type DateFormat } from './date-format.js';

/**
 * A parsed and checked mapping: the typed tree that the compiler and the run read. All references are resolved and all defaults
 * filled in.
 */

/** Property names and list indexes from the root of the mapping, such as `['nodes', 0, 'columns', 2]`. */
export type MappingPath = readonly (string | number)[];

export type OnError = 'fail' | 'quarantine';
export type OnMissing = 'quarantine' | 'skip' | 'create' | 'fail';
export type Severity = 'error' | 'warn';

/**
 * The names of the scalar types. Values of `time` and `localdatetime` have no time zone; values of `timetz` and `datetime` have an offset.
 */
export type ScalarName =
  'string' | 'int' | 'bigint' | 'float' | 'boolean' | 'date' | 'time' | 'timetz' | 'datetime' | 'localdatetime' | 'duration';

interface Digits {
  precision: number;
  scale: number;
}

export type ScalarType = { name: ScalarName } | ({ name: 'decimal' } & Digits);

/** The type of a list. All its values have one type, and any value may be null. */
export type ListType = { name: `${ScalarName}[]` } | ({ name: 'decimal[]' } & Digits);

/** The type of a property. `json` is any JSON value, and `map` is a JSON object. */
export type PropertyType = ScalarType | ListType | { name: 'json' | 'map' };

export type Transform =
  | { kind: 'trim' | 'lower' | 'upper' | 'nfc' | 'nfkc' | 'collapse_space' | 'number_cn' }
  | { kind: 'map'; values: Record<string, string | null> }
  | { kind: 'null_if'; values: string[] }
  | { kind: 'split'; separator: string }
  /** Takes a part of the text. `start` is the first character, counted from 1. */
  | { kind: 'substring'; start: number; length: number }
  | { kind: 'date_format'; written: string; format: DateFormat };

export type Format = 'email' | 'url' | 'uuid' | 'phone_cn' | 'id_card_cn' | 'uscc_cn' | 'iso_country' | 'json';

/** The SQL condition of a `when`. All rules below that `when` share one object. */
export interface RuleCondition {
  predicate: string;
  path: MappingPath;
}

interface RuleBase {
  severity: Severity;
  message: string | null;
  /** The condition for checking a row; null if all rows are checked. */
  when: RuleCondition | null;
  path: MappingPath;
}
export type Rule = RuleBase &
  (
    | { kind: 'required' | 'unique' | 'not_in_future' }
    | { kind: 'one_of'; values: string[] }
    /** `written` is the RE2 expression in the mapping. `regex` is the PostgreSQL expression for it, which matches only whole values. */
    | { kind: 'pattern'; written: string; regex: string }
    | { kind: 'min' | 'max'; bound: string }
    | { kind: 'min_length' | 'max_length'; length: number }
    | { kind: 'precision'; precision: number; scale: number }
    | { kind: 'format'; format: Format }
    | { kind: 'expression'; predicate: string }
    /**
     * A value must be the key of a node. `node` is the node's handle in this mapping, or null if the rule names a label. `label` is the
     * node's label. `column` is the node's only key column.
     */
    | { kind: 'references'; node: string | null; label: string; column: string }
  );

/** The source of a property's value. A constant has the type of its YAML scalar. */
export type ColumnSource =
  | { kind: 'column'; column: string }
  | { kind: 'expression'; expression: string }
  | { kind: 'constant'; value: string | null; type: 'string' | 'int' | 'bigint' | 'float' | 'boolean' };

export interface ColumnMapping {
  source: ColumnSource;
  property: string;
  /** The stated type; null if the type is inferred from the source column when the run is compiled. */
  type: PropertyType | null;
  transform: Transform[];
  default: string | null;
  rules: Rule[];
  sensitive: boolean;
  path: MappingPath;
}

export type ElementSource = { kind: 'table'; table: string } | { kind: 'query'; query: string };

export interface Incremental {
  cursor: string;
  type: 'date' | 'datetime' | 'int' | 'bigint';
  /**
   * How far before the last cursor a run starts to read, in milliseconds for a date or datetime cursor and in units for an integer cursor.
   */
  lag: number;
  initial: string | null;
}

/**
 * The treatment of elements whose row has left the source. With `snapshot` every run reads all rows and removes elements without a row.
 * With `column` a row whose `column` equals `equals` is not written, and its element is removed. With `none` the elements stay.
 */
export type Deletes = { mode: 'none' | 'snapshot' } | { mode: 'column'; column: string; equals: string };

interface ElementMapping {
  aliases: string[];
  source: ElementSource;
  where: string | null;
  key: string[];
  incremental: Incremental | null;
  deletes: Deletes;
  columns: ColumnMapping[];
  path: MappingPath;
}

/** A label that nodes have besides their main label. `when` is a SQL condition on the node's row; with null all nodes have the label. */
export interface FurtherLabel {
  name: string;
  aliases: string[];
  when: string | null;
  path: MappingPath;
}

export interface NodeMapping extends ElementMapping {
  id: string;
  label: string;
  labels: FurtherLabel[];
  display: string | null;
  write: 'merge' | 'replace';
}

export interface EdgeEnd {
  /** The handle of a node of this mapping, or null when `label` names a node that another job loads. */
  node: string | null;
  label: string;
  /**
   * The edge column for each key column of the node. The pairs have the order of the node's key if the node is in this mapping, otherwise
   * their written order.
   */
  match: { edgeColumn: string; nodeColumn: string }[];
  onMissing: OnMissing;
  path: MappingPath;
}

export interface EdgeMapping extends ElementMapping {
  type: string;
  from: EdgeEnd;
  to: EdgeEnd;
}

export interface Mapping {
  version: 1;
  name: string | null;
  source: { connection: string | null; timezone: string; statementTimeoutMs: number };
  defaults: { onError: OnError; maxErrorRows: number; maxErrorRate: number; emptyAsNull: boolean; trim: boolean };
  nodes: NodeMapping[];
  edges: EdgeMapping[];
}

/** A part of a mapping that is legal but probably a mistake. */
export interface MappingWarning extends Span {
  code: string;
  path: MappingPath;
  text: Bilingual;
}

export interface ParsedMapping {
  mapping: Mapping;
  warnings: MappingWarning[];
  /** The place of a path in the text. A path that the text does not contain has the place of its nearest ancestor in the text. */
  placeOf: (path: MappingPath) => Span;
}

/** The text of a path, such as `nodes[0].columns[1].rules[0]`. */
export function pathText(path: MappingPath): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

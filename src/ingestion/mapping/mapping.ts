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

/** `time` and `localdatetime` have no zone, `timetz` and `datetime` have an offset. */
export type ScalarName =
  'string' | 'int' | 'bigint' | 'float' | 'boolean' | 'date' | 'time' | 'timetz' | 'datetime' | 'localdatetime' | 'duration';

interface Digits {
  precision: number;
  scale: number;
}

export type ScalarType = { name: ScalarName } | ({ name: 'decimal' } & Digits);

/** A list of values of one type, of which any may be null. */
export type ListType = { name: `${ScalarName}[]` } | ({ name: 'decimal[]' } & Digits);

/** `json` is any JSON value and `map` a JSON object. */
export type PropertyType = ScalarType | ListType | { name: 'json' | 'map' };

export type Transform =
  | { kind: 'trim' | 'lower' | 'upper' | 'nfc' | 'nfkc' | 'collapse_space' | 'number_cn' }
  | { kind: 'map'; values: Record<string, string | null> }
  | { kind: 'null_if'; values: string[] }
  | { kind: 'split'; separator: string }
  /** `start` counts from 1. */
  | { kind: 'substring'; start: number; length: number }
  | { kind: 'date_format'; written: string; format: DateFormat };

export type Format = 'email' | 'url' | 'uuid' | 'phone_cn' | 'id_card_cn' | 'uscc_cn' | 'iso_country' | 'json';

/** The SQL condition of a `when`, which all its rules share. */
export interface RuleCondition {
  predicate: string;
  path: MappingPath;
}

interface RuleBase {
  severity: Severity;
  message: string | null;
  /** Only rows for which it is true are checked; null: all rows. */
  when: RuleCondition | null;
  path: MappingPath;
}
export type Rule = RuleBase &
  (
    | { kind: 'required' | 'unique' | 'not_in_future' }
    | { kind: 'one_of'; values: string[] }
    /** `written` is the RE2 text of the mapping, `regex` the anchored PostgreSQL expression for it. */
    | { kind: 'pattern'; written: string; regex: string }
    | { kind: 'min' | 'max'; bound: string }
    | { kind: 'min_length' | 'max_length'; length: number }
    | { kind: 'precision'; precision: number; scale: number }
    | { kind: 'format'; format: Format }
    | { kind: 'expression'; predicate: string }
    /** `node` is a handle of this file, null for a label; `label` is that of the node. `column` is its only key column. */
    | { kind: 'references'; node: string | null; label: string; column: string }
  );

/** The source of a property's value. A constant has the type that it has in YAML. */
export type ColumnSource =
  | { kind: 'column'; column: string }
  | { kind: 'expression'; expression: string }
  | { kind: 'constant'; value: string | null; type: 'string' | 'int' | 'bigint' | 'float' | 'boolean' };

export interface ColumnMapping {
  source: ColumnSource;
  property: string;
  /** null: inferred from the source column when the run is compiled. */
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
  /** Milliseconds for date and datetime, units for integers. */
  lag: number;
  initial: string | null;
}

/**
 * What happens to elements whose row has left the source. `snapshot`: they go, because every run reads all rows. `column`: rows
 * whose `column` equals `equals` are removed from the graph instead of written. `none`: they stay.
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

/** A label that nodes have besides the label of their key. `when` is a SQL condition on their row; null: all nodes have it. */
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
  /** The handle of a node of this file, or null when `label` names one that another job loads. */
  node: string | null;
  label: string;
  /** The edge column for each key column of the node, in the order of that node's key if the node is in this file. */
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

/** Something legal that is probably a mistake. */
export interface MappingWarning extends Span {
  code: string;
  path: MappingPath;
  text: Bilingual;
}

export interface ParsedMapping {
  mapping: Mapping;
  warnings: MappingWarning[];
  /** The place of a path in the text, or of its nearest written ancestor if the path itself is not written. */
  placeOf: (path: MappingPath) => Span;
}

/** `nodes[0].columns[1].rules[0]` */
export function pathText(path: MappingPath): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

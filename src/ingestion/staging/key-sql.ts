import { type ColumnMapping, type EdgeEnd, type Mapping, type NodeMapping, type Rule } from '../mapping/mapping.js';
import { mappingOf, type Target, type SourceShape } from './target.js';
import { directValue, isDirect, parsedValue, type ResolvedType } from './column-sql.js';
import { columnValue, type ColumnValue } from './column-value.js';
import { canonicalText, isPlainText, isRounded, type KeyPart, keyText, maxKeyLength } from './key-text.js';
import { keyMissing, keyRounded, keyTooLong } from './rule-sql.js';
import { type SourceRow } from './source-row.js';
import { inferredType, resolvedType } from './source-type.js';
import { type SqlBuilder } from './sql-builder.js';

/** The properties that make up the key of a node, in the order of the key. */
export type KeyProperties = readonly KeyProperty[];

interface KeyProperty {
  property: string;
  type: ResolvedType;
  /**
   * The type in which ends of edges and references are compared with the key. It is `type`, or the common type if several jobs load the
   * label with different types.
   */
  comparedAs: ResolvedType;
}

/** The parts of a mapping from which the keys of a target are compiled. */
export interface KeyRequest {
  target: Target;
  mapping: Mapping;
  /** The keys of the labels that the mapping's edge ends and references name. Labels whose keys are not known are missing. */
  keys: ReadonlyMap<string, KeyProperties>;
}

export function keyProperties({ key, columns }: NodeMapping, shape: SourceShape): KeyProperties {
  return key.map(name => {
    const column = mappingOf(columns, name)!;
    const type = resolvedType(column, shape.columns.get(name)!);
    return { property: column.property, type, comparedAs: type };
  });
}

/** SQL for the keys of a target's rows, for the keys at the ends of its edges, and for the keys that its references name. */
export class KeySql {
  /**
   * The column with the value of `key`, in the middle one of the three nested SELECTs that fill the staging table (`compile-staging.ts`).
   * The SQL of other staged columns reads this column, so that the key is computed once.
   */
  static readonly ref = 'own_key';
  /** SQL for the key of a row. */
  readonly key: string;
  private readonly element: Target['element'];
  private readonly parts: KeyPart[];

  constructor(
    private readonly request: KeyRequest,
    private readonly sql: SqlBuilder,
    private readonly source: SourceRow,
    private readonly values: ColumnValue[],
  ) {
    this.element = request.target.element;
    this.parts = this.element.key.map(column => this.ownPart(column));
    this.key = this.parts.length === 0 ? `''` : keyText(this.parts);
  }

  /** The staged columns of the row's key and, for an edge, of the keys of its ends. */
  staged(): [string, string][] {
    const { target } = this.request;
    const key: [string, string] = ['key', KeySql.ref];
    if (target.kind === 'node') return [key];
    return [key, ['from_key', this.endKey(target.element.from)], ['to_key', this.endKey(target.element.to)]];
  }

  /** SQL for the index of the key rule that a row breaks; null if no row can break one. */
  failure(): string | null {
    const { target } = this.request;
    const checks: string[] = [];
    // A row with an empty end is not an edge. Such a row is skipped later, when the edges are written, instead of rejected here.
    const ends = target.kind === 'edge' ? [target.element.from, target.element.to].flatMap(({ match }) => match) : [];
    const isEnd = (column: string): boolean => ends.some(({ edgeColumn }) => edgeColumn === column);
    const open = this.parts.filter((part, index) => !part.isRequired && !isEnd(this.element.key[index]!));
    if (open.length > 0) checks.push(`WHEN ${open.map(({ given }) => `${given} IS NULL`).join(' OR ')} THEN ${keyMissing}`);
    if (this.parts.some(part => !part.isShort)) checks.push(`WHEN char_length(${this.key}) > ${maxKeyLength} THEN ${keyTooLong}`);
    for (const { rounded } of this.parts) if (rounded !== null) checks.push(`WHEN ${rounded} THEN ${keyRounded}`);
    return checks.length === 0 ? null : `CASE ${checks.join(' ')} END`;
  }

  /** SQL for the caption of a node: the value of the column `display`, or else the key. */
  display(display: string | null): string {
    if (display === null) return KeySql.ref;
    const mapped = this.mapped(display);
    return `coalesce(nullif(${mapped?.text ?? this.unmapped(display).text}, ''), ${KeySql.ref})`;
  }

  /**
   * SQL for the key that a column refers to by its rule `references`. It is cut to 501 characters: a longer text cannot be a key.
   * @param index the index of the column in the mapping
   */
  referenced(index: number, label: string): string {
    const type = this.request.keys.get(label)?.[0]?.comparedAs ?? null;
    return `left(${keyOf(this.values[index]!, type)}, ${maxKeyLength + 1})`;
  }

  private endKey({ match, label, node: handle }: EdgeEnd): string {
    const node = this.request.mapping.nodes.find(each => each.id === handle);
    const key = this.request.keys.get(label);
    const ends = match.map(({ edgeColumn, nodeColumn }, index) => {
      const value = this.mapped(edgeColumn) ?? this.unmapped(edgeColumn, node && mappingOf(node.columns, nodeColumn));
      return { text: keyOf(value, key?.[index]?.comparedAs ?? null), given: value.ref, isPlain: isPlain(value) };
    });
    // A composite key with a missing part matches no node. Without this CASE the key would be JSON text that contains a null.
    if (ends.length === 1) return ends[0]!.text;
    return `CASE WHEN ${ends.map(({ given }) => `${given} IS NOT NULL`).join(' AND ')} THEN ${keyText(ends)} END`;
  }

  private ownPart(column: string): KeyPart {
    const value = this.mapped(column) ?? this.unmapped(column);
    const { rules = [] } = mappingOf(this.element.columns, column) ?? {};
    const isBounded = value.direct !== null && isPlainText(value.direct) && value.direct !== 'numeric';
    return {
      text: keyTextOf(value),
      given: value.ref,
      isRequired: rules.some(isAlwaysRequired),
      isShort: isBounded || shortTypes.has(value.type.name),
      isPlain: isPlain(value),
      rounded: value.type.name === 'decimal' ? isRounded(value) : null,
    };
  }

  private mapped(column: string): ColumnValue | undefined {
    const mapping = mappingOf(this.element.columns, column);
    return mapping && this.values[this.element.columns.indexOf(mapping)];
  }

  /**
   * The value of a source column that the target does not map. At the end of an edge the value is cleaned by `like`, the mapping of the
   * node's key column.
   */
  private unmapped(column: string, like?: ColumnMapping): ColumnValue {
    const given = this.source.column(column);
    const { sql, source, request } = this;
    const cleaning = like ?? { transform: [], default: null };
    return columnValue({ sql, source, options: request.mapping.defaults }, given, inferredType(given.family), cleaning);
  }
}

/** The types with a canonical text of at most 50 characters. */
const shortTypes = new Set<string>(['int', 'bigint', 'boolean', 'date', 'float']);

function isAlwaysRequired({ kind, severity, when }: Rule): boolean {
  return kind === 'required' && severity === 'error' && when === null;
}

function isPlain({ direct }: ColumnValue): boolean {
  return direct !== null && isPlainText(direct);
}

/** SQL for the text of a value in the key of its own element. */
export function keyTextOf(value: ColumnValue): string {
  return canonicalText(value, value.type, value.direct === null);
}

/**
 * SQL for the key text of the node that a value refers to. If the node's key is a whole number, texts are compared as numbers: `12.0` finds
 * the node 12. A value with more decimals than the type of the key keeps is not rounded, so it finds no node.
 * @param type the type of the node's key; null if no job has loaded the label, so that no node can be found
 */
function keyOf(value: ColumnValue, type: ResolvedType | null): string {
  if (type === null) return value.text;
  const { ref, text, direct } = value;
  const exact = type.name === 'decimal' ? ({ name: 'numeric' } as const) : type;
  if (direct !== null && isDirect(direct, exact, [], null)) return canonicalText(directValue(ref, direct, exact), exact, false);
  const isWhole = type.name === 'int' || type.name === 'bigint';
  const asked = isWhole ? ({ name: 'numeric' } as const) : exact;
  return canonicalText(parsedValue(text, asked), asked, direct === null);
}

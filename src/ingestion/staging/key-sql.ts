import { type ColumnMapping, type EdgeEnd, type NodeMapping, type Rule } from '../mapping/mapping.js';
import { mappingOf, type Target, type SourceShape } from './target.js';
import { type ColumnValue, type StagingRequest } from './compile-staging.js';
import { directValue, isDirect, parsedValue, type ResolvedType, type ValueSql } from './column-sql.js';
import { canonicalText, isPlainText, type KeyPart, keyText, maxKeyLength } from './key-text.js';
import { keyMissing, keyTooLong } from './rule-sql.js';
import { asText, type SourceRow } from './source-row.js';
import { inferredType, resolvedType, type SourceFamily } from './source-type.js';
import { type SqlBuilder } from './sql-builder.js';
import { cleanedText } from './transform-sql.js';

/** The properties that make up the key of a node, in the order of the key. */
export type KeyProperties = readonly { property: string; type: ResolvedType }[];

export function keyProperties({ key, columns }: NodeMapping, shape: SourceShape): KeyProperties {
  return key.map(name => {
    const column = mappingOf(columns, name)!;
    return { property: column.property, type: resolvedType(column, shape.columns.get(name)!) };
  });
}

/** SQL for the keys of a target's rows, for the keys at the ends of its edges, and for the keys that its references name. */
export class KeySql {
  private readonly element: Target['element'];
  private readonly parts: KeyPart[];
  private readonly key: string;

  constructor(
    private readonly request: StagingRequest,
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
    if (target.kind === 'node') return [['key', this.key]];
    return [
      ['key', this.key],
      ['from_key', this.endKey(target.element.from)],
      ['to_key', this.endKey(target.element.to)],
    ];
  }

  /** SQL for the rule that the key breaks; null if no key can break one. */
  failure(): string | null {
    const { target } = this.request;
    const checks: string[] = [];
    // A row with an empty end is not an edge. Such a row is skipped later, when the edges are written, instead of rejected here.
    const ends = target.kind === 'edge' ? [target.element.from, target.element.to].flatMap(({ match }) => match) : [];
    const isEnd = (column: string): boolean => ends.some(({ edgeColumn }) => edgeColumn === column);
    const open = this.parts.filter((part, index) => !part.isRequired && !isEnd(this.element.key[index]!));
    if (open.length > 0) checks.push(`WHEN ${open.map(({ given }) => `${given} IS NULL`).join(' OR ')} THEN ${keyMissing}`);
    if (this.parts.some(part => !part.isShort)) checks.push(`WHEN char_length(${this.key}) > ${maxKeyLength} THEN ${keyTooLong}`);
    return checks.length === 0 ? null : `CASE ${checks.join(' ')} END`;
  }

  /** SQL for the caption of a node: the value of the column `display`, or else the key. */
  display(display: string | null): string {
    if (display === null) return this.key;
    const mapped = this.mapped(display);
    return `coalesce(nullif(${mapped?.text ?? this.unmapped(display).text}, ''), ${this.key})`;
  }

  /** SQL for the key that the column with this index names by its rule `references`, cut to one character more than a key may have. */
  referenced(index: number, label: string): string {
    const type = this.request.keys.get(label)?.[0]?.type ?? null;
    return `left(${keyOf(this.values[index]!, type)}, ${maxKeyLength + 1})`;
  }

  private endKey({ match, label, node: handle }: EdgeEnd): string {
    const node = this.request.mapping.nodes.find(each => each.id === handle);
    const key = this.request.keys.get(label);
    const ends = match.map(({ edgeColumn, nodeColumn }, index) => {
      const value = this.mapped(edgeColumn) ?? this.unmapped(edgeColumn, node && mappingOf(node.columns, nodeColumn));
      return { text: keyOf(value, key?.[index]?.type ?? null), given: value.ref, isPlain: isPlain(value) };
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
      text: canonicalText(value, value.type),
      given: value.ref,
      isRequired: rules.some(isAlwaysRequired),
      isShort: isBounded || shortTypes.has(value.type.name),
      isPlain: isPlain(value),
    };
  }

  private mapped(column: string): ColumnValue | undefined {
    return this.values[this.element.columns.findIndex(({ source }) => source.kind === 'column' && source.column === column)];
  }

  /**
   * The value of a source column that the target does not map. At the end of an edge the value is cleaned by `like`, the mapping of the
   * node's key column.
   */
  private unmapped(column: string, like?: ColumnMapping): ColumnValue {
    const { sql, family } = this.source.column(column);
    const { transform, default: usual } = like ?? { transform: [], default: null };
    if (isPlainText(family) && transform.length === 0 && usual === null) {
      const ref = this.source.carry(sql, 'v');
      const type = inferredType(family);
      return { ...directValue(ref, family, type), ref, type, direct: family };
    }
    const text = cleanedText(this.sql, asText(sql, family), transform, usual, this.request.mapping.defaults);
    const ref = this.source.carry(text, 'v');
    return { ...parsedValue(ref, { name: 'string' }), ref, type: { name: 'string' }, direct: null };
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

/**
 * SQL for the text that the key of a node has if its value is equal to this one. `type` is the type of the node's key; null if no job has
 * loaded the label, so that no key is equal.
 */
function keyOf(value: ColumnValue, type: ResolvedType | null): string {
  if (type === null) return value.text;
  const asked = isWhole(type) && !isWholeFamily(value.direct) ? ({ name: 'numeric' } as const) : type;
  return canonicalText(readAs(value, asked), asked);
}

function readAs({ ref, text, direct }: ColumnValue, type: ResolvedType): ValueSql {
  return direct !== null && isDirect(direct, type, [], null) ? directValue(ref, direct, type) : parsedValue(text, type);
}

function isWhole({ name }: ResolvedType): boolean {
  return name === 'int' || name === 'bigint';
}

function isWholeFamily(family: SourceFamily | null): boolean {
  return family === 'int' || family === 'bigint';
}

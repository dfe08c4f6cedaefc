import { type ColumnMapping } from '../mapping/mapping.js';
import { directValue, isDirect, parsedValue, type ResolvedType, type ValueSql } from './column-sql.js';
import { asText, type SourceRow } from './source-row.js';
import { type SourceFamily } from './source-type.js';
import { type SqlBuilder } from './sql-builder.js';
import { cleanedText, type TextOptions } from './transform-sql.js';

/** The value that a mapping makes of a column of its source. */
export interface ColumnValue extends ValueSql {
  ref: string;
  type: ResolvedType;
  /** The family of the source's type if the value keeps it; null if the value comes as text. */
  direct: SourceFamily | null;
}

/** Reads a source value as `type`: by a cast of its own type where there is one, otherwise from its text with the transforms. */
export function columnValue(
  { sql, source, options }: { sql: SqlBuilder; source: Pick<SourceRow, 'carry'>; options: TextOptions },
  given: { sql: string; family: SourceFamily },
  type: ResolvedType,
  { transform, default: usual }: Pick<ColumnMapping, 'transform' | 'default'>,
): ColumnValue {
  const { family } = given;
  if (isDirect(family, type, transform, usual)) {
    const fallback = usual === null ? null : sql.bind(usual, `text::${directType(family)}`);
    const ref = source.carry(fallback === null ? given.sql : `coalesce(${given.sql}, ${fallback})`, 'v');
    return { ...directValue(ref, family, type), ref, type, direct: family };
  }
  const ref = source.carry(cleanedText(sql, asText(given.sql, family), transform, usual, options), 'v');
  return textValue(ref, type);
}

/** Reads a value that comes as text as `type`. */
export function textValue(ref: string, type: ResolvedType): ColumnValue {
  return { ...parsedValue(ref, type), ref, type, direct: null };
}

/** The PostgreSQL type in which a default is written for a column that keeps the type of its source. */
function directType(family: SourceFamily): string {
  switch (family) {
    case 'int':
    case 'bigint':
      return 'bigint';
    case 'float':
      return 'double precision';
    default:
      return family;
  }
}

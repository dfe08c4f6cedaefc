import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { type ColumnMapping, type Transform } from '../mapping/mapping.js';
import { columnValue } from './column-value.js';
import { keyTextOf } from './key-sql.js';
import { isRounded } from './key-text.js';
import { inferredType, resolvedType, type SourceFamily } from './source-type.js';
import { type SqlBuilder } from './sql-builder.js';
import { type Target, mappingOf } from './target.js';
import { type TextOptions } from './transform-sql.js';

/** Transforms that hide a part of the source value. The graph then does not show the column. */
const hiding = new Set<Transform['kind']>(['map', 'null_if', 'substring']);

/** Whether the graph shows what a source column holds, by the mapping of the column; undefined stands for the value as it is. */
export function isShown(column: ColumnMapping | undefined): boolean {
  return !column?.transform.some(({ kind }) => hiding.has(kind));
}

/** The name of the sub-select that cleans the values of a row. No column of a table has a control character in its name. */
const cleaned = quoteIdentifier('cleaned\u0002');

/** Finds the rows of a table by the keys that a mapping makes of them, such as `7` of the text ` 007`. */
export class KeyLookUp {
  /** Whether the mapping hides a part of a key, so that several rows which no graph shows may have the key of a node. */
  readonly isHidden: boolean;
  /** Equal for two elements whose keys are made in the same way. */
  readonly form: string;
  private readonly columns: { name: string; mapping: ColumnMapping | undefined }[];

  constructor(
    { key, columns }: Target['element'],
    private readonly options: TextOptions,
  ) {
    this.columns = key.map(name => ({ name, mapping: mappingOf(columns, name) }));
    this.isHidden = !this.columns.every(({ mapping }) => isShown(mapping));
    this.form = JSON.stringify([options, this.columns.map(({ name, mapping: m }) => [name, m?.type, m?.transform, m?.default])]);
  }

  /**
   * SQL for the text of each key column in the graph; NULL for a value that the key cannot hold.
   * @param alias the quoted name of the table in the statement
   * @param familyOf the family of a column's type
   * @returns `texts`, which read the lateral sub-select `from`
   */
  sql(sql: SqlBuilder, alias: string, familyOf: (column: string) => SourceFamily): { texts: string[]; from: string } {
    const carried: string[] = [];
    const nameOf = (index: number): string => quoteIdentifier(`${index}\u0002`);
    const source = { carry: (text: string): string => `${cleaned}.${nameOf(carried.push(text))}` };
    const texts = this.columns.map(({ name, mapping }) => {
      const given = { sql: `${alias}.${quoteIdentifier(name)}`, family: familyOf(name) };
      const type = mapping ? resolvedType(mapping, given.family) : inferredType(given.family);
      const value = columnValue({ sql, source, options: this.options }, given, type, mapping ?? { transform: [], default: null });
      return type.name === 'decimal' ? `CASE WHEN NOT ${isRounded(value)} THEN ${keyTextOf(value)} END` : keyTextOf(value);
    });
    const values = carried.map((text, index) => `${text} AS ${nameOf(index + 1)}`);
    return { texts, from: `LATERAL (SELECT ${values.join(', ')} OFFSET 0) AS ${cleaned}` };
  }
}

import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { type ColumnMapping, type Transform } from '../mapping/mapping.js';
import { columnValue } from './column-value.js';
import { keyTextOf } from './key-sql.js';
import { inferredType, resolvedType, type SourceFamily } from './source-type.js';
import { type SqlBuilder } from './sql-builder.js';
import { type Target, mappingOf } from './target.js';
import { type TextOptions } from './transform-sql.js';

/** The name under which `KeyLookUp.texts` reads the cleaned values of a row. No property or uploaded column has such a name. */
const cleaned = quoteIdentifier('#cleaned');

/** The transforms that leave their own results as they are. */
const idempotent = new Set<Transform['kind']>(['trim', 'lower', 'upper', 'nfc', 'nfkc', 'collapse_space', 'number_cn']);

/** Finds the rows of a table by the keys that a mapping made of them, such as `7` for the text ` 007`. */
export class KeyLookUp {
  /** True if a row that has the key itself as text would get this key, so that an index on the text may find it. */
  readonly keepsKeys: boolean;
  /** Equal for two elements whose keys are made in the same way. */
  readonly form: string;
  private readonly columns: { name: string; mapping: ColumnMapping | undefined }[];

  constructor(
    { key, columns }: Target['element'],
    private readonly options: TextOptions,
  ) {
    this.columns = key.map(name => ({ name, mapping: mappingOf(columns, name) }));
    this.keepsKeys = this.columns.every(({ mapping }) => (mapping?.transform ?? []).every(({ kind }) => idempotent.has(kind)));
    this.form = JSON.stringify([options, this.columns.map(({ mapping: m }) => m && [m.type, m.transform, m.default])]);
  }

  /**
   * SQL for the text of each key column in the graph.
   * @param alias the quoted name of the table in the statement
   * @param typeOf the family of a column's type
   * @returns `texts`, which read the columns of the lateral sub-select `from`
   */
  sql(sql: SqlBuilder, alias: string, typeOf: (column: string) => SourceFamily): { texts: string[]; from: string } {
    const carried: string[] = [];
    const source = { carry: (text: string): string => `${cleaned}.${quoteIdentifier(`#${carried.push(text)}`)}` };
    const texts = this.columns.map(({ name, mapping }) => {
      const given = { sql: `${alias}.${quoteIdentifier(name)}`, family: typeOf(name) };
      const type = mapping ? resolvedType(mapping, given.family) : inferredType(given.family);
      const cleaning = mapping ?? { transform: [], default: null };
      return keyTextOf(columnValue({ sql, source, options: this.options }, given, type, cleaning));
    });
    const values = carried.map((text, index) => `${text} AS ${quoteIdentifier(`#${index + 1}`)}`);
    return { texts, from: `LATERAL (SELECT ${values.join(', ')} OFFSET 0) AS ${cleaned}` };
  }
}

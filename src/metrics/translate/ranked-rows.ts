import { type TargetDialect, type Typed } from './target-dialect.js';
import { type FindColumn } from './expression-context.js';

/** A value of a row, with SQL for its place in the order of its group, counted from 1, and for the number of values in the group. */
export interface RankedValue {
  value: Typed;
  place: string;
  count: string;
}

/**
 * The rows of a scan with the places of values in the order of their group, for a database that cannot sort the values of an aggregate.
 * The rows are a FROM item, whose columns are read through `find`.
 */
export class RankedRows {
  private readonly columns: Typed[] = [];
  private readonly values: string[] = [];

  constructor(
    private readonly dialect: TargetDialect,
    private readonly rows: { find: FindColumn; expression: (node: unknown) => Typed },
  ) {}

  readonly find: FindColumn = (qualifier, name) => {
    const found = this.rows.find(qualifier, name);
    if (!found || found.kind === 'other') return found;
    const known = this.columns.findIndex(({ sql }) => sql === found.sql);
    return { ...found, sql: this.named(`x${known < 0 ? this.columns.push(found) - 1 : known}`) };
  };

  /** Adds a value to rank. @param filter a condition; the values of rows that do not meet it do not count */
  rank(node: unknown, filter: unknown): RankedValue {
    const { expression } = this.rows;
    const value = expression(node);
    const sql = filter === undefined ? value.sql : `(CASE WHEN ${expression(filter).sql} THEN ${value.sql} END)`;
    const known = this.values.indexOf(sql);
    const index = known < 0 ? this.values.push(sql) - 1 : known;
    return { value: { ...value, sql: this.named(`v${index}`) }, place: this.named(`p${index}`), count: this.named(`n${index}`) };
  }

  /** The FROM item. @param keys the expressions that the scan groups rows by */
  from(source: string, keys: readonly Typed[]): string {
    const { quote, sortable } = this.dialect;
    const by = keys.map(({ sql, kind }) => (kind === 'text' ? sortable(sql) : sql));
    const partition = by.length > 0 ? `PARTITION BY ${by.join(', ')}` : '';
    const list = [
      ...this.columns.map(({ sql }, index) => `${sql} AS ${quote(`x${index}`)}`),
      ...this.values.flatMap((sql, index) => [
        `${sql} AS ${quote(`v${index}`)}`,
        `ROW_NUMBER() OVER (${[partition, `ORDER BY (${sql} IS NULL), ${sql}`].join(' ').trim()}) AS ${quote(`p${index}`)}`,
        `COUNT(${sql}) OVER (${partition}) AS ${quote(`n${index}`)}`,
      ]),
    ];
    return `(\nSELECT ${list.join(', ')}\nFROM ${source}\n) AS ${quote('r')}`;
  }

  private named(name: string): string {
    return `${this.dialect.quote('r')}.${this.dialect.quote(name)}`;
  }
}

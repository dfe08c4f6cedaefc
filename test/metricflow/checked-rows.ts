import type pg from 'pg';

const oids = { boolean: [16], time: [1082, 1114, 1184], decimal: [20, 21, 23, 1700], double: [700, 701] };
type Kind = keyof typeof oids | 'text';

/**
 * The rows of a check query. Cells of both sides are converted to texts by the types of its columns, so that equal values have equal texts.
 */
export class CheckedRows {
  readonly columns: string[];
  private readonly kinds: Kind[];

  constructor(private readonly result: pg.QueryArrayResult) {
    this.columns = result.fields.map(({ name }) => name);
    this.kinds = result.fields.map(({ dataTypeID }) => kindOf(dataTypeID));
  }

  comparable(columns: readonly string[]): (string | null)[][] {
    return this.comparableRows(this.result.rows, this.columns, columns);
  }

  /** @param from the names of the cells, as the check calls them */
  comparableRows(rows: readonly unknown[][], from: readonly string[], columns: readonly string[]): (string | null)[][] {
    const places = columns.map(column => [from.indexOf(column), this.kinds[this.columns.indexOf(column)]!] as const);
    return rows.map(row => places.map(([at, kind]) => comparable(row[at], kind)));
  }

  /** Returns our cell, or the cell of the check if both are doubles that differ by rounding only. */
  sameCell(ours: string | null, checked: string | null | undefined, column: string): string | null {
    if (this.kinds[this.columns.indexOf(column)] !== 'double' || ours === null || checked == null) return ours;
    return Math.abs(Number(ours) - Number(checked)) <= 1e-9 * Math.abs(Number(checked)) ? checked : ours;
  }
}

function kindOf(oid: number): Kind {
  return (Object.keys(oids) as (keyof typeof oids)[]).find(kind => oids[kind].includes(oid)) ?? 'text';
}

function comparable(value: unknown, kind: Kind): string | null {
  if (value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  switch (kind) {
    case 'boolean':
      return text.startsWith('t') ? 'true' : 'false';
    case 'time':
      // Our hours have an offset but no seconds.
      return text
        .replace('T', ' ')
        .replace(/( \d\d:\d\d)\+00:00$/, '$1:00')
        .replace(/( 00:00:00)?(\.0+)?Z?$/, '');
    case 'decimal':
    case 'double':
      return text.includes('.') && !/e/i.test(text) ? text.replace(/\.?0+$/, '') : text;
    case 'text':
      return text;
    default:
      return kind satisfies never;
  }
}

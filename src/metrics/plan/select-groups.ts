export interface NamedSql {
  sql: string;
  name: string;
}

export interface TypedSql extends NamedSql {
  /** PostgreSQL type in its short spelling, such as `timestamptz`. */
  type: string;
}

/** An expression that rows are grouped by. */
export interface GroupKey extends NamedSql {
  /** Returns the SQL of the value that the result shows for a group, computed once for each group. Absent if the key itself is shown. */
  shown?: (sql: string) => string;
}

export interface Groups {
  from: string;
  conditions: string[];
  keys: GroupKey[];
  /** The columns of the requested dimensions. In the result they are named `d0`, `d1` … */
  dimensions: string[];
  /**
   * Bit masks, one for each kind of total: a bit is set for each dimension that the total leaves out. The last dimension has the lowest
   * bit.
   */
  levels: readonly number[];
  /** True if the result has a column `level`, which is 0 for rows other than totals. */
  isLevelled: boolean;
  measures: NamedSql[];
}

/** A SELECT that groups rows by keys and dimensions. Totals are further grouping sets of the same pass. */
export function selectGroups({ from, conditions, keys, dimensions, levels, isLevelled, measures }: Groups): string {
  const named = namedKeys({ keys, dimensions });
  const level = isLevelled ? [{ sql: levels.length > 0 ? `GROUPING(${dimensions.join(', ')})` : '0', name: 'level' }] : [];
  const ordinals = (level: number): string => {
    const kept = dimensions.flatMap((_, index) => (level & bitOf(index, dimensions.length) ? [] : [keys.length + index + 1]));
    return [...keys.map(({ sql, shown }, index) => (shown ? sql : index + 1)), ...kept].join(', ');
  };
  const sets = `GROUPING SETS (${[0, ...levels].map(each => `(${ordinals(each)})`).join(', ')})`;
  return [
    `SELECT ${[...named, ...level, ...measures].map(({ sql, name }) => `${sql} AS "${name}"`).join(', ')}`,
    `FROM ${from}`,
    ...(conditions.length > 0 ? [`WHERE ${conditions.join(' AND ')}`] : []),
    ...(named.length > 0 ? [`GROUP BY ${levels.length > 0 ? sets : ordinals(0)}`] : []),
  ].join('\n  ');
}

/** The keys and dimensions, as named columns of the result. */
export function namedKeys({ keys, dimensions }: Pick<Groups, 'keys' | 'dimensions'>): NamedSql[] {
  return [
    ...keys.map(({ sql, name, shown = same }) => ({ sql: shown(sql), name })),
    ...dimensions.map((sql, index) => ({ sql, name: `d${index}` })),
  ];
}

function same(sql: string): string {
  return sql;
}

/** The bit of a dimension in a level, with the same order of bits as the result of GROUPING. */
export function bitOf(index: number, count: number): number {
  return 1 << (count - 1 - index);
}

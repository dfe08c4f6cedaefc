import { quoteTable } from '../../sql/quote-identifier.js';
import { type SqlStatement } from '../../sql/sql-parameters.js';
import { type Steps } from '../../text/steps.js';
import { type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { guardOverTable } from './bound-sql.js';
import { type BoundJoin, type TableRead } from './metric-binding.js';
import { SqlAssembly } from './sql-assembly.js';

/**
 * A statement that checks whether tables are still as they were when the binding was checked. It returns one row: for each join a boolean,
 * true if a key occurs twice, then for each column of each table a NULL of the column's type.
 */
export function* compileProof(joins: readonly BoundJoin[], reads: readonly TableRead[]): Steps<SqlStatement> {
  const assembly = new SqlAssembly();
  const { quote } = assembly.dialect;
  const repeats: string[] = [];
  for (const join of joins) {
    yield;
    repeats.push(`${repeatsKey(join, assembly)} AS "k${repeats.length}"`);
  }
  const tables: { list: string[]; from: string }[] = [];
  for (const { table, columns } of reads) {
    yield;
    const index = tables.length;
    const source = `${assembly.embedTable(table)} AS q`;
    const list = columns.map((name, each) => `${quote(name)} AS "c${each}"`).join(', ');
    tables.push({
      list: columns.map((_, each) => `"t${index}"."c${each}"`),
      from: `(SELECT ${list} FROM ${source} LIMIT 0) AS "t${index}" ON TRUE`,
    });
  }
  const template = [
    `SELECT ${[...joins.map((_, index) => `"k"."k${index}"`), ...tables.flatMap(each => each.list)].join(', ') || '1'}`,
    `FROM (SELECT ${repeats.join(',\n  ') || '1'}) AS "k"`,
    ...tables.map(each => `LEFT JOIN ${each.from}`),
  ].join('\n');
  return yield* assembly.finish(template);
}

/**
 * SQL that is true if the key of a join occurs twice. A unique index proves the opposite without reading rows. Without such an index
 * the rows are grouped.
 */
function repeatsKey(join: BoundJoin, assembly: SqlAssembly): string {
  if ('sql' in join.source) throw new Error('A join reads a table');
  const { schema, table } = join.source;
  const guard = guardOverTable(join);
  const guarded = join.on.map(([, key]) => guard(key));
  const keys = guarded.map(key => assembly.embed(key));
  const filter = join.filter === undefined ? '' : ` AND ${assembly.embed(guard(join.filter))}`;
  const grouped = `EXISTS (SELECT 1 FROM ${quoteTable(schema, table)} AS ${assembly.dialect.quote(join.alias)}
    WHERE ${keys.map(key => `${key} IS NOT NULL`).join(' AND ')}${filter} GROUP BY ${keys.join(', ')} HAVING count(*) > 1)`;
  const columns = guarded.flatMap(columnOf);
  if (columns.length < keys.length) return grouped;
  // A unique index of a table with inheritance children does not cover the rows of the children.
  return `CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_index AS i
      JOIN pg_catalog.pg_class AS t ON t.oid = i.indrelid JOIN pg_catalog.pg_namespace AS n ON n.oid = t.relnamespace
    WHERE n.nspname = ${assembly.bind(schema, 'text')} AND t.relname = ${assembly.bind(table, 'text')} AND (t.relkind = 'p' OR NOT t.relhassubclass)
      AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL
      AND ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])) <@ ${assembly.bind(columns, 'text[]')})
  THEN FALSE ELSE ${grouped} END`;
}

/** The name of the column, if an expression is a bare column. Empty for any other expression. */
function columnOf({ columns, tree }: GuardedExpression): string[] {
  return 'ColumnRef' in (tree as object) ? columns.map(([, name]) => name) : [];
}

import { type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { compileFilter } from './compile-filters.js';
import { compileRelation } from './compile-relation.js';
import { type ScanContext } from './compile-scan.js';
import { type BoundColumn, findDimension, namedColumns } from './metric-binding.js';
import { type Column, type Scan } from './plan-metric.js';
import { type NamedSql } from './select-groups.js';
import { type SqlAssembly } from './sql-assembly.js';

/** The rows of a binding that pass all filters, and what is computed of them. */
export interface ScanRows {
  /** A FROM item with the columns that are read. */
  from(withTime: boolean): string;
  conditions: string[];
  /** The columns of the dimensions asked for. */
  dimensions: string[];
  measures: NamedSql[];
}

export function rowsOf({ binding, clause, columns }: Scan, { request, assembly, problems }: ScanContext): ScanRows {
  const { quote } = assembly.dialect;
  const named = namedColumns(binding);
  const exposed = new Map<string, BoundColumn>();
  const expose = (name: string, column = named.get(name)): string => {
    if (column) exposed.set(name, { ...column, name });
    return quote(name);
  };
  const guarded = [...columns.values()].flatMap(column => [...column.args, ...column.where]).concat(clause ?? []);
  for (const [, name] of guarded.flatMap(each => each.columns)) expose(name);
  const dimensions = request.dimensions.flatMap(name => {
    const dimension = findDimension(binding, name);
    return dimension ? [expose(dimension.name, dimension)] : [];
  });
  const measures = [...columns.values()].map(column => ({ sql: compileColumn(column, assembly), name: column.name }));
  const conditions = request.filters.flatMap((filter, index) => {
    const column = named.get(filter.field);
    if (!column) return [];
    expose(filter.field);
    return compileFilter(filter, { ...column, name: filter.field }, index, assembly, problems) ?? [];
  });
  if (clause) conditions.push(assembly.embed(clause));
  return { from: withTime => compileRelation(binding, [...exposed.values()], withTime, assembly), conditions, dimensions, measures };
}

/** `SUM("amount") FILTER (WHERE …)`. */
function compileColumn({ aggregate, args, where }: Column, assembly: SqlAssembly): string {
  const embed = (each: GuardedExpression) => assembly.embed(each);
  const complete = aggregate.completeRowsOnly ? args.map(each => `${embed(each)} IS NOT NULL`) : [];
  const { aggregateWhere, roundedToDecimal } = assembly.dialect;
  const value = aggregateWhere(aggregate.sql(args.map(embed), assembly.dialect), [...complete, ...where.map(embed)]);
  return aggregate.isFloat ? roundedToDecimal(value) : value;
}

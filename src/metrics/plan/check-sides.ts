import { type Guard } from '../../sql-guard/guard-expression.js';
import { nameParts, type NodeFields } from '../../sql-guard/walk-tree.js';
import { type SqlTree } from '../../sql-guard/sql-parser.js';
import { type Steps } from '../../text/steps.js';
import { argumentsOf, type Leaf, type SqlText } from '../formula/formula-tree.js';
import { FanOutMeasureError } from '../metrics.errors.js';
import { guardOverTables } from './bound-sql.js';
import { isFloat } from './compile-relation.js';
import { isBoolean, type TypeOf } from './exact-arithmetic.js';
import { type GuardedTexts } from './guard-formula.js';
import { type BoundJoin, type BoundTable, type MetricBinding, namedColumns } from './metric-binding.js';
import { type ResolvedLeaf } from './resolve-metric.js';

type ColumnName = [qualifier: string | null, name: string];

/**
 * Refuses an aggregate if all its values come from joined tables and one row of these tables may belong to several rows of the fact table,
 * since that row would count once for each of them. Extremes and distinct counts are allowed, because repeated rows do not change them.
 * FIRST and LAST are checked, because they add up the rows of one time. A binding that declares its values `additive` wants them counted by
 * fact row.
 * @returns the one-to-one joins that aggregates rely on, reversed: their keys in the other table must be unique as well
 * @throws FanOutMeasureError
 */
export function* checkSides(leaves: readonly ResolvedLeaf[], texts: ReadonlyMap<MetricBinding, GuardedTexts>): Steps<BoundJoin[]> {
  const relied = new Map<string, BoundJoin>();
  const sides = new Map<MetricBinding, Sides>();
  for (const leaf of leaves) {
    const { binding, name } = leaf.owner;
    const measured = measuredTexts(leaf.node);
    if (measured.length === 0 || binding.joins.length === 0 || binding.additivity === 'additive') continue;
    yield;
    const known = sides.get(binding) ?? new Sides(binding);
    sides.set(binding, known);
    const typeOf = (column: string) => namedColumns(binding).get(column)?.type;
    const columns = measured.flatMap(text => valueColumns(texts.get(binding)!.get(text)!.tree, typeOf).map(([, column]) => column));
    const tables = new Set<string>();
    for (const column of columns) {
      yield;
      for (const alias of known.tablesBehind(column)) tables.add(alias);
    }
    if (tables.size === 0 || tables.has(binding.fact.alias)) continue;
    const proof = [...tables].map(alias => known.proofOf(alias)).find(found => found !== null);
    if (!proof) {
      const mayDeclare = [...tables].some(alias => known.mayBeOneToOne(alias));
      throw new FanOutMeasureError(name, functionOf(leaf.node), [...new Set(columns)], mayDeclare);
    }
    for (const join of proof) relied.set(JSON.stringify([join.source, join.on, join.filter]), join);
  }
  return [...relied.values()];
}

/**
 * The arguments of an aggregate whose result changes if a row of the argument's table is repeated. Empty for extremes and distinct counts,
 * and for COUNT(*), which has no argument.
 */
function measuredTexts(leaf: Leaf): SqlText[] {
  if (leaf.pattern === 'count_distinct') return [];
  if (leaf.pattern !== 'aggregate') return argumentsOf(leaf).filter(text => text !== null);
  return leaf.argument === null || leaf.fn === 'MIN' || leaf.fn === 'MAX' ? [] : [leaf.argument];
}

function functionOf(leaf: Leaf): string {
  if (leaf.pattern === 'aggregate') return leaf.fn;
  return leaf.pattern === 'weighted_average' ? 'WAVG' : 'PERCENTILE';
}

/** Determines for each table of a binding whether one of its rows may belong to several fact rows. */
class Sides {
  private readonly guard: Guard;
  /**
   * For each table, by its alias: the joins whose keys must be proved unique, so that one row belongs to one fact row at most. Null if a
   * row may belong to several.
   */
  private readonly proofs = new Map<string, BoundJoin[] | null>();
  /** The aliases of tables whose rows would belong to one fact row at most if their joins were declared one to one and proved. */
  private readonly undeclared = new Set<string>();

  constructor(private readonly binding: MetricBinding) {
    this.guard = guardOverTables(binding);
    const { fact, joins } = binding;
    this.proofs.set(fact.alias, []);
    const before = new Map<string, BoundTable>([[fact.alias, fact]]);
    for (const join of joins) {
      const proof = this.proofThrough(join, before);
      const isDeclared = join.relationship === 'one_to_one';
      this.proofs.set(join.alias, isDeclared ? proof : null);
      if (proof && !isDeclared) this.undeclared.add(join.alias);
      before.set(join.alias, join);
    }
  }

  proofOf(alias: string): BoundJoin[] | null {
    return this.proofs.get(alias) ?? null;
  }

  mayBeOneToOne(alias: string): boolean {
    return this.undeclared.has(alias);
  }

  /** The aliases of the tables from which a logical column takes its values. */
  tablesBehind(column: string): string[] {
    const { fact, joins } = this.binding;
    const bound = namedColumns(this.binding).get(column);
    const typeOf: TypeOf = (name, qualifier) =>
      [fact, ...joins].find(({ alias }) => alias === (qualifier ?? fact.alias))?.columns.find(each => each.name === name)?.type;
    return bound ? valueColumns(this.guard(bound.expression).tree, typeOf).map(([qualifier]) => qualifier ?? fact.alias) : [];
  }

  /** The joins whose keys must be proved unique if the given join is one to one. Null if there is no proof for it. */
  private proofThrough({ on }: BoundJoin, before: ReadonlyMap<string, BoundTable>): BoundJoin[] | null {
    const [alias, ...others] = new Set(
      on.flatMap(([outer]) => this.guard(outer).columns.map(([qualifier]) => qualifier ?? this.binding.fact.alias)),
    );
    const table = alias === undefined || others.length > 0 ? undefined : before.get(alias);
    const path = table && this.proofOf(table.alias);
    // The keys of a query are not proved.
    if (!path || 'sql' in table.source) return null;
    const filter = table === this.binding.fact ? this.ownFilter() : null;
    const turned: BoundJoin = { ...table, kind: 'inner', relationship: 'one_to_one', on: on.map(([outer, key]) => [key, outer]) };
    return [...path, filter === null ? turned : { ...turned, filter }];
  }

  /**
   * The row filter, if it reads only columns of the fact table and no float. Otherwise null. Relations compare floats as decimals, see
   * `compileTable`, so a filter on a float could keep other rows when it is applied to the table itself.
   */
  private ownFilter(): string | null {
    const { fact, row_filter: filter } = this.binding;
    if (filter === null) return null;
    const isOwn = this.guard(filter).columns.every(
      ([qualifier, name]) =>
        (qualifier ?? fact.alias) === fact.alias && !fact.columns.some(column => column.name === name && isFloat(column.type)),
    );
    return isOwn ? filter : null;
  }
}

/**
 * The columns whose values an expression can return. Columns in a condition do not count: `CASE WHEN stock > 0 THEN 1 END` returns the
 * value of no column. A boolean column is a condition.
 */
function valueColumns(tree: SqlTree, typeOf: TypeOf): ColumnName[] {
  const found: ColumnName[] = [];
  visit(tree);
  return found;

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) return value.forEach(visit);
    if (isBoolean({ tree: value }, typeOf)) return;
    const { ColumnRef: reference, CaseExpr: choice, CaseWhen: branch } = value as Record<string, NodeFields | undefined>;
    if (reference) {
      const parts = nameParts(reference.fields);
      found.push([parts.length > 1 ? (parts[0] ?? null) : null, parts.at(-1) ?? '']);
    } else if (choice) [choice.args, choice.defresult].forEach(visit);
    else if (branch) visit(branch.result);
    else Object.values(value).forEach(visit);
  }
}

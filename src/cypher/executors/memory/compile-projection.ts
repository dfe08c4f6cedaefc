import {
  type Expression,
  type Projection,
  type ReturnClause,
  type ReturnItem,
  shapeOf,
  walk,
  type WithClause,
} from '../../syntax/cypher-ast.js';
import { freeVariables } from '../../syntax/free-variables.js';
import { extended } from '../../syntax/walk-in-scope.js';
import { sortInSteps } from '../../functions/sort-in-steps.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { compareForOrder } from '../../values/order.js';
import { aggregateCallsIn, checkUnambiguous, hasAggregateCall, isAggregateCall } from './aggregate-calls.js';
import { BehindBuilder } from './behind.js';
import { undefinedVariable } from './compile-expression-errors.js';
import { compile, compileCondition, type ExpressionPlace, type Rows } from './expression-place.js';
import { forgotten } from './forgotten-rows.js';
import { compileAggregate, groupRows } from './group-rows.js';
import { KeptRows } from './kept-rows.js';
import { type RunningQuery } from './running-query.js';
import { type Evaluate, type Row, Scope, valuesIn, valuesOf, type Variable } from './scope.js';
import { type SlotsRead, slotsRead } from './slots-read.js';
import { staticType } from './static-type.js';

/** Work units to compare two rows in ORDER BY, without the units for long values. */
const unitsOfComparison = 5;
/** Work units to hold a row for ORDER BY, without the units for the width of the row. */
const unitsOfHeldRow = 60;
/** Bytes that ORDER BY holds for a row, without the bytes of the row's values and sort keys. */
const bytesOfSorted = 64;

interface Column {
  name: string;
  slot: number;
  value: Evaluate;
}

export interface CompiledProjection {
  columns: { name: string; slot: number }[];
  scope: Scope;
  /**
   * The slots that the projection reads, if it only groups and counts; null otherwise. If not null, one input row may stand for many rows
   * with the same values in these slots.
   */
  counted: SlotsRead | null;
  run(rows: Rows): Rows;
}

/** Compiles WITH or RETURN: groups, columns, DISTINCT, ORDER BY, SKIP, LIMIT and WHERE, in this order. */
export function compileProjection(projection: ReturnClause | WithClause, place: ExpressionPlace): CompiledProjection {
  const { query } = place;
  const items = itemsOf(projection, place);
  const expressions = items.map(({ expression }) => expression);
  const hasAggregate = expressions.map(hasAggregateCall);
  const isGrouped = hasAggregate.includes(true);
  const calls = aggregateCallsIn(expressions, query);
  const keyItems = expressions.filter((_, i) => !hasAggregate[i]);
  for (const [i, expression] of expressions.entries()) if (hasAggregate[i]) checkUnambiguous(expression, keyItems, place);
  const aggregates = new Map([...calls].map(([shape, call]) => [shape, compileAggregate(call, place)]));
  const slotOfAggregate = (expression: Expression) => (isAggregateCall(expression) ? aggregates.get(shapeOf(expression))?.slot : undefined);
  const inGroup: ExpressionPlace = { ...place, resolve: expression => reading(slotOfAggregate(expression)) };

  const columns: Column[] = items.map(({ name, expression }) => ({
    name,
    slot: query.frame.take(),
    value: compile(expression, isGrouped ? inGroup : place),
  }));
  // A group key contains no aggregate, so the value of the key is the same before and after grouping.
  const groupKeys = columns.filter((_, i) => !hasAggregate[i]).map(({ value }) => value);
  const variables = new Map<string, Variable>(
    columns.map(({ name, slot }, i) => [name, { slot, type: staticType(expressions[i]!, place.scope) }]),
  );
  const scope = new Scope(query.frame, variables);
  const after = isGrouped || projection.distinct ? columnsOnly() : columnsAndVariables();
  const keys = projection.orderBy.map(({ expression, descending }) => ({ value: compile(expression, after(expression)), descending }));
  const keyValues = keys.map(({ value }) => value);
  const condition = projection.kind === 'with' ? projection.where : null;
  const where = condition && compileCondition(condition, after(condition));
  const [skip, limit] = [compileCount(projection.skip, place), compileCount(projection.limit, place)];
  if (projection.kind === 'with') checkNamed(items, query);
  const isCounted = isGrouped && [...aggregates.values()].every(({ takesTimes }) => takesTimes);
  return {
    columns: columns.map(({ name, slot }) => ({ name, slot })),
    scope,
    counted: isCounted ? slotsRead(expressions, place.scope) : null,
    run,
  };

  function* run(rows: Rows): Rows {
    let found = isGrouped ? forgotten(groupRows(rows, groupKeys, [...aggregates.values()], place)) : rows;
    found = forgotten(project(found));
    if (projection.distinct) found = forgotten(distinctRows(found));
    const [from, most] = [skip?.() ?? 0, limit?.() ?? Infinity];
    if (keys.length > 0) found = forgotten(sortedRows(found, from + most));
    if (from > 0 || most < Infinity) found = part(found, from, most);
    for (const row of found) {
      if (row === null || (where && where(row) !== true)) {
        if (row === null) yield null;
        continue;
      }
      yield cleaned(row);
    }
  }

  /** Yields each row with the values of the columns in the slots of the columns. The variables of earlier clauses stay in their slots. */
  function* project(rows: Rows): Rows {
    const holding = query.work.holding();
    try {
      for (const row of rows) {
        if (row === null) {
          yield null;
          continue;
        }
        const projected: Row = [...row];
        projected.behind = new BehindBuilder().addRow(row);
        for (const { slot, value } of columns) projected[slot] = value(row);
        holding.passing(valuesIn(projected, columns));
        query.work.row(row.length);
        if (query.work.isDue) yield null;
        yield projected;
      }
    } finally {
      holding.release();
    }
  }

  /**
   * Yields the first of the rows with equal columns. Each later equal row adds its nodes and edges to the evidence of the first one. A
   * clause that has read the first row before misses these nodes and edges.
   */
  function* distinctRows(rows: Rows): Rows {
    const kept = new KeptRows(query, projection.kind === 'with' && keys.length === 0);
    let isWhole = false;
    try {
      for (const row of rows) {
        if (row === null) {
          yield null;
          continue;
        }
        if (kept.take(row, valuesIn(row, columns))) yield row;
      }
      isWhole = true;
    } finally {
      kept.end(isWhole);
    }
  }

  /** @param most the number of rows that ORDER BY has to yield; a row that comes after this many others in the order is not held */
  function* sortedRows(rows: Rows, most: number): Rows {
    let held: { row: Row; keys: CypherValue[]; bytes: number }[] = [];
    const isDue = () => query.work.isDue;
    let last: { keys: CypherValue[] } | undefined;
    const compare = (a: { keys: CypherValue[] }, b: { keys: CypherValue[] }): number => {
      query.work.spend(unitsOfComparison);
      for (const [i, { descending }] of keys.entries()) {
        const order = compareForOrder(a.keys[i] ?? null, b.keys[i] ?? null);
        if (order !== 0) return descending ? -order : order;
      }
      return 0;
    };
    const holding = query.work.holding();
    try {
      for (const row of rows) {
        if (row === null) {
          yield null;
          continue;
        }
        const found = valuesOf(keyValues, row);
        // The last wanted row stays: it comes before this row in the order, or has equal keys and was given earlier.
        if (last && compare(last, { keys: found }) <= 0) continue;
        query.work.spend(unitsOfHeldRow);
        holding.add(bytesOfSorted);
        held.push({ row, keys: found, bytes: holding.row(row) + holding.row(found) });
        if (isDue()) yield null;
        // Drop the unwanted rows only after each `most` + 1,000 further rows, because dropping sorts all held rows.
        if (held.length < 2 * most + 1_000) continue;
        held = yield* sortInSteps(held, compare, isDue);
        for (const { row, keys, bytes } of held.splice(most)) {
          holding.add(-bytesOfSorted);
          holding.dropRow([...row, ...keys], bytes);
        }
        last = held.at(-1);
      }
      held = yield* sortInSteps(held, compare, isDue);
      for (const { row } of held) yield row;
    } finally {
      holding.release();
    }
  }

  /** A row for the next clause, in which only the columns have values. */
  function cleaned(row: Row): Row {
    const clean: Row = query.frame.emptyRow();
    for (const { slot } of columns) clean[slot] = row[slot] ?? null;
    if (row.behind) clean.behind = row.behind;
    return clean;
  }

  /**
   * Scope of ORDER BY and WHERE without groups or DISTINCT: the columns and the earlier variables. A column hides a variable of the same
   * name.
   */
  function columnsAndVariables(): (expression: Expression) => ExpressionPlace {
    const both = new Scope(query.frame, extended(place.scope.variables, variables));
    return expression => {
      if (hasAggregateCall(expression))
        throw query.error(
          'InvalidAggregation',
          {
            zh: 'ORDER BY 与 WHERE 中的聚合须同时出现在 WITH 或 RETURN 中',
            en: 'ORDER BY and WHERE aggregate only what WITH or RETURN aggregates',
          },
          expression.position,
        );
      return { query, scope: both };
    };
  }

  /**
   * Scope of ORDER BY and WHERE after grouping or DISTINCT: the columns, and each expression that equals an aggregate or the expression of
   * a column.
   */
  function columnsOnly(): (expression: Expression) => ExpressionPlace {
    const byShape = new Map(items.map(({ expression }, i) => [shapeOf(expression), columns[i]!.slot]));
    const hiding = items
      .filter(({ name, expression }) => expression.kind !== 'variable' || expression.name !== name)
      .map(item => item.name);
    /**
     * Whether the expression would mean the same as an item of the projection. A column hides a variable of the same name, so an expression
     * with this name differs from the same text in an item.
     */
    const isOfItems = (inner: Expression) => !freeVariables(inner, hiding).some(({ name }) => hiding.includes(name));
    const inKeys = new Set<string>();
    for (const key of keyItems) walk(key, inner => inner.kind === 'variable' && inKeys.add(inner.name));
    return expression => {
      const aggregated = hasAggregateCall(expression);
      return {
        query,
        scope,
        resolve: inner => {
          const slot = isOfItems(inner) ? (byShape.get(shapeOf(inner)) ?? slotOfAggregate(inner)) : undefined;
          if (slot !== undefined && !(aggregated && isComplexKey(inner))) return reading(slot);
          if (isAggregateCall(inner)) {
            if (!isGrouped) throw misplaced(inner);
            for (const arg of inner.kind === 'call' ? inner.args : [])
              walk(arg, variable => {
                if (variable.kind === 'variable' && !scope.find(variable.name))
                  throw undefinedVariable(query, variable.name, variable.position);
              });
            throw misplaced(inner);
          }
          if (inner.kind === 'variable' && !scope.find(inner.name)) {
            if (aggregated && inKeys.has(inner.name)) checkUnambiguous(inner, [], place);
            throw undefinedVariable(query, inner.name, inner.position);
          }
          return null;
        },
      };
    };
  }

  function isComplexKey(expression: Expression): boolean {
    return !hasAggregateCall(expression) && expression.kind !== 'variable' && expression.kind !== 'property';
  }

  function misplaced({ position }: Expression): Error {
    return query.error(
      'InvalidAggregation',
      { zh: 'ORDER BY 中的聚合须同时出现在 WITH 或 RETURN 中', en: 'ORDER BY aggregates only what WITH or RETURN aggregates' },
      position,
    );
  }
}

/** @throws CypherSyntaxError for an item of WITH that is neither a variable nor named by AS */
function checkNamed(items: ReturnItem[], query: RunningQuery): void {
  for (const { name, aliased, expression } of items)
    if (!aliased && expression.kind !== 'variable')
      throw query.error(
        'NoExpressionAlias',
        { zh: `WITH 中的 ${name} 须以 AS 命名`, en: `Name ${name} by AS in WITH` },
        expression.position,
      );
}

function reading(slot: number | undefined): Evaluate | null {
  return slot === undefined ? null : row => row[slot] ?? null;
}

function* part(rows: Rows, from: number, most: number): Rows {
  if (most === 0) return;
  let count = 0;
  for (const row of rows) {
    if (row === null) {
      yield null;
      continue;
    }
    count += 1;
    if (count > from) yield row;
    if (count >= from + most) return;
  }
}

function itemsOf({ star, items, position }: Projection, { query, scope }: ExpressionPlace): ReturnItem[] {
  const starred: ReturnItem[] = star
    ? [...scope.variables.keys()].map(name => ({ name, aliased: false, expression: { kind: 'variable', name, position } }))
    : [];
  const all = [...starred, ...items];
  if (star && all.length === 0)
    throw query.error('NoVariablesInScope', { zh: '没有变量可供 * 返回', en: '* has no variable to return' }, position);
  const seen = new Set<string>();
  for (const { name, expression } of all) {
    if (seen.has(name))
      throw query.error('ColumnNameConflict', { zh: `两列同名：${name}`, en: `Two columns are named ${name}` }, expression.position);
    seen.add(name);
  }
  return all;
}

/** Compiles the number of SKIP or LIMIT; null if the clause is absent. A parameter is read when the query runs. */
function compileCount(expression: Expression | null, place: ExpressionPlace): (() => number) | null {
  if (expression === null) return null;
  const { query } = place;
  let constant = true;
  walk(expression, inner => {
    if (inner.kind === 'variable' && place.scope.find(inner.name))
      throw query.error(
        'NonConstantExpression',
        { zh: 'SKIP 与 LIMIT 不能使用变量', en: 'SKIP and LIMIT take no variables' },
        inner.position,
      );
    if (inner.kind === 'parameter' || inner.kind === 'call') constant = false;
  });
  const value = compile(expression, { query, scope: new Scope(query.frame) });
  const read = () => countOf(value(query.frame.emptyRow()));
  if (constant) read();
  return read;

  function countOf(found: CypherValue): number {
    const sentence = { zh: 'SKIP 与 LIMIT 须为非负整数', en: 'SKIP and LIMIT take a non-negative integer' };
    if (typeof found !== 'bigint') throw query.error('InvalidArgumentType', sentence, expression!.position);
    if (found < 0n) throw query.error('NegativeIntegerArgument', sentence, expression!.position);
    return Number(found);
  }
}

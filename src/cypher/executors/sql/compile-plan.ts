import { graphTables } from '../../../database/graph-tables.js';
import { SqlParameters, type SqlStatement } from '../../../sql/sql-parameters.js';
import { findOperator, type Operator, operatorsOf, type QueryPlan } from '../../plan/operators.js';
import { operandsOf, type TypedExpression } from '../../semantics/typed-tree.js';
import { CypherNotSupportedError } from '../../syntax/cypher.errors.js';
import { notInSql } from '../../syntax/phrases.js';
import { type ValueType } from '../../values/value-type.js';
import { boundedCollection, gatheredBytes } from './bounded-value.js';
import { compileAggregate, gatheredBy, sortKeys } from './compile-aggregate.js';
import { compileCondition, compileExpression, type ExpressionScope } from './compile-expression.js';
import { compileJoins, type Joins } from './compile-joins.js';
import { type Entity, labelsOf, operand, SqlForms, type SqlValue } from './sql-value.js';

export interface CompileOptions {
  /** Must be a positive integer. */
  graphId: number;
  /** The most rows, even when the query's own LIMIT allows more. */
  limit: number;
}

/**
 * One statement. Every column is text: the JSON of the value, or NULL. When `evidence` is 'rows' one more column follows, the JSON
 * of `{"nodes": [id, …], "edges": [[id, source_id, target_id, type], …]}` of the match behind the row. A row of an aggregate or
 * DISTINCT stands for many matches and has no evidence. `decodeRows` reads both.
 */
export interface CompiledQuery extends SqlStatement {
  columns: { name: string; type: ValueType }[];
  evidence: 'rows' | 'none';
}

/** Repeated use of long aliases multiplies the text, and PostgreSQL should not have to parse megabytes. */
const maxSqlCharacters = 500_000;

type Aggregation = Operator & { kind: 'aggregate' };

/** Compiles a plan to SQL over the tables of one graph. @throws CypherNotSupportedError for a statement that would be too long */
export function compilePlan(plan: QueryPlan, options: CompileOptions): CompiledQuery {
  return new PlanCompiler(plan, options).compile();
}

/** Reads one operator of each kind, in the order in which planCypher stacks them. */
class PlanCompiler {
  private readonly parameters = new SqlParameters();
  private readonly forms = new SqlForms(this.parameters);
  private readonly joins: Joins;
  private readonly match: Operator & { kind: 'match' };
  private readonly matched: ExpressionScope;
  private readonly conditions: string[];

  constructor(
    private readonly plan: QueryPlan,
    private readonly options: CompileOptions,
  ) {
    this.match = this.required('match');
    const { pattern, keys } = this.match;
    this.joins = compileJoins(pattern, keys, graphTables(options.graphId), this.parameters, rowsNeeded(plan.root), plan.carriers);
    const elements = new Map<string, SqlValue>([
      ...pattern.nodes.map(({ variable }, index) => [variable, this.node(index)] as const),
      ...pattern.edges.map(({ variable }, index) => [variable, edge(index)] as const),
    ]);
    this.matched = this.scope(elements);
    const filters = [...operatorsOf(plan.root)].flatMap(operator => (operator.kind === 'filter' ? operator.conditions : []));
    this.conditions = [...this.joins.conditions, ...filters.map(condition => compileCondition(condition, this.matched))];
  }

  compile(): CompiledQuery {
    const aggregation = findOperator(this.plan.root, 'aggregate');
    const isFlat = aggregation === null;
    const evidence = isFlat && this.match.pattern.nodes.length > 0 ? 'rows' : 'none';
    const body = isFlat
      ? this.select(this.matched, this.source(), evidence === 'rows' ? [this.evidence()] : [])
      : this.grouped(aggregation);
    if (body.length > maxSqlCharacters) throw new CypherNotSupportedError(notInSql.complexQuery, null);
    return { ...this.parameters.finish(`${body}\n${this.page()}`), columns: this.plan.columns, evidence };
  }

  /** The columns of the result, in order, over `source`. */
  private select(scope: ExpressionScope, source: string, more: string[] = []): string {
    const columns = this.required('project').columns.map(
      ({ expression }, i) => `${operand(this.forms.json(compileExpression(expression, scope)))}::text AS c${i}`,
    );
    const order = this.order(scope);
    return lines(`SELECT ${[...columns, ...more].join(', ')}`, source, order.length === 0 ? '' : `ORDER BY ${order.join(', ')}`);
  }

  /**
   * Gives one row for each group. The inner statement computes the grouping keys (k0, …) and the bare aggregates (a0, …). The outer
   * one computes the result, so that an expression over aggregates, and its order, are ordinary expressions over columns.
   */
  private grouped(aggregation: Aggregation): string {
    const keys = aggregation.keys.map(({ name, expression }) => ({ name, value: compileExpression(expression, this.matched) }));
    const aggregates = aggregation.aggregates.map(({ name, expression }) => {
      const argument = expression.argument && compileExpression(expression.argument, this.matched);
      const value: SqlValue = { kind: 'sql', type: expression.type, ...compileAggregate(this.forms, expression, argument) };
      return { name, value };
    });
    const computed = [...keys, ...aggregates];
    const columns = computed.map(({ name, value }) => `${value.kind === 'sql' ? value.sql : this.forms.json(value)} AS ${name}`);
    const groups = [...new Set(keys.flatMap(({ value }) => this.groupKeys(value)))];
    const matches = lines(
      `SELECT ${columns.join(', ')}`,
      this.source(this.collectionBound(aggregation, groups)),
      groups.length === 0 ? '' : `GROUP BY ${groups.join(', ')}`,
    );
    const scope = this.scope(new Map(computed.map(({ name, value }) => [name, columnValue(value, `q.${name}`)])));
    return this.select(scope, `FROM (${matches}) AS q`);
  }

  /**
   * A condition that measures what the aggregates will gather, before any of it is gathered. It reads the matches once more, in
   * constant memory: PostgreSQL evaluates the condition once, before everything else.
   */
  private collectionBound({ aggregates }: Aggregation, groups: string[]): string[] {
    const plain = new Set<string>();
    const distinct = new Set<string>();
    let position: number | null = null;
    for (const { expression } of aggregates) {
      if (!expression.argument) continue;
      const gathered = gatheredBy(this.forms, expression, compileExpression(expression.argument, this.matched));
      if (gathered === null) continue;
      (expression.distinct ? distinct : plain).add(gathered);
      position ??= expression.position;
    }
    if (position === null) return [];
    const source = this.source();
    const sizes = [...plain].map(value => `coalesce(${gatheredBytes(value)}, 0)`).join(' + ');
    const sums = plain.size === 0 ? [] : [`(SELECT sum(${sizes}) ${source})`];
    for (const value of distinct) {
      const values = `SELECT DISTINCT ${groups.map(key => `${key}, `).join('')}${value} AS value ${source}`;
      sums.push(`(SELECT sum(${gatheredBytes('g.value')}) FROM (${values}) AS g)`);
    }
    return [boundedCollection(sums.map(sum => `coalesce(${sum}, 0)`).join(' + '), position)];
  }

  /** An element is grouped by its id. Nodes have a primary key, so their other columns follow from it. */
  private groupKeys(value: SqlValue): string[] {
    if (value.kind !== 'entity') return [value.kind === 'sql' ? value.sql : this.forms.json(value)];
    if (value.type === 'node') return [value.entity.id];
    const alias = value.entity.id.replace(/\.id$/, '');
    return ['id', 'type', 'source_id', 'target_id', 'properties'].map(column => `${alias}.${column}`);
  }

  /** The keys of ORDER BY. A constant has no effect on the order, and PostgreSQL refuses some constants, so they are left out. */
  private order(scope: ExpressionScope): string[] {
    const keys = findOperator(this.plan.root, 'sort')?.keys ?? [];
    return keys.flatMap(({ expression, descending }) => {
      const value = compileExpression(expression, scope);
      return value.kind === 'constant' ? [] : sortKeys(this.forms, value, descending);
    });
  }

  private evidence(): string {
    const edges = this.match.pattern.edges.map((_, i) => `jsonb_build_array(e${i}.id, e${i}.source_id, e${i}.target_id, e${i}.type)`);
    return `jsonb_build_object('nodes', jsonb_build_array(${this.joins.nodeIds.join(', ')}), 'edges', jsonb_build_array(${edges.join(', ')}))::text AS evidence`;
  }

  private page(): string {
    const skip = findOperator(this.plan.root, 'skip')?.count ?? 0;
    const limit = Math.min(findOperator(this.plan.root, 'limit')?.count ?? Infinity, this.options.limit);
    return `LIMIT ${this.parameters.bind(limit, 'int8')}${skip > 0 ? ` OFFSET ${this.parameters.bind(skip, 'int8')}` : ''}`;
  }

  /** The matches, as FROM and WHERE. */
  private source(more: string[] = []): string {
    const conditions = [...this.conditions, ...more];
    return lines(this.joins.from, conditions.length === 0 ? '' : `WHERE ${conditions.join('\n  AND ')}`);
  }

  private node(index: number): SqlValue {
    const n = `n${index}`;
    const entity: Entity = {
      id: this.joins.nodeIds[index] ?? `${n}.id`,
      label: `${n}.label`,
      labels: labelsOf(n),
      properties: `${n}.properties`,
      object: `(jsonb_build_object('_kind', 'node', 'id', ${n}.id, 'label', ${n}.label, 'labels', ${labelsOf(n)}, 'key', ${n}.key, 'display', ${n}.display, 'properties', ${n}.properties)
        || CASE WHEN ${n}.owners = '{}' THEN '{"stub": true}'::jsonb ELSE '{}'::jsonb END)`,
    };
    return { kind: 'entity', type: 'node', entity };
  }

  private scope(variables: ReadonlyMap<string, SqlValue>): ExpressionScope {
    return {
      forms: this.forms,
      carriers: this.plan.carriers,
      variable: name => {
        const value = variables.get(name);
        if (!value) throw new Error(`No operator below gives the variable ${name}`);
        return value;
      },
    };
  }

  private required<K extends Operator['kind']>(kind: K): Operator & { kind: K } {
    const operator = findOperator(this.plan.root, kind);
    if (!operator) throw new Error(`The plan lacks the operator ${kind}`);
    return operator;
  }
}

function edge(index: number): SqlValue {
  const e = `e${index}`;
  const entity: Entity = {
    id: `${e}.id`,
    label: `${e}.type`,
    labels: `jsonb_build_array(${e}.type)`,
    properties: `${e}.properties`,
    object: `jsonb_build_object('_kind', 'edge', 'id', ${e}.id, 'type', ${e}.type, 'source_id', ${e}.source_id, 'target_id', ${e}.target_id, 'properties', ${e}.properties)`,
  };
  return { kind: 'entity', type: 'edge', entity };
}

/** A grouping key or aggregate outside its group: a column. An element becomes its jsonb object with the parts in it. */
function columnValue(value: SqlValue, column: string): SqlValue {
  if (value.kind === 'sql') return { kind: 'sql', type: value.type, form: value.form, sql: column };
  if (value.kind === 'constant') return { kind: 'sql', type: value.type, form: 'jsonb', sql: column };
  const label = value.type === 'node' ? 'label' : 'type';
  const entity: Entity = {
    id: `(${column} ->> 'id')::int8`,
    label: `(${column} ->> '${label}')`,
    labels: value.type === 'node' ? `(${column} -> 'labels')` : `jsonb_build_array(${column} -> 'type')`,
    properties: `(${column} -> 'properties')`,
    object: column,
  };
  return { ...value, entity };
}

/** Tells which nodes must be read, because more than their id is used. Nodes that are only counted or compared by id need no reading. */
function rowsNeeded(root: Operator): boolean[] {
  const nodes = findOperator(root, 'match')?.pattern.nodes ?? [];
  const needed = nodes.map(node => node.labels.length > 0);
  const visit = (expression: TypedExpression) => {
    if (expression.kind === 'variable') {
      const index = nodes.findIndex(node => node.variable === expression.name);
      if (index >= 0) needed[index] = true;
      return;
    }
    const operands = operandsOf(expression);
    const onlyId =
      (expression.kind === 'call' && (expression.function === 'id' || expression.function === 'elementid')) ||
      (expression.kind === 'aggregate' && expression.function === 'count');
    if (!onlyId || operands.some(({ kind }) => kind !== 'variable')) operands.forEach(visit);
  };
  for (const operator of operatorsOf(root)) expressionsOf(operator).forEach(visit);
  return needed;
}

function expressionsOf(operator: Operator): TypedExpression[] {
  switch (operator.kind) {
    case 'filter':
      return operator.conditions;
    case 'aggregate':
      return [...operator.keys, ...operator.aggregates].map(({ expression }) => expression);
    case 'sort':
      return operator.keys.map(({ expression }) => expression);
    case 'project':
      return operator.columns.map(({ expression }) => expression);
    case 'match':
    case 'skip':
    case 'limit':
      return [];
    default:
      return operator satisfies never;
  }
}

function lines(...parts: string[]): string {
  return parts.filter(part => part !== '').join('\n');
}

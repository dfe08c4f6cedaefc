import { graphTables } from '../../../database/graph-tables.js';
import { hasAggregate, isAggregate } from '../../semantics/aggregates.js';
import { compileAggregate, gatheredBy, sortKeys } from './compile-aggregate.js';
import { boundedCollection, gatheredBytes } from './bounded-value.js';
import { compileCondition, compileExpression, type ExpressionScope } from './compile-expression.js';
import { compileJoins, type Joins } from './compile-joins.js';
import { childrenOf, shapeOf, type Expression, walk } from '../../syntax/cypher-ast.js';
import { CypherNotSupportedError, CypherSyntaxError, placeOf } from '../../syntax/cypher.errors.js';
import { type ValueType } from '../../semantics/graph-schema.js';
import { type LogicalPlan, type PlannedNode, type PlanWarning } from '../../plan/logical-plan.js';
import { QueryParameters } from './query-parameters.js';
import { SqlParameters, type SqlStatement } from '../../../sql/sql-parameters.js';
import { type Entity, ExactNumber, operand, SqlForms, sqlValue, type SqlValue } from './sql-value.js';

export interface CompileOptions {
  /** A checked positive integer. */
  graphId: number;
  /** Values of the query's $parameters: anything JSON can say. */
  parameters?: Readonly<Record<string, unknown>>;
  /** At most this many rows, however many the query's own LIMIT allows. */
  limit: number;
  /** Rows to leave out first, after the query's own SKIP; for pages. */
  offset?: number;
  /** Order rows that the query leaves unordered too, so that pages fit together. Costs a sort of all matches. */
  stable?: boolean;
}

/**
 * One statement. Every column is text: the JSON of the value, or NULL. When `evidence` is 'rows' one more column follows, the JSON of
 * `{"nodes": [id, …], "edges": [[id, source_id, target_id, type], …]}` of the match behind the row; a row of an aggregate or DISTINCT
 * stands for many matches and has none. `decodeRows` reads both.
 */
export interface CompiledQuery extends SqlStatement {
  columns: { name: string; type: ValueType }[];
  evidence: 'rows' | 'none';
  warnings: PlanWarning[];
}

/** Repeated use of long aliases multiplies text; PostgreSQL should not be asked to parse megabytes. */
const MAX_SQL_CHARACTERS = 500_000;

/** A plan to SQL over the tables of one graph. Throws MissingParameterError, InvalidParameterError, CypherSyntaxError. */
export function compilePlan(plan: LogicalPlan, options: CompileOptions): CompiledQuery {
  return new PlanCompiler(plan, options).compile();
}

class PlanCompiler {
  private readonly parameters = new SqlParameters();
  private readonly forms = new SqlForms(this.parameters);
  private readonly user: QueryParameters;
  private readonly warnings: PlanWarning[] = [];
  private joins: Joins = { from: '', conditions: [], nodeIds: [] };

  constructor(
    private readonly plan: LogicalPlan,
    private readonly options: CompileOptions,
  ) {
    this.user = new QueryParameters(options.parameters ?? {}, position => this.place(position));
  }

  compile(): CompiledQuery {
    const { plan, options } = this;
    this.joins = compileJoins(plan, graphTables(options.graphId), this.parameters, rowsNeeded(plan), node => this.keyText(node));
    const scope = this.scope(expression => (expression.kind === 'variable' ? this.variable(expression.name) : null));
    const conditions = plan.conditions.map(condition => this.forms.boolean(compileCondition(condition, scope)));
    const where = [...this.joins.conditions, ...conditions];
    const body = plan.aggregated || plan.distinct ? this.grouped(where, scope) : this.flat(where, scope);
    if (body.sql.length > MAX_SQL_CHARACTERS) throw new CypherNotSupportedError({ zh: '如此复杂的查询', en: 'a query this complex' }, null);
    return {
      ...this.parameters.finish(`${body.sql}\n${this.page()}`),
      columns: plan.items.map(({ name }, i) => ({ name, type: body.types[i] ?? 'any' })),
      evidence: body.evidence,
      warnings: [...plan.warnings, ...this.warnings, ...this.user.unused()],
    };
  }

  private source(where: string[]): string {
    return lines(this.joins.from, where.length === 0 ? '' : `WHERE ${where.join('\n  AND ')}`);
  }

  /** One row for each match. */
  private flat(where: string[], scope: ExpressionScope): { sql: string; types: ValueType[]; evidence: 'rows' | 'none' } {
    const { plan } = this;
    const values = plan.items.map(item => compileExpression(item.expression, scope));
    const columns = values.map((value, i) => `${this.output(value)} AS c${i}`);
    const evidence = plan.nodes.length > 0;
    if (evidence) columns.push(`${this.evidence()} AS evidence`);
    const order = this.order(scope);
    if (this.options.stable === true) order.push(...this.joins.nodeIds, ...plan.edges.map((_, i) => `e${i}.id`));
    return {
      sql: lines(`SELECT ${columns.join(', ')}`, this.source(where), orderBy(order)),
      types: values.map(value => value.type),
      evidence: evidence ? 'rows' : 'none',
    };
  }

  /**
   * One row for each group. The inner statement computes the grouping keys (k0, …) and the bare aggregates (a0, …); the outer one what
   * is made of them, so that an expression over aggregates, and its order, are ordinary expressions over columns.
   */
  private grouped(where: string[], inner: ExpressionScope): { sql: string; types: ValueType[]; evidence: 'none' } {
    const { plan } = this;
    const columns: string[] = [];
    const groups: string[] = [];
    const known = new Map<string, SqlValue>();
    for (const { expression } of plan.items) {
      if (hasAggregate(expression) || known.has(shapeOf(expression))) continue;
      const value = compileExpression(expression, inner);
      const name = `k${known.size}`;
      columns.push(`${value.kind === 'sql' ? value.sql : this.forms.json(value)} AS ${name}`);
      groups.push(...this.groupKeys(value));
      known.set(shapeOf(expression), columnValue(value, `q.${name}`));
    }
    const keyCount = columns.length;
    const outer = this.scope(expression => {
      const shape = shapeOf(expression);
      const column = known.get(shape);
      if (column || !isAggregate(expression) || (expression.kind !== 'call' && expression.kind !== 'countAll')) return column ?? null;
      const value = this.aggregate(expression, inner);
      const name = `a${columns.length - keyCount}`;
      columns.push(`${value.kind === 'sql' ? value.sql : this.forms.json(value)} AS ${name}`);
      const result = columnValue(value, `q.${name}`);
      known.set(shape, result);
      return result;
    });
    const values = plan.items.map(item => compileExpression(item.expression, outer));
    const order = this.order(outer);
    if (this.options.stable === true) order.push(...Array.from({ length: keyCount }, (_, i) => `q.k${i}`));
    const groupBy = groups.length === 0 ? '' : `GROUP BY ${[...new Set(groups)].join(', ')}`;
    const bound = this.collectionBound(this.source(where), groups, inner);
    const matches = lines(`SELECT ${columns.join(', ')}`, this.source([...where, ...bound]), groupBy);
    return {
      sql: lines(
        `SELECT ${values.map((value, i) => `${this.output(value)} AS c${i}`).join(', ')}`,
        `FROM (${matches}) AS q`,
        orderBy(order),
      ),
      types: values.map(value => value.type),
      evidence: 'none',
    };
  }

  /**
   * A condition that measures what the aggregates will gather before any of it is gathered. The matches are read twice, the first time
   * in constant memory: PostgreSQL evaluates the condition once, ahead of everything else.
   */
  private collectionBound(source: string, groups: string[], inner: ExpressionScope): string[] {
    const plain = new Set<string>();
    const distinct = new Set<string>();
    let position: number | null = null;
    for (const { expression } of [...this.plan.items, ...this.plan.orderBy])
      walk(expression, each => {
        if (each.kind !== 'call' || !isAggregate(each) || !each.args[0]) return;
        const gathered = gatheredBy(this.forms, each, compileExpression(each.args[0], inner));
        if (gathered === null) return;
        (each.distinct ? distinct : plain).add(gathered);
        position ??= each.position;
      });
    if (position === null) return [];
    const sizes = [...plain].map(value => `coalesce(${gatheredBytes(value)}, 0)`).join(' + ');
    const sums = plain.size === 0 ? [] : [`(SELECT sum(${sizes}) ${source})`];
    for (const value of distinct) {
      const values = `SELECT DISTINCT ${[...new Set(groups)].map(key => `${key}, `).join('')}${value} AS value ${source}`;
      sums.push(`(SELECT sum(${gatheredBytes('g.value')}) FROM (${values}) AS g)`);
    }
    return [boundedCollection(sums.map(sum => `coalesce(${sum}, 0)`).join(' + '), position)];
  }

  private aggregate(expression: Expression & { kind: 'call' | 'countAll' }, inner: ExpressionScope): SqlValue {
    const args = expression.kind === 'call' ? expression.args : [];
    if (expression.kind === 'call' && args.length !== 1) {
      throw new CypherSyntaxError(
        { zh: `${expression.name}() 需要 1 个参数`, en: `${expression.name}() takes 1 argument` },
        this.place(expression.position),
      );
    }
    const argument = args[0] ? compileExpression(args[0], inner) : null;
    const value = compileAggregate(this.forms, expression, argument);
    if (value) return value;
    const name = expression.kind === 'call' ? expression.name : 'count';
    throw new CypherSyntaxError(
      { zh: `类型不符：不能用于 ${name}()`, en: `Type mismatch: cannot be used in ${name}()` },
      this.place(expression.position),
    );
  }

  /** An element is its id; nodes have a primary key, so that their other columns follow from it. */
  private groupKeys(value: SqlValue): string[] {
    if (value.kind === 'entity' && value.type === 'node') return [value.entity.id];
    if (value.kind === 'entity') {
      const alias = value.entity.id.replace(/\.id$/, '');
      return ['id', 'type', 'source_id', 'target_id', 'properties'].map(column => `${alias}.${column}`);
    }
    return [value.kind === 'sql' ? value.sql : this.forms.json(value)];
  }

  /** The keys of ORDER BY. A constant orders nothing, and PostgreSQL refuses some of them. */
  private order(scope: ExpressionScope): string[] {
    return this.plan.orderBy.flatMap(({ expression, descending }) => {
      const value = compileExpression(expression, scope);
      return value.kind === 'constant' ? [] : sortKeys(this.forms, value, descending);
    });
  }

  private output(value: SqlValue): string {
    return `${operand(this.forms.json(value))}::text`;
  }

  private evidence(): string {
    const edges = this.plan.edges.map((_, i) => `jsonb_build_array(e${i}.id, e${i}.source_id, e${i}.target_id, e${i}.type)`);
    return `jsonb_build_object('nodes', jsonb_build_array(${this.joins.nodeIds.join(', ')}), 'edges', jsonb_build_array(${edges.join(', ')}))::text`;
  }

  private page(): string {
    const skip = this.count(this.plan.skip, 'SKIP') ?? 0;
    const queryLimit = this.count(this.plan.limit, 'LIMIT');
    const offset = this.options.offset ?? 0;
    const limit = queryLimit === null ? this.options.limit : Math.max(0, Math.min(queryLimit - offset, this.options.limit));
    const all = skip + offset;
    return `LIMIT ${this.parameters.bind(limit, 'int8')}${all > 0 ? ` OFFSET ${this.parameters.bind(all, 'int8')}` : ''}`;
  }

  private count(expression: Expression | null, clause: 'SKIP' | 'LIMIT'): number | null {
    if (expression === null) return null;
    const value =
      expression.kind === 'parameter'
        ? this.user.read(expression.name, expression.position)
        : expression.kind === 'number'
          ? new ExactNumber(expression.text, expression.integer)
          : null;
    const count = value instanceof ExactNumber && value.integer ? Number(value.text) : -1;
    if (count >= 0 && Number.isSafeInteger(count)) return count;
    throw new CypherSyntaxError(
      { zh: `${clause} 须为非负整数或参数`, en: `${clause} takes a non-negative integer, or a parameter that is one` },
      this.place(expression.position),
    );
  }

  /** The key of a node from constants; strings and integers only, whose text in the key and in the property agree. */
  private keyText(node: PlannedNode): string | null {
    const parts: string[] = [];
    for (const { property, value } of node.keyEquals ?? []) {
      const constant =
        value.kind === 'parameter'
          ? this.user.read(value.name, value.position)
          : value.kind === 'literal'
            ? value.value
            : value.kind === 'number'
              ? new ExactNumber(value.text, value.integer)
              : null;
      if (property.type === 'string' && typeof constant === 'string') parts.push(constant);
      else if (property.type === 'integer' && constant instanceof ExactNumber && /^-?\d+$/.test(constant.text))
        parts.push(BigInt(constant.text).toString());
      else return null;
    }
    const [first, ...others] = parts.map(part => this.parameters.bind(part, 'text'));
    if (first === undefined) return null;
    return others.length === 0 ? first : `jsonb_build_array(${[first, ...others].join(', ')})::text`;
  }

  private variable(name: string): SqlValue {
    const bound = this.plan.variables.get(name);
    if (!bound) throw new CypherSyntaxError({ zh: `变量 ${name} 未定义`, en: `The variable ${name} is not defined` }, null);
    return bound.kind === 'node' ? this.node(bound.index) : this.edge(bound.index);
  }

  private node(index: number): SqlValue {
    const n = `n${index}`;
    const planned = this.plan.nodes[index];
    const entity: Entity = {
      id: this.joins.nodeIds[index] ?? `${n}.id`,
      label: `${n}.label`,
      properties: `${n}.properties`,
      object: `jsonb_build_object('_kind', 'node', 'id', ${n}.id, 'label', ${n}.label, 'key', ${n}.key, 'display', ${n}.display, 'properties', ${n}.properties)`,
      ends: null,
      property: name => planned?.properties.get(name) ?? { name, type: 'any' },
    };
    return { kind: 'entity', type: 'node', entity };
  }

  private edge(index: number): SqlValue {
    const e = `e${index}`;
    const planned = this.plan.edges[index];
    const [source, target] = [this.plan.nodes[planned?.source ?? 0], this.plan.nodes[planned?.target ?? 0]];
    const entity: Entity = {
      id: `${e}.id`,
      label: `${e}.type`,
      properties: `${e}.properties`,
      object: `jsonb_build_object('_kind', 'edge', 'id', ${e}.id, 'type', ${e}.type, 'source_id', ${e}.source_id, 'target_id', ${e}.target_id, 'properties', ${e}.properties)`,
      ends: planned?.directed && source && target ? { source: source.variable, target: target.variable } : null,
      property: name => planned?.properties.get(name) ?? { name, type: 'any' },
    };
    return { kind: 'entity', type: 'edge', entity };
  }

  private scope(resolve: ExpressionScope['resolve']): ExpressionScope {
    return {
      forms: this.forms,
      resolve,
      parameter: (name, position) => this.user.read(name, position),
      place: position => this.place(position),
      warn: warning => this.warnings.push(warning),
    };
  }

  private place(position: number) {
    return this.plan.text === '' ? null : placeOf(this.plan.text, position);
  }
}

/** What a grouping key or aggregate is outside its group: a column; an element becomes its jsonb object with the parts in it. */
function columnValue(value: SqlValue, column: string): SqlValue {
  if (value.kind === 'sql') return sqlValue(value.type, value.form, column);
  if (value.kind === 'constant') return sqlValue(value.type, 'jsonb', column);
  const label = value.type === 'node' ? 'label' : 'type';
  return {
    ...value,
    entity: {
      ...value.entity,
      id: `(${column} ->> 'id')::int8`,
      label: `(${column} ->> '${label}')`,
      properties: `(${column} -> 'properties')`,
      object: column,
      ends: null,
    },
  };
}

/** Which nodes are used beyond their id, and so must be read: not those that are only counted or compared by id. */
function rowsNeeded(plan: LogicalPlan): boolean[] {
  const needed = plan.nodes.map(node => node.labels.length > 0);
  const need = (name: string) => {
    const variable = plan.variables.get(name);
    if (variable?.kind === 'node') needed[variable.index] = true;
    const edge = variable?.kind === 'edge' ? plan.edges[variable.index] : undefined;
    return edge;
  };
  const visit = (expression: Expression) => {
    const onlyId = expression.kind === 'call' && ['id', 'elementid', 'count'].includes(expression.name.toLowerCase());
    if (onlyId && expression.args.every(arg => arg.kind === 'variable')) return;
    if (expression.kind === 'variable') need(expression.name);
    if (
      expression.kind === 'call' &&
      ['startnode', 'endnode'].includes(expression.name.toLowerCase()) &&
      expression.args[0]?.kind === 'variable'
    ) {
      const edge = need(expression.args[0].name);
      if (edge) needed[edge.source] = needed[edge.target] = true;
    }
    for (const child of childrenOf(expression)) visit(child);
  };
  for (const expression of [...plan.conditions, ...plan.items.map(item => item.expression), ...plan.orderBy.map(item => item.expression)])
    visit(expression);
  return needed;
}

function orderBy(keys: string[]): string {
  return keys.length === 0 ? '' : `ORDER BY ${keys.join(', ')}`;
}

function lines(...parts: string[]): string {
  return parts.filter(part => part !== '').join('\n');
}

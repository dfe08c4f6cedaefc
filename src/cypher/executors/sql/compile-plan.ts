import { graphTables } from '../../../database/graph-tables.js';
import { mostSought } from '../../../sql/most-sought.js';
import { SqlParameters, type SqlStatement } from '../../../sql/sql-parameters.js';
import { findOperator, type Operator, operatorsOf, type QueryPlan } from '../../plan/operators.js';
import { formOf } from '../../semantics/forms.js';
import { NotInSqlError } from '../../semantics/not-in-sql.error.js';
import { operandsOf, type TypedExpression } from '../../semantics/typed-tree.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { type ValueType } from '../../values/value-type.js';
import { compileAggregate, sortKey } from './compile-aggregate.js';
import { compileCondition, compileExpression, compileRawProperty, type Entity, type ExpressionScope } from './compile-expression.js';
import { compileJoins, type Joins } from './compile-joins.js';

export interface CompileOptions {
  /** Must be a positive integer. */
  graphId: number;
  /** Maximum rows of the result, even if the LIMIT of the query allows more rows. */
  limit: number;
}

/** A column of the result. The value of a constant column is not part of the SQL statement. */
export type CompiledColumn =
  | { name: string; constant: CypherValue }
  /**
   * `word` is the mapping's word for the type, if the column is a property that is read unchanged; null otherwise. `isRounded` marks
   * decimals that were calculated from a mean.
   */
  | { name: string; type: ValueType; word: string | null; isRounded?: true };

/**
 * One SQL statement. Every column except constants is text, or NULL for null: the id of a node; the JSON of `[id, source_id, target_id,
 * type]` of an edge; the JSON of a property that is read unchanged; otherwise the plain value. If `evidence` is 'rows', there is one more
 * column: the JSON of `{"nodes": [id, …], "edges": [[id, source_id, target_id, type], …]}` of the row's match. A row of an aggregate or
 * DISTINCT comes from many matches, so it has no evidence. `decodeRows` reads the columns and the evidence.
 */
export interface CompiledQuery extends SqlStatement {
  columns: CompiledColumn[];
  evidence: 'rows' | 'none';
}

/**
 * Maximum characters of one SQL statement, so that PostgreSQL does not have to parse megabytes. Each use of an alias repeats the whole
 * expression behind the alias.
 */
const maxSqlCharacters = 500_000;

/** Compiles a plan to SQL over the tables of one graph. @throws NotInSqlError for a statement that would be too long */
export function compilePlan(plan: QueryPlan, options: CompileOptions): CompiledQuery {
  return new PlanCompiler(plan, options).compile();
}

/** Compiles a plan, which has at most one operator of each kind, in the order in which planCypher stacks them. */
class PlanCompiler {
  private readonly parameters = new SqlParameters();
  private readonly joins: Joins;
  private readonly match: Operator & { kind: 'match' };
  private readonly columns: { name: string; expression: TypedExpression }[];
  private readonly matched: ExpressionScope;
  private readonly conditions: string[];
  private sought = 0;

  constructor(
    private readonly plan: QueryPlan,
    private readonly options: CompileOptions,
  ) {
    this.match = this.required('match');
    this.columns = this.required('project').columns;
    const { pattern, keys } = this.match;
    this.joins = compileJoins(pattern, keys, graphTables(options.graphId), this.parameters, rowsNeeded(plan.root));
    const elements = new Map<string, Entity>([
      ...pattern.nodes.map(({ variable }, index) => [variable, this.node(index)] as const),
      ...pattern.edges.map(({ variable }, index) => [variable, edge(index)] as const),
    ]);
    this.matched = this.scope(elements, new Map());
    const filters = [...operatorsOf(plan.root)].flatMap(operator => (operator.kind === 'filter' ? operator.conditions : []));
    this.conditions = [...this.joins.conditions, ...filters.map(condition => compileCondition(condition, this.matched))];
  }

  compile(): CompiledQuery {
    const aggregation = findOperator(this.plan.root, 'aggregate');
    const isFlat = aggregation === null;
    const body = isFlat ? this.select(this.matched, this.source(), [this.evidence()]) : this.grouped(aggregation);
    if (body.length > maxSqlCharacters) throw new NotInSqlError('a statement this long');
    const means = aggregation?.aggregates.filter(({ expression }) => expression.function === 'avg').map(({ name }) => name) ?? [];
    const columns = this.columns.map(({ name, expression }): CompiledColumn => {
      if (expression.kind === 'constant') return { name, constant: expression.value };
      return {
        name,
        type: expression.type,
        word: isRaw(expression) ? expression.word : null,
        ...(mentions(expression, means) && { isRounded: true as const }),
      };
    });
    return { ...this.parameters.finish(`${body}\n${this.page()}`), columns, evidence: isFlat ? 'rows' : 'none' };
  }

  /**
   * The SELECT of the columns of the result, in order, and of the columns `more`, from `source`. SQL computes them before it sorts the
   * rows and applies LIMIT, so that a value that fails in any row fails the query, as in memory.
   */
  private select(scope: ExpressionScope, source: string, more: string[] = []): string {
    const shown = this.columns.filter(({ expression }) => expression.kind !== 'constant');
    const cells = [...shown.map(({ expression }, i) => `${cellOf(expression, scope)} AS c${i}`), ...more];
    const keys = findOperator(this.plan.root, 'sort')?.keys.filter(({ expression }) => expression.kind !== 'constant') ?? [];
    const order = keys.map(({ expression, descending }) => sortKey(expression, descending, scope));
    const canFail = [...this.columns, ...keys].some(({ expression }) => expression.canFail);
    if (order.length === 0 || !canFail)
      return lines(`SELECT ${cells.join(', ')}`, source, order.length === 0 ? '' : `ORDER BY ${order.join(', ')}`);
    const sorted = keys.map(({ expression }, i) => `${sortKey(expression, false, scope)} AS o${i}`);
    const names = [...shown.map((_, i) => `s.c${i}`), ...(more.length > 0 ? ['s.evidence'] : [])];
    const inner = lines(`SELECT ${[...cells, ...sorted].join(', ')}`, source, 'OFFSET 0');
    return `SELECT ${names.join(', ')} FROM (${inner}) AS s ORDER BY ${keys.map(({ descending }, i) => `s.o${i}${descending ? ' DESC' : ''}`).join(', ')}`;
  }

  /**
   * The SELECT with one row for each group. The inner statement computes the grouping keys (k0, …) and the bare aggregates (a0, …). The
   * outer statement computes the columns of the result, so that an expression over aggregates, also in ORDER BY, is an ordinary expression
   * over columns.
   */
  private grouped({ keys, aggregates }: Operator & { kind: 'aggregate' }): string {
    const entities = new Map<string, Entity>();
    const computed = new Map<string, string>();
    const selected: string[] = [];
    const groups = new Set<string>();
    for (const { name, expression } of keys) {
      if (expression.kind === 'constant') continue;
      if (expression.kind !== 'variable') {
        const key = compileExpression(expression, formOf(expression.type)!, this.matched);
        selected.push(`${key} AS ${name}`);
        groups.add(key);
        computed.set(name, `q.${name}`);
        continue;
      }
      const { id, label, ends } = this.matched.entity(expression.name);
      const parts = { id, ...(ends ? { label, source: ends.source, target: ends.target } : {}) };
      for (const [part, sql] of Object.entries(parts)) {
        selected.push(`${sql} AS ${name}_${part}`);
        groups.add(sql);
      }
      const column = (part: string) => `q.${name}_${part}`;
      const own = ends ? { ends: { source: column('source'), target: column('target') } } : {};
      entities.set(name, { id: column('id'), label: column('label'), properties: '', ...own });
    }
    for (const { name, expression } of aggregates) {
      selected.push(`${compileAggregate(expression, this.matched)} AS ${name}`);
      computed.set(name, `q.${name}`);
    }
    // Without a key that differs between rows, all rows form one group. If all keys of the query are constants, the group only exists if
    // there is a match.
    const isOnlyConstant = groups.size === 0 && keys.length > 0;
    const matches = lines(
      `SELECT ${selected.join(', ')}`,
      this.source(),
      groups.size === 0 ? '' : `GROUP BY ${[...groups].join(', ')}`,
      isOnlyConstant ? 'HAVING count(*) > 0' : '',
    );
    return this.select(this.scope(entities, computed), `FROM (${matches}) AS q`);
  }

  private evidence(): string {
    const edges = this.match.pattern.edges.map((_, i) => edgeJson(edge(i)));
    return `jsonb_build_object('nodes', jsonb_build_array(${this.joins.nodeIds.join(', ')}), 'edges', jsonb_build_array(${edges.join(', ')}))::text AS evidence`;
  }

  private page(): string {
    const skip = findOperator(this.plan.root, 'skip')?.count ?? 0;
    const limit = Math.min(findOperator(this.plan.root, 'limit')?.count ?? Infinity, this.options.limit);
    return `LIMIT ${this.parameters.bind(limit, 'int8')}${skip > 0 ? ` OFFSET ${this.parameters.bind(skip, 'int8')}` : ''}`;
  }

  /** SQL of the matches: FROM and, if there are conditions, WHERE. */
  private source(): string {
    return lines(this.joins.from, this.conditions.length === 0 ? '' : `WHERE ${this.conditions.join('\n  AND ')}`);
  }

  private node(index: number): Entity {
    const n = `n${index}`;
    return { id: this.joins.nodeIds[index] ?? `${n}.id`, label: `${n}.label`, properties: `${n}.properties` };
  }

  private scope(entities: ReadonlyMap<string, Entity>, columns: ReadonlyMap<string, string>): ExpressionScope {
    const known = <T>(found: T | undefined, name: string): T => {
      if (found === undefined) throw new Error(`No operator below gives the variable ${name}`);
      return found;
    };
    return {
      parameters: this.parameters,
      entity: name => known(entities.get(name), name),
      column: name => known(columns.get(name), name),
      seek: text => this.seek(text),
    };
  }

  /** PostgreSQL cannot be interrupted in a row, so all texts that a statement looks for are bounded together. */
  private seek(text: TypedExpression): void {
    const isLong = text.kind !== 'constant' || (this.sought += typeof text.value === 'string' ? text.value.length : 0) > mostSought;
    if (isLong) throw new NotInSqlError('the search for texts that may be long');
  }

  private required<K extends Operator['kind']>(kind: K): Operator & { kind: K } {
    const operator = findOperator(this.plan.root, kind);
    if (!operator) throw new Error(`The plan lacks the operator ${kind}`);
    return operator;
  }
}

function edge(index: number): Entity {
  const e = `e${index}`;
  return { id: `${e}.id`, label: `${e}.type`, properties: `${e}.properties`, ends: { source: `${e}.source_id`, target: `${e}.target_id` } };
}

function edgeJson({ id, label, ends }: Entity): string {
  return `jsonb_build_array(${id}, ${ends?.source}, ${ends?.target}, ${label})`;
}

/** Whether the expression is a property whose type has no form in SQL. Such a property is read unchanged, as JSON. */
function isRaw(expression: TypedExpression): expression is TypedExpression & { kind: 'property' } {
  return expression.kind === 'property' && formOf(expression.type) === null;
}

/** SQL for the text of a column of the result. */
function cellOf(expression: TypedExpression, scope: ExpressionScope): string {
  if (isRaw(expression)) return `${compileRawProperty(expression, scope)}::text`;
  if (expression.kind === 'variable' && expression.element !== null) {
    const entity = scope.entity(expression.name);
    return `${entity.ends ? edgeJson(entity) : `(${entity.id})`}::text`;
  }
  const form = formOf(expression.type);
  if (form === null) throw new Error(`A column of type ${expression.type} has no form in SQL`);
  // In memory a sum of decimals over no values is the integer 0 instead of a decimal. SQL gives NULL for such a sum.
  const isBareSum = expression.type === 'number' && expression.kind === 'variable';
  const sql = isBareSum ? scope.column(expression.name) : compileExpression(expression, form, scope);
  return form === 'date' ? `to_char(${sql}, 'YYYY-MM-DD')` : `(${sql})::text`;
}

/**
 * Returns for each node of the pattern whether its row must be read, because the query uses more than the id. Showing, counting and
 * comparing nodes needs only the id.
 */
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
      (expression.kind === 'aggregate' && expression.function === 'count') ||
      expression.kind === 'comparison' ||
      expression.kind === 'isNull';
    if (!onlyId || operands.some(({ kind }) => kind !== 'variable')) operands.forEach(visit);
  };
  for (const operator of operatorsOf(root))
    for (const expression of expressionsOf(operator)) if (expression.kind !== 'variable') visit(expression);
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

/** Whether a variable with one of these names occurs in an expression. */
function mentions(expression: TypedExpression, names: readonly string[]): boolean {
  if (expression.kind === 'variable') return names.includes(expression.name);
  return operandsOf(expression).some(operand => mentions(operand, names));
}

function lines(...parts: string[]): string {
  return parts.filter(part => part !== '').join('\n');
}

import { walk, type EdgePattern, type Expression, type MatchClause, type NodePattern } from '../syntax/cypher-ast.js';
import { CypherNotSupportedError, type CypherSyntaxError } from '../syntax/cypher.errors.js';
import { hasAggregate } from './aggregates.js';
import { type Pattern, type PatternEdge, type PatternNode, type PatternVariable } from './pattern.js';
import { type QueryContext } from './query-context.js';

/** Maximum edges in one query. With more edges PostgreSQL takes too long to find the order of the joins. */
export const maxEdges = 12;

/**
 * Maximum nodes in one query: two for each of the `maxEdges` edges. Further nodes would have no relationship and could only form a
 * Cartesian product.
 */
export const maxNodes = 2 * maxEdges;

const tooManyNodes = { zh: `一次查询中超过 ${maxNodes} 个节点`, en: `more than ${maxNodes} nodes in one query` };
const tooManyEdges = { zh: `一次查询中超过 ${maxEdges} 个关系`, en: `more than ${maxEdges} relationships in one query` };

/** Collects the nodes, edges and conditions of MATCH clauses, one clause after the other. */
export class PatternResolver {
  private readonly pattern: Pattern = { nodes: [], edges: [], repeats: [], differentEdges: [] };
  /** Conditions that must all be true: the conditions of the clauses, and each property in a pattern as an equality. */
  readonly conditions: Expression[] = [];
  readonly variables = new Map<string, PatternVariable>();

  constructor(private readonly context: QueryContext) {}

  addClause(clause: MatchClause): void {
    const { edges, differentEdges } = this.pattern;
    const inClause: number[] = [];
    const conditions: Expression[] = [];
    for (const path of clause.patterns) {
      const nodes = path.nodes.map(node => this.addNode(node, conditions));
      path.edges.forEach((edge, i) => {
        const index = this.addEdge(edge, nodes[i] ?? 0, nodes[i + 1] ?? 0, conditions);
        if (inClause.includes(index))
          throw this.error(
            `关系变量 ${edge.variable} 在同一个 MATCH 中出现两次`,
            `The relationship ${edge.variable} appears twice in one MATCH`,
            edge.position,
          );
        inClause.push(index);
      });
    }
    for (const [i, first] of inClause.entries())
      for (const second of inClause.slice(i + 1)) if (mayBeOne(edges[first], edges[second])) differentEdges.push([first, second]);
    if (clause.where)
      conditions.push(...(clause.where.kind === 'logical' && clause.where.operator === 'AND' ? clause.where.operands : [clause.where]));
    for (const condition of conditions) {
      this.checkVariables(condition);
      if (hasAggregate(condition)) throw this.error('WHERE 中不能使用聚合函数', 'An aggregate cannot stand in WHERE', condition.position);
    }
    this.conditions.push(...conditions);
  }

  /** @throws when no clause so far has bound a variable of the expression */
  checkVariables(expression: Expression): void {
    walk(expression, inner => {
      if (inner.kind === 'variable' && !this.variables.has(inner.name))
        throw this.error(`变量 ${inner.name} 未定义`, `The variable ${inner.name} is not defined`, inner.position);
    });
  }

  elementNamed(variable: string): PatternNode | PatternEdge | undefined {
    const bound = this.variables.get(variable);
    return bound && (bound.kind === 'node' ? this.pattern.nodes : this.pattern.edges)[bound.index];
  }

  /** The node at this end of the edge, or null if the pattern gives the edge no direction. */
  endOf(variable: string, end: 'source' | 'target'): PatternNode | null {
    const edge = this.elementNamed(variable);
    return edge && 'directed' in edge && edge.directed ? (this.pattern.nodes[edge[end]] ?? null) : null;
  }

  /** The pattern of all clauses together. */
  finish(): Pattern {
    for (const [index, node] of this.pattern.nodes.entries()) node.possibleLabels = this.possibleLabels(node, index);
    return this.pattern;
  }

  private addNode(pattern: NodePattern, conditions: Expression[]): number {
    const { nodes } = this.pattern;
    const labels = pattern.labels.map(group => group.map(label => this.context.label(label)));
    const bound = pattern.variable === null ? undefined : this.variables.get(pattern.variable);
    if (bound?.kind === 'edge')
      throw this.error(
        `${pattern.variable} 是关系，不能作为节点`,
        `${pattern.variable} is a relationship and cannot be a node`,
        pattern.position,
      );
    const index = bound?.index ?? nodes.length;
    // The name of an anonymous node. No query can write this name, because texts with NUL are refused.
    const variable = pattern.variable ?? `\0n${index}`;
    const known = nodes[index];
    if (known) known.labels.push(...labels);
    else nodes.push({ variable, anonymous: pattern.variable === null, labels, possibleLabels: [] });
    if (nodes.length > maxNodes) {
      throw new CypherNotSupportedError(tooManyNodes, this.context.place(pattern.position));
    }
    this.variables.set(variable, { kind: 'node', index });
    addProperties(variable, pattern, conditions);
    return index;
  }

  private addEdge(pattern: EdgePattern, left: number, right: number, conditions: Expression[]): number {
    const { edges, repeats } = this.pattern;
    const types = pattern.types.map(type => this.context.edgeType(type));
    const [source, target] = pattern.direction === 'in' ? [right, left] : [left, right];
    const directed = pattern.direction !== 'both';
    const bound = pattern.variable === null ? undefined : this.variables.get(pattern.variable);
    if (bound?.kind === 'node')
      throw this.error(
        `${pattern.variable} 是节点，不能作为关系`,
        `${pattern.variable} is a node and cannot be a relationship`,
        pattern.position,
      );
    const index = bound?.index ?? edges.length;
    const variable = pattern.variable ?? `\0e${index}`;
    if (bound) repeats.push({ edge: index, types, directed, source, target });
    else edges.push({ variable, anonymous: pattern.variable === null, types, directed, source, target });
    if (edges.length + repeats.length > maxEdges) {
      throw new CypherNotSupportedError(tooManyEdges, this.context.place(pattern.position));
    }
    this.variables.set(variable, { kind: 'edge', index });
    addProperties(variable, pattern, conditions);
    return index;
  }

  /** The labels that a node may have. A label group that the schema knows decides them; otherwise the edges around the node do. */
  private possibleLabels(node: PatternNode, index: number): string[] {
    const { schema } = this.context;
    const known = node.labels.find(group => group.every(label => schema.hasLabel(label)));
    if (known) return known;
    for (const edge of this.pattern.edges) {
      if (!edge.directed || (edge.source !== index && edge.target !== index)) continue;
      const labels = schema.labelsAt(edge.source === index ? 'source' : 'target', edge.types);
      if (labels) return labels;
    }
    return schema.labelNames;
  }

  private error(zh: string, en: string, position: number): CypherSyntaxError {
    return this.context.error(zh, en, position);
  }
}

function addProperties(variable: string, pattern: NodePattern | EdgePattern, conditions: Expression[]): void {
  for (const { name, value, position } of pattern.properties) {
    const object: Expression = { kind: 'variable', name: variable, position };
    conditions.push({ kind: 'binary', operator: '=', left: { kind: 'property', object, name, position }, right: value, position });
  }
}

function mayBeOne(first: PatternEdge | undefined, second: PatternEdge | undefined): boolean {
  const [a, b] = [first?.types ?? [], second?.types ?? []];
  return a.length === 0 || b.length === 0 || a.some(type => b.includes(type));
}

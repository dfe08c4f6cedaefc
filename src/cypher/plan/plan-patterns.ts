import { hasAggregate } from '../semantics/aggregates.js';
import { walk, type EdgePattern, type Expression, type MatchClause, type Name, type NodePattern } from '../syntax/cypher-ast.js';
import { CypherNotSupportedError, CypherSyntaxError, placeOf, type TextPlace } from '../syntax/cypher.errors.js';
import { type SchemaIndex } from '../semantics/graph-schema.js';
import {
  type EdgeRepeat,
  type LogicalPlan,
  type PlannedEdge,
  type PlannedNode,
  type PlannedVariable,
  type PlanWarning,
} from './logical-plan.js';

/** More edges than this in one query make joins whose order PostgreSQL no longer finds in useful time. */
export const MAX_EDGES = 12;

/** Every edge may have two ends of its own; more nodes could only be a product without any relationship. */
export const MAX_NODES = 2 * MAX_EDGES;

const tooManyNodes = { zh: `一次查询中超过 ${MAX_NODES} 个节点`, en: `more than ${MAX_NODES} nodes in one query` };
const tooManyEdges = { zh: `一次查询中超过 ${MAX_EDGES} 个关系`, en: `more than ${MAX_EDGES} relationships in one query` };

/** Collects the nodes, edges and conditions of MATCH clauses, one clause after the other. */
export class PatternPlanner {
  private readonly nodes: PlannedNode[] = [];
  private readonly edges: PlannedEdge[] = [];
  private readonly repeats: EdgeRepeat[] = [];
  private readonly differentEdges: [number, number][] = [];
  private readonly conditions: Expression[] = [];
  private readonly warnings = new Map<string, PlanWarning>();
  private readonly usedProperties: { variable: string; name: string }[] = [];
  readonly variables = new Map<string, PlannedVariable>();

  constructor(
    private readonly text: string,
    private readonly schema: SchemaIndex,
  ) {}

  addClause(clause: MatchClause): void {
    const inClause: number[] = [];
    const conditions: Expression[] = [];
    for (const pattern of clause.patterns) {
      const nodes = pattern.nodes.map(node => this.addNode(node, conditions));
      pattern.edges.forEach((edge, i) => {
        const [left, right] = [nodes[i] ?? 0, nodes[i + 1] ?? 0];
        const index = this.addEdge(edge, left, right, conditions);
        if (inClause.includes(index))
          throw this.fail(
            `关系变量 ${edge.variable} 在同一个 MATCH 中出现两次`,
            `The relationship ${edge.variable} appears twice in one MATCH`,
            edge.position,
          );
        inClause.push(index);
      });
    }
    for (const [i, first] of inClause.entries()) {
      for (const second of inClause.slice(i + 1)) if (this.mayBeOne(first, second)) this.differentEdges.push([first, second]);
    }
    if (clause.where)
      conditions.push(...(clause.where.kind === 'logical' && clause.where.operator === 'AND' ? clause.where.operands : [clause.where]));
    for (const condition of conditions) {
      this.checkVariables(condition);
      if (hasAggregate(condition)) throw this.fail('WHERE 中不能使用聚合函数', 'An aggregate cannot stand in WHERE', condition.position);
    }
    this.conditions.push(...conditions);
  }

  /** Throws on a variable that is not bound; notes which properties are read. */
  checkVariables(expression: Expression): void {
    walk(expression, inner => {
      if (inner.kind === 'variable' && !this.variables.has(inner.name))
        throw this.fail(`变量 ${inner.name} 未定义`, `The variable ${inner.name} is not defined`, inner.position);
      if (inner.kind === 'property' && inner.object.kind === 'variable')
        this.usedProperties.push({ variable: inner.object.name, name: inner.name });
    });
  }

  isAnonymous({ kind, index }: PlannedVariable): boolean {
    return (kind === 'node' ? this.nodes : this.edges)[index]?.anonymous ?? true;
  }

  result(): Pick<LogicalPlan, 'nodes' | 'edges' | 'repeats' | 'differentEdges' | 'conditions' | 'variables' | 'warnings'> {
    for (const node of this.nodes) node.possibleLabels = this.possibleLabels(node);
    for (const { variable, name } of this.usedProperties) this.resolveProperty(variable, name);
    for (const node of this.nodes) node.keyEquals = this.findKey(node);
    const { nodes, edges, repeats, differentEdges, conditions, variables } = this;
    return { nodes, edges, repeats, differentEdges, conditions, variables, warnings: [...this.warnings.values()] };
  }

  private addNode(pattern: NodePattern, conditions: Expression[]): number {
    const labels = pattern.labels.map(group => group.map(label => this.resolveLabel(label)));
    const bound = pattern.variable === null ? undefined : this.variables.get(pattern.variable);
    if (bound?.kind === 'edge')
      throw this.fail(
        `${pattern.variable} 是关系，不能作为节点`,
        `${pattern.variable} is a relationship and cannot be a node`,
        pattern.position,
      );
    const index = bound?.index ?? this.nodes.length;
    // A name no query can write: texts with NUL are refused.
    const variable = pattern.variable ?? `\0n${index}`;
    const known = this.nodes[index];
    if (known) known.labels.push(...labels);
    else
      this.nodes.push({
        variable,
        anonymous: pattern.variable === null,
        labels,
        possibleLabels: [],
        properties: new Map(),
        keyEquals: null,
      });
    if (this.nodes.length > MAX_NODES) {
      throw new CypherNotSupportedError(tooManyNodes, this.place(pattern.position));
    }
    this.variables.set(variable, { kind: 'node', index });
    this.addProperties(variable, pattern, conditions);
    return index;
  }

  private addEdge(pattern: EdgePattern, left: number, right: number, conditions: Expression[]): number {
    const types = pattern.types.map(type => this.resolveType(type));
    const [source, target] = pattern.direction === 'in' ? [right, left] : [left, right];
    const directed = pattern.direction !== 'both';
    const bound = pattern.variable === null ? undefined : this.variables.get(pattern.variable);
    if (bound?.kind === 'node')
      throw this.fail(
        `${pattern.variable} 是节点，不能作为关系`,
        `${pattern.variable} is a node and cannot be a relationship`,
        pattern.position,
      );
    const index = bound?.index ?? this.edges.length;
    const variable = pattern.variable ?? `\0e${index}`;
    if (bound) this.repeats.push({ edge: index, types, directed, source, target });
    else this.edges.push({ variable, anonymous: pattern.variable === null, types, directed, source, target, properties: new Map() });
    if (this.edges.length + this.repeats.length > MAX_EDGES) {
      throw new CypherNotSupportedError(tooManyEdges, this.place(pattern.position));
    }
    this.variables.set(variable, { kind: 'edge', index });
    this.addProperties(variable, pattern, conditions);
    return index;
  }

  private addProperties(variable: string, pattern: NodePattern | EdgePattern, conditions: Expression[]): void {
    for (const { name, value, position } of pattern.properties) {
      const object: Expression = { kind: 'variable', name: variable, position };
      conditions.push({ kind: 'binary', operator: '=', left: { kind: 'property', object, name, position }, right: value, position });
    }
  }

  private mayBeOne(first: number, second: number): boolean {
    const [a, b] = [this.edges[first]?.types ?? [], this.edges[second]?.types ?? []];
    return a.length === 0 || b.length === 0 || a.some(type => b.includes(type));
  }

  private resolveLabel({ name, position }: Name): string {
    const found = this.schema.findLabel(name);
    if (found === null) this.warnUnknown('unknown_label', '标签', 'label', name, this.schema.nearestLabel(name), position);
    return found ?? name;
  }

  private resolveType({ name, position }: Name): string {
    const found = this.schema.findType(name);
    if (found === null) this.warnUnknown('unknown_type', '关系类型', 'relationship type', name, this.schema.nearestType(name), position);
    return found ?? name;
  }

  /** One label group that the schema knows fixes the label; else the edges around the node do. */
  private possibleLabels(node: PlannedNode): string[] {
    const known = node.labels.find(group => group.every(label => this.schema.labelNames.includes(label)));
    if (known) return known;
    const index = this.nodes.indexOf(node);
    for (const edge of this.edges) {
      if (!edge.directed || (edge.source !== index && edge.target !== index)) continue;
      const labels = this.schema.labelsAt(edge.source === index ? 'source' : 'target', edge.types);
      if (labels) return labels;
    }
    return this.schema.labelNames;
  }

  private resolveProperty(variable: string, name: string): void {
    const bound = this.variables.get(variable);
    const element = bound && (bound.kind === 'node' ? this.nodes[bound.index] : this.edges[bound.index]);
    if (!element || element.properties.has(name)) return;
    const resolved =
      'possibleLabels' in element ? this.schema.nodeProperty(name, element.possibleLabels) : this.schema.edgeProperty(name, element.types);
    element.properties.set(name, resolved);
    if (resolved.known) return;
    const nearest =
      'possibleLabels' in element
        ? this.schema.nearestNodeProperty(name, element.possibleLabels)
        : this.schema.nearestEdgeProperty(name, element.types);
    this.warnUnknown('unknown_property', '属性', 'property', name, nearest, null);
  }

  private warnUnknown(
    code: PlanWarning['code'],
    zh: string,
    en: string,
    name: string,
    nearest: string | null,
    position: number | null,
  ): void {
    if (this.schema.isEmpty || this.warnings.has(`${code} ${name}`)) return;
    const text = {
      zh: `图中没有${zh}「${name}」${nearest === null ? '' : `，是否指「${nearest}」？`}`,
      en: `The graph has no ${en} ${name}${nearest === null ? '' : `; did you mean ${nearest}?`}`,
    };
    const place = position === null ? null : this.place(position);
    this.warnings.set(`${code} ${name}`, { code, text, context: { name, ...(nearest === null ? {} : { nearest }), ...place } });
  }

  private findKey(node: PlannedNode): PlannedNode['keyEquals'] {
    const [group, ...others] = node.labels;
    const label = group?.[0];
    if (label === undefined || group?.length !== 1 || others.length > 0) return null;
    const keyEquals = this.schema.keyProperties(label)?.map(property => ({ property, value: this.constantFor(node, property.name) }));
    return keyEquals?.every((part): part is { property: typeof part.property; value: Expression } => part.value !== null)
      ? keyEquals
      : null;
  }

  /** The constant some condition equates the property to, or null. */
  private constantFor(node: PlannedNode, property: string): Expression | null {
    const reads = (side: Expression) =>
      side.kind === 'property' &&
      side.object.kind === 'variable' &&
      side.object.name === node.variable &&
      node.properties.get(side.name)?.name === property;
    for (const condition of this.conditions) {
      if (condition.kind !== 'binary' || condition.operator !== '=') continue;
      const { left, right } = condition;
      const value = reads(left) ? right : reads(right) ? left : null;
      if (value && (value.kind === 'literal' || value.kind === 'number' || value.kind === 'parameter')) return value;
    }
    return null;
  }

  private fail(zh: string, en: string, position: number): CypherSyntaxError {
    return new CypherSyntaxError({ zh, en }, this.place(position));
  }

  private place(position: number): TextPlace | null {
    return this.text === '' ? null : placeOf(this.text, position);
  }
}

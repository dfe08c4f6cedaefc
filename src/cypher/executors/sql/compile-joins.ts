import { type GraphTables } from '../../../database/graph-tables.js';
import { type Pattern, type PatternEdge } from '../../semantics/pattern.js';
import { type SqlParameters } from '../../../sql/sql-parameters.js';

/**
 * The SQL of the pattern: `FROM` (empty when nothing is matched), the conditions of the pattern itself, and the SQL of the ids of its
 * nodes and edges.
 */
export interface Joins {
  from: string;
  conditions: string[];
  nodeIds: string[];
}

/**
 * A sub-select with each edge twice, seen from both ends. The two halves of the UNION must have no conditions of their own. Only then does
 * PostgreSQL flatten the union, push the join into each half, and use the index on the end of the edge that the half joins by. A loop
 * appears twice; a condition on `forward` keeps it once.
 */
const bothWays = (edges: string): string => `(
    SELECT id, type, source_id, target_id, properties, source_id AS from_id, target_id AS to_id, true AS forward FROM ${edges}
    UNION ALL
    SELECT id, type, source_id, target_id, properties, target_id AS from_id, source_id AS to_id, false AS forward FROM ${edges})`;

/**
 * Joins nodes and edges along the pattern: `nodes n0 JOIN edges e0 ON e0.source_id = n0.id JOIN nodes n1 ON n1.id = e0.target_id`, in the
 * graph's own tables. If the query needs only the id of a node, the node's row is not read, because the edge has the id. `needsRow[i]`
 * marks the nodes whose rows are read; `keys[i]` is the key of a node, part by part, or null if it is unknown.
 */
export function compileJoins(
  pattern: Pattern,
  keys: (string[] | null)[],
  tables: GraphTables,
  parameters: SqlParameters,
  needsRow: boolean[],
): Joins {
  return new JoinBuilder(pattern, keys, tables, parameters, needsRow).build();
}

class JoinBuilder {
  private readonly tables: string[] = [];
  private readonly where: string[] = [];
  private readonly nodeIds: string[] = [];

  constructor(
    private readonly pattern: Pattern,
    private readonly keys: (string[] | null)[],
    private readonly graphTables: GraphTables,
    private readonly parameters: SqlParameters,
    private readonly needsRow: boolean[],
  ) {}

  build(): Joins {
    const { pattern } = this;
    for (const [index, edge] of pattern.edges.entries()) {
      if (!this.isPlaced(edge.source) && !this.isPlaced(edge.target)) this.placeStart(edge);
      this.placeEdge(edge, index);
    }
    for (const repeat of pattern.repeats) {
      const edge = `e${repeat.edge}`;
      if (repeat.types.length > 0) this.where.push(this.isOneOf(`${edge}.type`, repeat.types));
      this.placeRepeat(edge, repeat.source, repeat.target, repeat.directed);
    }
    for (const index of pattern.nodes.keys()) if (!this.isPlaced(index)) this.placeNode(index, null);
    for (const [first, second] of pattern.differentEdges) this.where.push(`e${first}.id <> e${second}.id`);
    return { from: this.tables.length === 0 ? '' : `FROM ${this.tables.join('\n')}`, conditions: this.where, nodeIds: this.nodeIds };
  }

  private isPlaced(node: number): boolean {
    return this.nodeIds[node] !== undefined;
  }

  /** Starts a path at the end whose key is known, or else at an end whose row is read anyway. */
  private placeStart(edge: PatternEdge): void {
    const ends = [edge.source, edge.target];
    const start = ends.find(end => this.keys[end]) ?? ends.find(end => this.needsRow[end]);
    if (start !== undefined) this.placeNode(start, null);
  }

  private placeNode(index: number, id: string | null): void {
    const alias = `n${index}`;
    const node = this.pattern.nodes[index];
    const conditions: string[] = [];
    if (id !== null) conditions.push(`${alias}.id = ${id}`);
    for (const group of node?.labels ?? []) conditions.push(this.isOneOf(`${alias}.label`, group));
    const key = this.keys[index];
    if (key) conditions.push(`${alias}.key = ${this.keyText(key)}`);
    this.addTable(`${this.graphTables.nodes} AS ${alias}`, conditions);
    this.nodeIds[index] = `${alias}.id`;
  }

  private placeEdge(edge: PatternEdge, index: number): void {
    const alias = `e${index}`;
    const [from, to] = edge.directed ? ['source_id', 'target_id'] : ['from_id', 'to_id'];
    const conditions: string[] = [];
    const open: [number, string][] = [];
    for (const [end, column] of [
      [edge.source, `${alias}.${from}`],
      [edge.target, `${alias}.${to}`],
    ] as const) {
      const id = this.nodeIds[end];
      if (id !== undefined) conditions.push(`${column} = ${id}`);
      else if (open.some(([other]) => other === end)) conditions.push(`${column} = ${alias}.${from}`);
      else open.push([end, column]);
    }
    const { edges } = this.graphTables;
    const once = edge.directed ? [] : [`(${alias}.forward OR ${alias}.source_id <> ${alias}.target_id)`];
    this.addTable(`${edge.directed ? edges : bothWays(edges)} AS ${alias}`, [...this.edgeConditions(edge, alias), ...conditions, ...once]);
    for (const [end, column] of open) {
      if (this.needsRow[end]) this.placeNode(end, column);
      else this.nodeIds[end] = column;
    }
  }

  private placeRepeat(edge: string, source: number, target: number, directed: boolean): void {
    const place = (node: number, condition: string) => {
      if (this.isPlaced(node)) return;
      this.placeNode(node, null);
      this.where.push(condition);
    };
    if (directed) {
      place(source, `n${source}.id = ${edge}.source_id`);
      place(target, `n${target}.id = ${edge}.target_id`);
      this.where.push(`${this.nodeIds[source]} = ${edge}.source_id`, `${this.nodeIds[target]} = ${edge}.target_id`);
      return;
    }
    place(source, `n${source}.id IN (${edge}.source_id, ${edge}.target_id)`);
    place(target, `n${target}.id IN (${edge}.source_id, ${edge}.target_id)`);
    const [a, b] = [this.nodeIds[source], this.nodeIds[target]];
    this.where.push(`(${a} = ${edge}.source_id AND ${b} = ${edge}.target_id OR ${a} = ${edge}.target_id AND ${b} = ${edge}.source_id)`);
  }

  private edgeConditions(edge: PatternEdge, alias: string): string[] {
    return edge.types.length > 0 ? [this.isOneOf(`${alias}.type`, edge.types)] : [];
  }

  private addTable(table: string, conditions: string[]): void {
    if (this.tables.length === 0) {
      this.tables.push(table);
      this.where.push(...conditions);
    } else {
      this.tables.push(conditions.length === 0 ? `CROSS JOIN ${table}` : `JOIN ${table} ON ${conditions.join(' AND ')}`);
    }
  }

  /** SQL for the key of a node as ingestion writes it: the text of one column, or the JSON list of several columns. */
  private keyText(parts: string[]): string {
    const [first = '', ...others] = parts.map(part => this.parameters.bind(part, 'text'));
    return others.length === 0 ? first : `jsonb_build_array(${[first, ...others].join(', ')})::text`;
  }

  private isOneOf(column: string, names: string[]): string {
    const [first = '', ...others] = [...new Set(names)];
    return others.length === 0
      ? `${column} = ${this.parameters.bind(first, 'text')}`
      : `${column} = ANY(${this.parameters.bind([first, ...others], 'text[]')})`;
  }
}

import { type MemoryGraph } from '../../src/cypher/executors/memory/memory-graph.js';
import { type MemoryRun } from '../../src/cypher/executors/memory/run-in-memory.js';
import { type Clause, type Direction, type Expression, type MapEntry, type PathPattern } from '../../src/cypher/syntax/cypher-ast.js';
import { parseExpression } from '../../src/cypher/syntax/parse-expression.js';
import { parsePatterns } from '../../src/cypher/syntax/parse-pattern.js';
import { parseReadingClause, tokensOf } from '../../src/cypher/syntax/parse-cypher.js';
import { type CypherMap, type CypherValue, type EdgeValue, type NodeValue } from '../../src/cypher/values/cypher-value.js';
import { runClauses, type Table } from './run-clauses.js';

type Named = Map<string, CypherValue>;

/** A graph that the set-ups of the TCK write. It supports CREATE, DELETE of edges, and all reading clauses. */
export class WritableGraph implements MemoryGraph {
  private readonly nodesById = new Map<number, NodeValue>();
  private readonly edgesByNode = new Map<number, Set<EdgeValue>>();
  private lastId = 0;

  constructor(private readonly run: MemoryRun) {}

  get nodeCount(): number {
    return this.nodesById.size;
  }

  nodes(): Iterable<NodeValue> {
    return this.nodesById.values();
  }

  nodesWithLabel(label: string): NodeValue[] {
    return [...this.nodes()].filter(({ labels }) => labels.includes(label));
  }

  countOfLabel(label: string): number {
    return this.nodesWithLabel(label).length;
  }

  nodeById(id: number): NodeValue {
    const node = this.nodesById.get(id);
    if (!node) throw new Error(`no node ${id}`);
    return node;
  }

  edgesOf({ id }: NodeValue, direction: Direction, types: readonly string[]): EdgeValue[] {
    return [...(this.edgesByNode.get(id) ?? [])].filter(
      ({ type, source, target }) =>
        (types.length === 0 || types.includes(type)) && (direction === 'both' || (direction === 'out' ? source : target) === id),
    );
  }

  /** Runs one statement, clause by clause. @throws CypherError; Error for a clause that no set-up of the TCK uses */
  runSetup(statement: string): void {
    const tokens = tokensOf(statement.replace(/;\s*$/, ''));
    let table: Table = { columns: [], rows: [[]] };
    while (tokens.current.kind !== 'end') {
      if (tokens.takeKeywords('CREATE')) table = this.create(parsePatterns(tokens), table);
      else if (tokens.takeKeywords('DELETE')) this.deleteEdges(parseExpression(tokens), table);
      else table = runClauses([parseReadingClause(tokens)], this, this.run, table);
    }
  }

  private create(patterns: PathPattern[], table: Table): Table {
    let { columns } = table;
    const rows = table.rows.map(row => {
      const named: Named = new Map(table.columns.map((name, i) => [name, row[i] ?? null]));
      for (const pattern of patterns) this.createPath(pattern, named);
      columns = [...named.keys()];
      return [...named.values()];
    });
    return { columns, rows };
  }

  private createPath({ variable, nodes, edges }: PathPattern, named: Named): void {
    if (variable !== null) throw new Error('no set-up creates a named path');
    const ends = nodes.map(node => {
      const known = node.variable === null ? undefined : named.get(node.variable);
      if (known !== undefined) return known as NodeValue;
      const labels = node.labels.map(([label]) => label?.name ?? '');
      const created: NodeValue = { kind: 'node', id: this.nextId(), labels, properties: this.propertiesOf(node.properties, named) };
      this.nodesById.set(created.id, created);
      if (node.variable !== null) named.set(node.variable, created);
      return created;
    });
    edges.forEach((edge, i) => {
      const [left, right] = [ends[i]!.id, ends[i + 1]!.id];
      const [source, target] = edge.direction === 'in' ? [right, left] : [left, right];
      const type = edge.types[0]?.name ?? '';
      const properties = this.propertiesOf(edge.properties, named);
      const created: EdgeValue = { kind: 'edge', id: this.nextId(), type, source, target, properties };
      for (const end of [source, target]) this.edgesByNode.set(end, (this.edgesByNode.get(end) ?? new Set()).add(created));
      if (edge.variable !== null) named.set(edge.variable, created);
    });
  }

  /** The properties of a new node or edge. Their expressions may use variables that the same clause has created before. */
  private propertiesOf(entries: MapEntry[], named: Named): CypherMap {
    const table = { columns: [...named.keys()], rows: [[...named.values()]] };
    const expressions = entries.map(({ value }) => value);
    const [values = []] = this.evaluate(expressions, table);
    return new Map(entries.map(({ name }, i) => [name, values[i] ?? null] as const).filter(([, value]) => value !== null));
  }

  private deleteEdges(expression: Expression, table: Table): void {
    for (const [edge] of this.evaluate([expression], table)) {
      if (edge === null || typeof edge !== 'object' || !('kind' in edge) || edge.kind !== 'edge')
        throw new Error('set-ups delete edges only');
      for (const end of [edge.source, edge.target]) this.edgesByNode.get(end)?.delete(edge);
    }
  }

  /** The values of the expressions for each row. */
  private evaluate(expressions: Expression[], table: Table): CypherValue[][] {
    if (expressions.length === 0) return table.rows.map(() => []);
    const items = expressions.map((expression, i) => ({ name: `value${i}`, aliased: true, expression }));
    const clause: Clause = { kind: 'return', distinct: false, star: false, items, orderBy: [], skip: null, limit: null, position: 0 };
    return runClauses([clause], this, this.run, table).rows;
  }

  private nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }
}

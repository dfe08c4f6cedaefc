import { type Element, equal, Path, type Value } from './naive-values.js';
import { type Expressions, hasLabel } from './expressions.js';
import { ends, hasFurtherLabel } from './random-graph.js';
import { type Row } from './row.js';
import { type Expression, propertyOf, type Scope } from './scope.js';

/** A partial match: its row, and the edges that the patterns of its clause have used so far. */
interface Found {
  row: Row;
  used: readonly Element[];
}
type Step = (found: Found) => Found[];
type Direction = 'out' | 'in' | 'both';

/** One or more paths, separated by commas. `run` returns the rows of all matches that extend a row. */
export interface Pattern {
  text: string;
  /** The variables that the pattern introduces. */
  own: string[];
  run: (row: Row) => Row[];
}

/** Makes patterns and finds them by nested loops over all nodes and edges. */
export class Patterns {
  constructor(
    private readonly scope: Scope,
    private readonly expressions: Expressions,
  ) {}

  /** Makes a pattern of one path, or of two that are separated by a comma. */
  pattern(hops: readonly number[] = [0, 0, 1, 1, 1, 2, 3]): Pattern {
    const { dice } = this.scope;
    const before = new Set(this.scope.bound.map(({ name }) => name));
    const steps: Step[] = [];
    const paths = Array.from({ length: dice.chance(0.15) ? 2 : 1 }, () => this.path(steps, dice.of(hops)));
    const own = this.scope.bound.map(({ name }) => name).filter(name => !before.has(name));
    return {
      text: paths.join(', '),
      own,
      run: row => steps.reduce((found, step) => found.flatMap(step), [{ row, used: [] }] as Found[]).map(found => found.row),
    };
  }

  /** Makes `p = shortestPath((a)-[:R*..3]->(b))` between nodes that are bound. Null if no node is bound. */
  shortest(): Pattern | null {
    const { dice, nodes } = this.scope;
    if (nodes.length === 0) return null;
    const [from, to, isAll] = [dice.of(nodes).name, dice.of(nodes).name, dice.chance(0.4)];
    const [direction, types, most] = [dice.of(['out', 'in', 'both'] as const), dice.many(2, () => dice.of(['R', 'S', 'T'])), dice.between(1, 4)]; // prettier-ignore
    const name = this.scope.name('p');
    this.scope.bound.push({ name, kind: 'path', isAnyOfMany: !isAll });
    const bracket = between(direction, `${types.length > 0 ? `:${types.join('|')}` : ''}*..${most}`);
    return {
      text: `${name} = ${isAll ? 'allShortestPaths' : 'shortestPath'}((${from})${bracket}(${to}))`,
      own: [name],
      run: row => {
        const [start, end] = [row.get(from), row.get(to)] as (Element | null)[];
        // A path from a node to itself would be empty, and the pattern needs at least one edge.
        if (!start || !end || start === end) return [];
        const found = trails(row, start, direction, types, 1, most, []).filter(path => path.nodes.at(-1) === end);
        const least = Math.min(...found.map(({ edges }) => edges.length));
        const shortest = found.filter(({ edges }) => edges.length === least);
        return (isAll ? shortest : shortest.slice(0, 1)).map(path => row.with(name, path));
      },
    };
  }

  private path(steps: Step[], hops: number): string {
    const { dice, isRich } = this.scope;
    const name = isRich && dice.chance(0.2) ? this.scope.name('p') : null;
    const parts: string[] = [];
    let from = this.node(steps);
    let text = from.text;
    parts.push(from.name);
    for (let hop = hops; hop > 0; hop--) {
      const direction = dice.of(['out', 'out', 'in', 'both'] as const);
      const { names } = this.scope.elements.find(each => each.name === from.name)!;
      // Random types and labels seldom fit together, so most are chosen to fit.
      const fitting = waysFrom(names, direction);
      const way = dice.chance(0.85) && fitting.length > 0 ? dice.of(fitting) : null;
      const types = dice.chance(0.3) ? [] : [way?.type ?? dice.of(['R', 'S', 'T'])];
      const isLong = isRich && dice.chance(0.25);
      const [least, most] = isLong ? dice.of([[1, 2], [1, 3], [0, 2], [2, 3], [0, 1]] as const) : [1, 1]; // prettier-ignore
      const edge = isLong ? this.scope.name('r') : this.scope.bindElement('edge', types);
      if (isLong) this.scope.bound.push({ name: edge, kind: 'value', of: 'elements' });
      const to = this.node(steps, isLong ? undefined : way?.to, { from: from.name, edge, isLong, types, direction, least, most });
      const written = isLong ? `*${least}..${most}` : '';
      text += `${between(direction, `${edge}${types.length > 0 ? `:${types.join('|')}` : ''}${written}`)}${to.text}`;
      parts.push(edge, to.name);
      from = to;
    }
    if (name === null) return text;
    this.scope.bound.push({ name, kind: 'path', isAnyOfMany: false });
    steps.push(({ row, used }) => [{ row: row.with(name, pathOf(row, parts)), used }]);
    return `${name} = ${text}`;
  }

  private node(
    steps: Step[],
    wanted = this.scope.dice.of(['A', 'A', 'B']),
    over?: { from: string; edge: string; isLong: boolean; types: string[]; direction: Direction; least: number; most: number },
  ): { name: string; text: string } {
    const { dice, nodes, isRich } = this.scope;
    const again = nodes.length > 0 && dice.chance(0.12) ? dice.of(nodes).name : null;
    const labels = again === null && dice.chance(0.7) ? [wanted] : [];
    const isFurther = dice.chance(0.05);
    const known = isRich && again === null && dice.chance(0.1) ? this.expressions.constant('integer') : null;
    const name = again ?? this.scope.bindElement('node', labels);
    const allows = (element: Element, row: Row): boolean =>
      (labels.length === 0 || labels.includes(element.name)) &&
      (!isFurther || hasFurtherLabel(element)) &&
      (known === null || equal(propertyOf(element, 'i'), known.run(row)) === true) &&
      (row.get(name) === undefined || row.get(name) === element);
    const bind = (row: Row, node: Element): Row => (row.get(name) === undefined ? row.with(name, node) : row);
    steps.push(({ row, used }) => {
      if (row.get(name) === null) return [];
      if (!over) return row.graph.nodes.filter(node => allows(node, row)).map(node => ({ row: bind(row, node), used }));
      const { from, edge, isLong, types, direction, least, most } = over;
      if (row.get(from) === null) return [];
      return trails(row, row.get(from) as Element, direction, types, least, most, used)
        .filter(path => allows(path.nodes.at(-1)!, row))
        .map(path => ({
          row: bind(row.with(edge, isLong ? path.edges : path.edges[0]!), path.nodes.at(-1)!),
          used: [...used, ...path.edges],
        }));
    });
    const written = [...labels, ...(isFurther ? ['F'] : [])].map(label => `:${label}`).join('');
    return { name, text: `(${name}${written}${known ? ` {i: ${known.text}}` : ''})` };
  }

  /** Makes `EXISTS { … }`, a bare pattern as a condition, or a comparison with `COUNT { … }`. */
  condition(mayBePattern: boolean): Expression {
    const { dice, nodes } = this.scope;
    if (nodes.length > 0 && mayBePattern && dice.chance(0.3)) return this.predicate();
    const count = this.count();
    if (dice.chance(0.4)) {
      const [least, value] = [dice.between(0, 2), count];
      return { text: `${value.text} > ${least}`, run: row => (value.run(row) as bigint) > BigInt(least) };
    }
    return { text: count.text.replace('COUNT', 'EXISTS'), run: row => (count.run(row) as bigint) > 0n };
  }

  /** Makes `COUNT { MATCH … }`, perhaps with a WHERE. */
  count(): Expression {
    const { scope } = this;
    return scope.inside(() => {
      const pattern = this.pattern([0, 1, 1, 2]);
      const where = scope.dice.chance(0.5) ? this.expressions.condition(1) : null;
      return {
        text: `COUNT { MATCH ${pattern.text}${where ? ` WHERE ${where.text}` : ''} }`,
        run: row => BigInt(pattern.run(row).filter(each => !where || where.run(each) === true).length),
      };
    });
  }

  /** `(n)-[:R]->(:A)` as a condition, which is true or false. It is false if `n` is null. */
  private predicate(): Expression {
    const { dice, nodes } = this.scope;
    const { name } = dice.of(nodes);
    const [direction, types, label] = [dice.of(['out', 'in', 'both'] as const), dice.many(1, () => dice.of(['R', 'S', 'T'])), dice.of(['', 'A', 'B', 'F'])]; // prettier-ignore
    return {
      text: `(${name})${between(direction, types.map(type => `:${type}`).join(''))}(${label && `:${label}`})`,
      run: row => {
        const start = row.get(name) as Element | null;
        return (
          start !== null &&
          trails(row, start, direction, types, 1, 1, []).some(({ nodes }) => label === '' || hasLabel(nodes.at(-1)!, label))
        );
      },
    };
  }
}

function between(direction: Direction, inner: string): string {
  return `${direction === 'in' ? '<' : ''}-[${inner}]-${direction === 'out' ? '>' : ''}`;
}

/** All paths from a node whose edges are pairwise different and number between `least` and `most`. */
function trails(row: Row, start: Element, direction: Direction, types: readonly string[], least: number, most: number, used: readonly Element[]): Path[] {
  const found: Path[] = [];
  const go = (path: Path): void => {
    if (path.edges.length >= least) found.push(path);
    if (path.edges.length === most) return;
    const here = path.nodes.at(-1)!;
    for (const edge of row.graph.edges) {
      if (used.includes(edge) || path.edges.includes(edge) || (types.length > 0 && !types.includes(edge.name))) continue;
      const others = new Set<Element>();
      if (direction !== 'in' && edge.from === here) others.add(edge.to!);
      if (direction !== 'out' && edge.to === here) others.add(edge.from!);
      for (const other of others) go(new Path([...path.nodes, other], [...path.edges, edge]));
    }
  };
  go(new Path([start], []));
  return found;
} // prettier-ignore

/** The path through the nodes and edges that the variables `parts` have in the row. */
function pathOf(row: Row, parts: string[]): Value {
  const path = new Path([row.get(parts[0]!) as Element], []);
  for (const name of parts.slice(1)) {
    const value = row.get(name) as Element | Element[];
    if (!Array.isArray(value) && value.kind === 'node') continue;
    for (const edge of [value].flat()) {
      const here = path.nodes.at(-1)!;
      path.edges.push(edge);
      path.nodes.push(edge.from === here ? edge.to! : edge.from!);
    }
  }
  return path;
}

/** The edge types that can leave a node with one of these labels, and the label at the other end. */
function waysFrom(labels: string[], direction: Direction): { type: string; to: string }[] {
  return Object.entries(ends).flatMap(([type, [from, to]]) => [
    ...(direction !== 'in' && labels.includes(from) ? [{ type, to }] : []),
    ...(direction !== 'out' && labels.includes(to) ? [{ type, to: from }] : []),
  ]);
}

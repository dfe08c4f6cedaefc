import { type MatchClause, type Name } from '../../syntax/cypher-ast.js';
import { CypherValueError } from '../../syntax/cypher.errors.js';
import { type NodeValue } from '../../values/cypher-value.js';
import { type BoundEnds, boundEdgeStep, expandStep, type OptionsOf, shortestStep, walkOptions } from './edge-steps.js';
import { type CompiledMatch, type ExpressionPlace, type Rows } from './expression-place.js';
import { type MatchParts } from './counted-match.js';
import { compileLookUps } from './look-ups.js';
import { type Check, checksOfEdges, checksOfNodes, checksOfWhere, propertyCheck, slotsIn } from './match-checks.js';
import { MatchOrder } from './match-order.js';
import { isNode, type Step, type Walked } from './match-step.js';
import { pathStep } from './path-step.js';
import { type PatternEdge, type PatternNode, readPatterns } from './pattern-graph.js';
import { type Row } from './scope.js';
import { WaitingChecks } from './waiting-checks.js';

/** Work units to begin a match for one row. */
const unitsOfRun = 30;

/**
 * Compiles the patterns of one MATCH and its WHERE. The match starts at bound nodes, or else at the label with the fewest nodes, and
 * follows edges from there. A condition is tested as soon as its variables are bound.
 */
export function compileMatch(
  { patterns, where }: Pick<MatchClause, 'patterns' | 'where'>,
  before: ExpressionPlace,
): CompiledMatch & { parts: MatchParts } {
  const { query } = before;
  const graph = readPatterns(patterns, before.scope, query);
  const place = { query, scope: graph.scope, resolve: before.resolve };
  const elements = [...graph.nodes, ...graph.edges];
  const own = new Set([...elements.filter(({ bound }) => !bound), ...graph.paths].map(({ slot }) => slot));
  const unbound = new Set(own);
  const fitsOf = new Map(graph.edges.map(edge => [edge, propertyCheck(edge.properties, place)]));
  const ofEdges = checksOfEdges(graph, place, fitsOf);
  const all = [...checksOfNodes(graph, place), ...ofEdges.values(), ...(where ? checksOfWhere(where, place) : [])];
  const checks = new WaitingChecks(all, own);
  /**
   * Conditions that threw an error when they were tested early. They are tested again in the order of the query once all variables are
   * bound, where another condition may make them unnecessary.
   */
  const failed = new Set<Check>();
  const lookUps = compileLookUps(graph, where, place);
  const steps: Step[] = [];
  const addStep = (step: Step) => {
    const ready = checks.takeReady();
    steps.push(ready.length === 0 ? step : (row, walked) => filtered(step(row, walked), () => ready.every(check => passes(check, row))));
  };
  const passes = (check: Check, row: Row, ask = check.holds): boolean => {
    try {
      return ask(row);
    } catch (error) {
      if (!(error instanceof CypherValueError)) throw error;
      failed.add(check);
      return true;
    }
  };

  const order = new MatchOrder(graph);
  for (const node of graph.nodes) if (node.bound) order.bind(node.slot);
  for (const edge of graph.edges.filter(each => each.bound)) {
    order.take(edge);
    const [ends, options] = [boundEnds(edge), optionsOf(edge)];
    bindEnds(edge);
    addStep(boundEdgeStep(edge, graph, place, ends, options));
  }
  for (const node of graph.nodes.filter(each => each.bound)) addStep(boundNodeStep(node));
  for (;;) {
    const edge = order.nextEdge(isReady);
    if (edge) {
      order.take(edge);
      const [ends, options, isRead] = [boundEnds(edge), optionsOf(edge), () => isListRead(edge)];
      bindEnds(edge);
      const ofEnds = edge.shortest ? [] : checks.takeReady();
      const holds = ofEnds.length > 0 ? (row: Row) => ofEnds.every(check => passes(check, row)) : null;
      bind(edge.slot);
      const questions = { options, holds, isRead };
      addStep(edge.shortest ? shortestStep(edge, graph, place, questions) : expandStep(edge, graph, ends, place, questions));
      continue;
    }
    const start = order.nextStart();
    if (!start) break;
    const found = lookUps(start, isBound);
    bindNode(start);
    addStep(scanStep(start, place, found));
  }
  for (const { position } of order.edgesLeft)
    throw query.error(
      'UndefinedVariable',
      {
        zh: '最短路径的属性不能使用由该路径决定的变量；请将条件写在 WHERE 中',
        en: 'The properties of a shortest path cannot read a variable that the path decides; say it in WHERE',
      },
      position,
    );
  for (const path of graph.paths) {
    bind(path.slot);
    addStep(pathStep(path, graph, place));
  }
  const early = new Set(all.filter(check => !checks.isWaiting(check)));
  const isAsked = checks.size === 0;
  const holds = (row: Row): boolean =>
    (isAsked && failed.size === 0) || all.every(check => (early.has(check) && !failed.has(check)) || check.holds(row));
  const run = (row: Row): Rows => {
    query.work.spend(unitsOfRun);
    return runSteps(steps, row, holds);
  };
  return { scope: graph.scope, run, parts: { pattern: graph, checks: all, lookUps } };

  function isBound(slots: readonly number[]): boolean {
    return !slots.some(slot => unbound.has(slot));
  }

  function bind(slot: number): void {
    unbound.delete(slot);
    checks.bind(slot);
  }

  function bindNode({ slot }: PatternNode): void {
    bind(slot);
    order.bind(slot);
  }

  /** Whether the edge can be matched now. A shortest path waits until the variables that its properties read are bound. */
  function isReady({ shortest, properties }: PatternEdge): boolean {
    return shortest === null || isBound(slotsIn(properties, graph.scope));
  }

  /**
   * Whether the list of edges of a walk has to be complete: if an expression reads the list or the shortest path that is made of it, or if
   * a condition failed early, because that condition is later tested on the whole list.
   */
  function isListRead({ slot, shortest }: PatternEdge): boolean {
    const ofPath = shortest !== null && graph.paths.some(path => query.frame.isRead(path.slot));
    return failed.size > 0 || ofPath || query.frame.isRead(slot);
  }

  /**
   * The options of the walk along an edge. The properties of the edge are tested during the walk, if all variables that they read are
   * bound by then.
   */
  function optionsOf(edge: PatternEdge): OptionsOf {
    if (edge.properties.length === 0) return walkOptions(edge, null, place);
    if (!isBound(slotsIn(edge.properties, graph.scope))) {
      query.frame.markRead(edge.slot);
      return walkOptions(edge, null, place);
    }
    const fits = fitsOf.get(edge)!;
    const check = ofEdges.get(edge);
    if (!check) return walkOptions(edge, fits, place);
    checks.take(check);
    return walkOptions(edge, (found, row) => passes(check, row, () => fits(found, row)), place);
  }

  function boundEnds(edge: PatternEdge): BoundEnds {
    return { left: !unbound.has(graph.nodes[edge.left]!.slot), right: !unbound.has(graph.nodes[edge.right]!.slot) };
  }

  function bindEnds({ left, right }: PatternEdge): void {
    for (const index of [left, right]) bindNode(graph.nodes[index]!);
  }
}

/** Runs the steps like nested loops. For each match, `holds` tests the conditions that no step has tested. */
function* runSteps(steps: Step[], row: Row, holds: (row: Row) => boolean): Rows {
  const walked: Walked = { taken: new Set(), walks: new Map() };
  const running = [steps[0]!(row, walked)];
  try {
    while (running.length > 0) {
      const next = running.at(-1)!.next();
      if (next.done) running.pop();
      else if (next.value === null) yield null;
      else if (running.length === steps.length) {
        if (holds(row)) yield row;
      } else running.push(steps[running.length]!(row, walked));
    }
  } finally {
    // End all steps that still run: a step may have to clear what it has written where other steps will write.
    while (running.length > 0) running.pop()!.return(undefined);
  }
}

function* filtered(found: Generator<true | null>, holds: () => boolean): Generator<true | null> {
  for (const each of found) if (each === null || holds()) yield each;
}

/** Work units to take one node from a list and pass it through the generators of a pattern, without the units of `step()`. */
const unitsOfScanned = 8;
/** Work units to begin to go through the nodes of a label, without the units for the nodes. */
const unitsOfList = 15;

function scanStep({ slot, labels }: PatternNode, { query }: ExpressionPlace, lookUp: (row: Row) => readonly NodeValue[] | null): Step {
  const { graph, work } = query;
  const [group] = labels.map(names => ({ names, count: countOf(names) })).sort((a, b) => a.count - b.count);
  const names = group?.names.map(({ name }) => name).filter(name => graph.countOfLabel(name) > 0);
  return function* scan(row) {
    const known = lookUp(row);
    const lists = known ? [known] : (names?.map(name => graph.nodesWithLabel(name)) ?? [graph.nodes()]);
    work.spend(unitsOfList * lists.length);
    const seen = lists.length > 1 ? new Set<number>() : null;
    for (const nodes of lists) {
      for (const node of nodes) {
        work.step();
        work.spend(unitsOfScanned);
        if (work.isDue) yield null;
        if (seen?.has(node.id)) continue;
        seen?.add(node.id);
        row[slot] = node;
        yield true;
      }
    }
  };

  function countOf(names: Name[]): number {
    return names.reduce((sum, { name }) => sum + graph.countOfLabel(name), 0);
  }
}

/** Tests that the value of a bound node is a node: OPTIONAL MATCH may have left it null. */
function boundNodeStep({ slot }: PatternNode): Step {
  return function* check(row) {
    if (isNode(row[slot] ?? null)) yield true;
  };
}

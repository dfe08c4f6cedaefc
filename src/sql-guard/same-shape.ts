import { type Steps } from '../text/steps.js';
import { type GuardedExpression } from './guard-expression.js';
import { type GuardedSelect } from './guard-select.js';
import { parseSql } from './sql-parser.js';
import { type NodeFields } from './walk-tree.js';

export type SqlFragment = GuardedExpression | GuardedSelect;

/**
 * The marker that stands in a template for fragment `index`, an expression. No client text can contain a marker, because the guard refuses
 * control characters.
 */
export function fragmentMarker(index: number): string {
  return `'\u0001${index}\u0001'`;
}

/** The marker that stands in a template for a fragment that is a whole SELECT in FROM. */
export function selectMarker(index: number): string {
  return `(SELECT '\u0001select ${index}\u0001')`;
}

/**
 * Replaces the markers in the template by the fragments, verbatim and on lines of their own, and proves that the statement still has the
 * template's meaning. Template and statement are parsed. Their trees must be equal everywhere except at the markers, and each marker must
 * stand for the tree that the guard saw. (filter-guard.md B.3 rule 9; the second check after Redash #3109.)
 * @throws Error when the shapes differ, which is a fault of this service, never of the client
 */
export function* assembleInSteps(template: string, fragments: readonly SqlFragment[]): Steps<string> {
  const sql = template.replace(/\(SELECT '\u0001select (\d+)\u0001'\)|'\u0001(\d+)\u0001'/g, (_, select?: string, expression?: string) => {
    return `(\n${fragments[Number(select ?? expression)]?.text}\n)`;
  });
  const expected = parseSql(template);
  yield;
  const actual = parseSql(sql);
  yield;
  if (expected.length !== 1 || actual.length !== 1 || !(yield* sameShape(expected[0]?.stmt, actual[0]?.stmt, fragments))) {
    throw new Error('The assembled SQL differs in shape from its template');
  }
  return sql;
}

const positions = new Set(['location', 'list_start', 'list_end', 'rexpr_list_start', 'rexpr_list_end']);

/** Number of nodes that are compared in one step. */
const nodesOfStep = 1_000;

function* sameShape(expected: unknown, actual: unknown, fragments: readonly SqlFragment[]): Steps<boolean> {
  const open = [{ expected, actual, fragments }];
  for (let compared = 1; open.length > 0; compared++) {
    if (compared % nodesOfStep === 0) yield;
    const pair = open.pop()!;
    const index = markerIndex(pair.expected);
    if (index === null) {
      const parts = partsOf(pair.expected, pair.actual);
      if (parts === null) return false;
      for (const [one, other] of parts) open.push({ expected: one, actual: other, fragments: pair.fragments });
    } else open.push({ expected: pair.fragments[index]?.tree, actual: pair.actual, fragments: [] });
  }
  return true;
}

/** The pairs of child nodes that have to be alike for two nodes to be alike. Null where the nodes themselves differ. */
function partsOf(expected: unknown, actual: unknown): [unknown, unknown][] | null {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || expected.length !== actual.length) return null;
    return expected.map((each, i) => [each, actual[i]]);
  }
  if (typeof expected !== 'object' || expected === null) return expected === actual ? [] : null;
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return null;
  const keys = (node: object) => Object.keys(node).filter(key => !positions.has(key));
  const [expectedKeys, actualKeys] = [keys(expected), keys(actual)];
  if (expectedKeys.length !== actualKeys.length || !expectedKeys.every(key => Object.hasOwn(actual, key))) return null;
  return expectedKeys.map(key => [(expected as NodeFields)[key], (actual as NodeFields)[key]]);
}

/** The index of the fragment whose marker `node` is; null for any other node. */
function markerIndex(node: unknown): number | null {
  const select = (node as { SelectStmt?: { targetList?: [{ ResTarget?: { val?: unknown } }?] } } | null | undefined)?.SelectStmt;
  const value = select ? select.targetList?.[0]?.ResTarget?.val : node;
  const text = (value as { A_Const?: { sval?: { sval?: string } } } | null | undefined)?.A_Const?.sval?.sval ?? '';
  const match = (select ? /^\u0001select (\d+)\u0001$/ : /^\u0001(\d+)\u0001$/).exec(text);
  return match ? Number(match[1]) : null;
}

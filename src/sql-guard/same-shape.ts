import { type Steps } from '../text/steps.js';
import { type GuardedExpression } from './guard-expression.js';
import { type GuardedSelect } from './guard-select.js';
import { parseSql } from './sql-parser.js';
import { type NodeFields } from './walk-tree.js';

export type SqlFragment = GuardedExpression | GuardedSelect;

/**
 * Stands in a template for fragment `index`, an expression. No client text can contain it, because the guard refuses control
 * characters.
 */
export function fragmentMarker(index: number): string {
  return `'\u0001${index}\u0001'`;
}

/** Stands in a template for a fragment that is a whole SELECT in FROM. */
export function selectMarker(index: number): string {
  return `(SELECT '\u0001select ${index}\u0001')`;
}

/**
 * Replaces the markers in the template by the fragments, verbatim and on lines of their own, and proves that the statement still
 * has the template's meaning. Both are parsed. Their trees must be equal everywhere except at the markers, and each marker must
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
  if (expected.length !== 1 || actual.length !== 1 || !sameShape(expected[0]?.stmt, actual[0]?.stmt, fragments)) {
    throw new Error('The assembled SQL differs in shape from its template');
  }
  return sql;
}

const positions = new Set(['location', 'list_start', 'list_end', 'rexpr_list_start', 'rexpr_list_end']);

function sameShape(expected: unknown, actual: unknown, fragments: readonly SqlFragment[]): boolean {
  const index = markerIndex(expected);
  if (index !== null) return sameShape(fragments[index]?.tree, actual, []);
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && expected.length === actual.length && expected.every((each, i) => sameShape(each, actual[i], fragments));
  }
  if (typeof expected !== 'object' || expected === null) return expected === actual;
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return false;
  const keys = (node: object) => Object.keys(node).filter(key => !positions.has(key));
  const [expectedKeys, actualKeys] = [keys(expected), keys(actual)];
  return (
    expectedKeys.length === actualKeys.length &&
    expectedKeys.every(
      key => Object.hasOwn(actual, key) && sameShape((expected as NodeFields)[key], (actual as NodeFields)[key], fragments),
    )
  );
}

/** The index of the fragment for which `node` stands, or null. */
function markerIndex(node: unknown): number | null {
  const select = (node as { SelectStmt?: { targetList?: [{ ResTarget?: { val?: unknown } }?] } } | null | undefined)?.SelectStmt;
  const value = select ? select.targetList?.[0]?.ResTarget?.val : node;
  const text = (value as { A_Const?: { sval?: { sval?: string } } } | null | undefined)?.A_Const?.sval?.sval ?? '';
  const match = (select ? /^\u0001select (\d+)\u0001$/ : /^\u0001(\d+)\u0001$/).exec(text);
  return match ? Number(match[1]) : null;
}

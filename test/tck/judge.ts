import {
  CypherNotSupportedError,
  CypherSyntaxError,
  CypherValueError,
  MissingParameterError,
} from '../../src/cypher/syntax/cypher.errors.js';
import { LanguageError } from '../../src/text/language-error.js';
import { type CypherValue } from '../../src/cypher/values/cypher-value.js';
import { ValueFault } from '../../src/cypher/values/value-fault.js';
import { canonicalOf, canonicalOfExpected } from './canonical.js';
import { type Expected } from './read-feature.js';

/** The verdicts from the best to the worst. `compareWithReport` compares their positions. */
export const verdicts = ['passed', 'different on purpose', 'refused', 'wrong error', 'error', 'wrong rows'] as const;
export type Verdict = (typeof verdicts)[number];

export interface Judgement {
  verdict: Verdict;
  /** '' for a case that passed. */
  reason: string;
}

export type Answer =
  | { kind: 'rows'; columns: string[]; rows: CypherValue[][] }
  | { kind: 'error'; error: Error; phase: 'set-up' | 'compile time' | 'runtime' };

const passed: Judgement = { verdict: 'passed', reason: '' };

/** Compares an answer with the one that the TCK expects. An error "not supported" gives `refused`, even if the TCK expects an error. */
export function judge(expected: Expected, answer: Answer): Judgement {
  if (answer.kind === 'error') return judgeError(expected, answer);
  return expected.kind === 'error'
    ? { verdict: 'wrong error', reason: `${wordsOf(expected)} expected, got rows` }
    : judgeRows(expected, answer);
}

function judgeError(expected: Expected, { error, phase }: Answer & { kind: 'error' }): Judgement {
  const firstLine = firstLineOf(error);
  if (phase === 'set-up') return { verdict: 'error', reason: `set-up: ${firstLine}` };
  if (error instanceof CypherNotSupportedError) return { verdict: 'refused', reason: firstLine };
  if (expected.kind === 'rows') return { verdict: 'error', reason: firstLine };
  const got = { ...typeAndDetail(error), phase };
  const isRight =
    got.type === expected.type &&
    (got.detail === expected.detail || expected.detail === '*') &&
    (got.phase === expected.phase || expected.phase === 'any time');
  if (isRight) return passed;
  return { verdict: 'wrong error', reason: `${wordsOf(expected)} expected, got ${wordsOf(got)}: ${firstLine}` };
}

function judgeRows(expected: Expected & { kind: 'rows' }, actual: Answer & { kind: 'rows' }): Judgement {
  const { columns, ordered } = expected;
  const listOrder = expected.anyListOrder ? 'any' : 'exact';
  const wrong = (reason: string): Judgement => ({ verdict: 'wrong rows', reason });
  // For an empty result, the TCK may leave out the columns.
  if (columns.length === 0) return actual.rows.length === 0 ? passed : wrong(`no row expected, got ${actual.rows.length}`);
  // RETURN * may return its columns in any order.
  const order = columns.map(column => actual.columns.indexOf(column));
  if (order.includes(-1) || columns.length !== actual.columns.length)
    return wrong(`columns ${columns.join(', ')} expected, got ${actual.columns.join(', ')}`);
  const want = expected.rows.map(row => row.map(cell => canonicalOfExpected(cell, listOrder)).join(' ; '));
  const got = actual.rows.map(row => order.map(i => canonicalOf(row[i] ?? null, listOrder)).join(' ; '));
  if (!ordered) [want, got].forEach(rows => rows.sort());
  if (JSON.stringify(got) === JSON.stringify(want)) return passed;
  if (got.length !== want.length) return wrong(`${want.length} rows expected, got ${got.length}`);
  const first = got.findIndex((row, i) => row !== want[i]);
  return wrong(`${shown(want[first])} expected, got ${shown(got[first])}`);
}

function firstLineOf(error: Error): string {
  const message = error instanceof LanguageError ? error.text.en : error.message;
  return (message.split('\n')[0] ?? '').slice(0, 200);
}

function shown(row = ''): string {
  const line = row.replace(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}

function wordsOf({ type, detail, phase }: { type: string; detail: string; phase: string }): string {
  return `${type} ${detail} at ${phase}`;
}

/** The type and detail of an error in the words of openCypher. */
function typeAndDetail(error: Error): { type: string; detail: string } {
  if (error instanceof CypherSyntaxError) return { type: 'SyntaxError', detail: error.detail };
  if (error instanceof CypherValueError || error instanceof ValueFault) return { type: error.type, detail: error.detail };
  if (error instanceof MissingParameterError) return { type: 'ParameterMissing', detail: 'MissingParameter' };
  return { type: error.name, detail: 'none' };
}

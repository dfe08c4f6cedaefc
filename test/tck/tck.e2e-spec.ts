import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CypherNotSupportedError, CypherValueError } from '../../src/cypher/syntax/cypher.errors.js';
import { canonicalOf, canonicalOfExpected } from './canonical.js';
import { type Answer, judge, type Judgement } from './judge.js';
import { memoryDifferences } from './known-differences.js';
import { type Expected, readFeature } from './read-feature.js';
import { onlyReads, readSuite, type TckCase } from './read-suite.js';
import { compareWithReport, type Outcome, renderReport } from './report.js';
import { runCase } from './run-case.js';
import { isLong, everyNth } from '../support/tier.js';
import { describeWithShared } from '../support/shared-data.js';

const page = join(process.cwd(), 'docs', 'opencypher-tck.md');

describeWithShared('the openCypher TCK in memory', 'suites/tck', () => {
  it('answers every case that reads as the committed page has it', () => {
    const cases = readSuite();
    const reading = cases.filter(onlyReads);
    // The numbers of cases in the release of the TCK that CI has. A reader that misses cases would otherwise go unnoticed.
    expect([cases.length, reading.length]).toEqual([3897, 3527]);
    const outcomes = everyNth(reading, 8).map(outcomeOf);

    const committed = readFileSync(page, 'utf8');
    const { worse, better } = compareWithReport(outcomes, committed);
    expect(worse).toEqual([]);
    if (!isLong) return;

    const differing = outcomes.filter(({ verdict }) => verdict === 'different on purpose');
    const gone = memoryDifferences.filter(({ scenario }) => !differing.some(({ name }) => name.startsWith(scenario)));
    expect(gone).toEqual([]);
    const now = renderReport(outcomes, cases.length, memoryDifferences);
    if (process.env.UPDATE_TCK) writeFileSync(page, now);
    if (committed !== now) {
      const news = [...better.map(each => `better: ${each}`), `UPDATE_TCK=1 writes ${page} anew`];
      process.stdout.write(`openCypher TCK in memory:\n${news.join('\n')}\n`);
    }
  });
});

function outcomeOf(scenario: TckCase): Outcome {
  const { category, name, expected } = scenario;
  const judgement = judge(expected, runCase(scenario));
  const difference = memoryDifferences.find(({ scenario: start }) => name.startsWith(start));
  if (judgement.verdict === 'passed' || !difference) return { category, name, ...judgement };
  return { category, name, verdict: 'different on purpose', reason: difference.reason };
}

describe('the judge of TCK cases', () => {
  const expectedRows = (...rows: string[]): Expected & { kind: 'rows' } => ({
    kind: 'rows',
    ordered: false,
    anyListOrder: false,
    columns: ['x'],
    rows: rows.map(cell => [cell]),
  });
  const rowsOf = (...values: bigint[]): Answer => ({ kind: 'rows', columns: ['x'], rows: values.map(value => [value]) });
  const expectedError: Expected = { kind: 'error', type: 'TypeError', phase: 'runtime', detail: 'InvalidArgumentValue' };
  const failure = (error: Error, phase: 'compile time' | 'runtime' = 'runtime'): Answer => ({ kind: 'error', error, phase });
  const fault = (type: string, detail: string) => new CypherValueError(type, detail, { zh: '错', en: 'wrong' }, null);

  it('passes the rows of the TCK in any order', () => {
    expect(judge(expectedRows('1', '2'), rowsOf(2n, 1n))).toEqual({ verdict: 'passed', reason: '' });
  });

  it.each<[string, Expected, Answer, Judgement['verdict']]>([
    ['a wrong row', expectedRows('1', '2'), rowsOf(1n, 3n), 'wrong rows'],
    ['an extra row', expectedRows('1'), rowsOf(1n, 1n), 'wrong rows'],
    ['a missing row', expectedRows('1', '1'), rowsOf(1n), 'wrong rows'],
    ['a row where none is expected', { ...expectedRows(), columns: [] }, rowsOf(1n), 'wrong rows'],
    ['a wrong order', { ...expectedRows('1', '2'), ordered: true }, rowsOf(2n, 1n), 'wrong rows'],
    ['a wrong column', { ...expectedRows('1'), columns: ['y'] }, rowsOf(1n), 'wrong rows'],
    ['an integer in place of a float', expectedRows('1.0'), rowsOf(1n), 'wrong rows'],
    ['an error in place of rows', expectedRows('1'), failure(fault('TypeError', 'InvalidArgumentValue')), 'error'],
    ['a refusal in place of rows', expectedRows('1'), failure(new CypherNotSupportedError('this', null)), 'refused'],
    ['a missing error', expectedError, rowsOf(1n), 'wrong error'],
    ['an error of another type', expectedError, failure(fault('ArgumentError', 'InvalidArgumentValue')), 'wrong error'],
    ['an error with another detail', expectedError, failure(fault('TypeError', 'NumberOutOfRange')), 'wrong error'],
    ['an error at another phase', expectedError, failure(fault('TypeError', 'InvalidArgumentValue'), 'compile time'), 'wrong error'],
    ['a refusal in place of the error', expectedError, failure(new CypherNotSupportedError('this', null)), 'refused'],
  ])('detects %s', (_, expected, answer, verdict) => {
    expect(judge(expected, answer)).toEqual({ verdict, reason: expect.stringMatching(/./) });
  });

  it('takes the phase as it comes where the TCK says any time', () => {
    const error = failure(fault('TypeError', 'InvalidArgumentValue'));
    expect(judge({ ...expectedError, phase: 'any time', detail: '*' }, error).verdict).toBe('passed');
  });

  it.each([
    ["(:B:A {y: 'it\\'s', x: 1})", '(:A:B {"x": 1, "y": "it\'s"})'],
    ['[:T {x: 1e3}]', '[:T {"x": 1000.0}]'],
    ['<(:A)<-[:T]-()-[:U]->(:A)>', '<(:A)<-[:T]-()-[:U]->(:A)>'],
    ['[1, -0.0, NaN, null, true]', '[1, 0.0, NaN, null, true]'],
    ["{b: {c: '\\\\'}, a: []}", '{"a": [], "b": {"c": "\\\\"}}'],
  ])('reads %s as %s', (text, canonical) => {
    expect(canonicalOfExpected(text)).toBe(canonical);
  });

  it('keeps apart what differs', () => {
    const texts = ['1', '1.0', "'1'", '[1]', '()', '[:T]', '(:T)', '<()-[:T]->()>', '<()<-[:T]-()>', 'null', '{a: null}', '{}', '[]'];
    expect(new Set(texts.map(text => canonicalOfExpected(text))).size).toBe(texts.length);
    expect(canonicalOf([2n, 1n], 'any')).toBe(canonicalOf([1n, 2n], 'any'));
  });
});

describe('the page of the TCK', () => {
  const outcome = (verdict: Outcome['verdict']): Outcome => ({
    category: 'clauses/match',
    name: 'Match1 [1] `a` <b>',
    verdict,
    reason: 'why',
  });

  it.each<[Outcome['verdict'], Outcome['verdict'], 'worse' | 'better' | 'same']>([
    ['passed', 'refused', 'worse'],
    ['refused', 'wrong rows', 'worse'],
    ['wrong rows', 'passed', 'better'],
    ['wrong error', 'wrong error', 'same'],
  ])('tells a case that was %s and is %s as %s', (before, now, change) => {
    const { worse, better } = compareWithReport([outcome(now)], renderReport([outcome(before)], 1, []));
    expect([worse.length, better.length]).toEqual([change === 'worse' ? 1 : 0, change === 'better' ? 1 : 0]);
  });
});

describe('the reader of features', () => {
  it('reads backgrounds, outlines, doc strings and tables', () => {
    const [first, second] = readFeature(`
Feature: Some1 - About something
  Background:
    Given an empty graph
    And having executed:
      """
      CREATE ()
      """

  # a remark
  Scenario Outline: [1] Title of <value>
    And parameters are:
      | p | <value> |
    When executing query:
      """
      RETURN <value>
        AS x
      """
    Then the result should be, in order (ignoring element order for lists):
      | x       |
      | <value> |
    And no side effects

    Examples:
      | value  |
      | 'a\\|b' |
      | 2      |
`);
    expect(first).toEqual({
      name: "Some1 [1] Title of 'a|b' #1",
      namedGraph: null,
      setup: ['CREATE ()'],
      procedures: [],
      parameters: [['p', "'a|b'"]],
      query: "RETURN 'a|b'\n  AS x",
      expected: { kind: 'rows', ordered: true, anyListOrder: true, columns: ['x'], rows: [["'a|b'"]] },
      controls: [],
      sideEffects: {},
    });
    expect(second?.query).toBe('RETURN 2\n  AS x');
  });
});

import { type Difference } from './known-differences.js';
import { type Verdict, verdicts } from './judge.js';

export interface Outcome {
  category: string;
  name: string;
  verdict: Verdict;
  reason: string;
}

/** The columns of the report's table, with their headings. */
const counted: Record<Verdict, string> = {
  passed: 'passed',
  'wrong rows': 'wrong rows',
  error: 'errors',
  refused: 'refused',
  'wrong error': 'wrong errors',
  'different on purpose': 'on purpose',
};
const columns = Object.keys(counted) as Verdict[];

/** Categories of the TCK that are close to the queries of users. */
const slice: ReadonlySet<string> = new Set([
  ...['match', 'match-where', 'return', 'return-orderby', 'with-orderBy', 'return-skip-limit', 'with-skip-limit'].map(inClauses),
  ...['with', 'with-where', 'unwind'].map(inClauses),
  ...['aggregation', 'comparison', 'boolean', 'null', 'string', 'list', 'path', 'pattern', 'literals'].map(name => `expressions/${name}`),
  'useCases/countingSubgraphMatches',
  'useCases/triadicSelection',
]);

/** Writes the page that is committed as docs/opencypher-tck.md. `all` is the number of cases in the suite. */
export function renderReport(outcomes: readonly Outcome[], all: number, differences: readonly Difference[]): string {
  const categories = [...new Set(outcomes.map(({ category }) => category))];
  const inSlice = outcomes.filter(({ category }) => slice.has(category));
  return `# openCypher TCK

The [Technology Compatibility Kit of openCypher](https://github.com/opencypher/openCypher/tree/main/tck) has ${thousands(all)} cases. Queries only read
here, so the ${thousands(all - outcomes.length)} cases that write or call a procedure are left out. The other ${thousands(outcomes.length)} run in memory: ${share(outcomes)}.

\`npm test\` runs every eighth, \`npm run test:long -- tck/tck.long\` all of them; both fail when a case is worse than this page says.
\`UPDATE_TCK=1 npm run test:long -- tck/tck.long\` writes the page.

| category | cases | ${columns.map(verdict => counted[verdict]).join(' | ')} |
| --- | ${['---', ...columns.map(() => '---')].join(' | ')} |
${categories.map(category => rowOf(category, of(outcomes, category))).join('\n')}
${rowOf('**all**', outcomes)}
${rowOf('**the slice**', inSlice)}

The slice is what questions are mostly made of: ${[...slice].map(name => `\`${name}\``).join(', ')}. In it, ${share(inSlice)}.

- **wrong rows**: an answer that differs from the TCK's
- **error**: an answer is expected, and there is an error
- **refused**: the query is known and not supported; the error says so
- **wrong error**: an error is expected, and there is none, or one of another type, detail or phase
- **different on purpose**: see the end of this page

## Cases that do not pass

${
  categories
    .map(category => sectionOf(category, of(outcomes, category)))
    .filter(Boolean)
    .join('\n\n') || 'None.'
}

## Different on purpose

${differences.map(({ scenario, reason }) => `- ${escaped(scenario)}: ${escaped(reason)}`).join('\n') || 'None.'}
`;
}

/** Reads the verdicts of a page, by the escaped names of the cases. Passed cases are not on the page. */
function readReport(page: string): Map<string, Verdict> {
  const lines = page.matchAll(/^- \*\*([a-z ]+)\*\* (.+?) — /gm);
  return new Map([...lines].map(([, verdict, name]) => [name ?? '', verdict as Verdict]));
}

/** Compares outcomes with a committed page. Returns a sentence for each case that is worse and for each that is better. */
export function compareWithReport(outcomes: readonly Outcome[], page: string): { worse: string[]; better: string[] } {
  const before = readReport(page);
  const compared = outcomes.map(({ name, verdict, reason }) => {
    const was = before.get(escaped(name)) ?? 'passed';
    const change = verdicts.indexOf(verdict) - verdicts.indexOf(was);
    return { change, sentence: `${name}: ${was} before, now ${verdict}${reason && ` (${reason})`}` };
  });
  const sentences = (isIn: (change: number) => boolean) => compared.filter(({ change }) => isIn(change)).map(({ sentence }) => sentence);
  return { worse: sentences(change => change > 0), better: sentences(change => change < 0) };
}

function inClauses(name: string): string {
  return `clauses/${name}`;
}

function of(outcomes: readonly Outcome[], category: string): Outcome[] {
  return outcomes.filter(outcome => outcome.category === category);
}

function rowOf(title: string, outcomes: readonly Outcome[]): string {
  const counts = columns.map(verdict => outcomes.filter(outcome => outcome.verdict === verdict).length);
  return `| ${[title, outcomes.length, ...counts].join(' | ')} |`;
}

function sectionOf(category: string, outcomes: readonly Outcome[]): string {
  const failed = outcomes.filter(({ verdict }) => verdict !== 'passed');
  const lines = failed.map(({ verdict, name, reason }) => `- **${verdict}** ${escaped(name)} — ${escaped(reason)}`);
  return failed.length === 0 ? '' : `### ${category}\n\n${lines.join('\n')}`;
}

function share(outcomes: readonly Outcome[]): string {
  const passed = outcomes.filter(({ verdict }) => verdict === 'passed').length;
  // Rounds down, so that 100 % means that all cases pass.
  const percent = Math.floor((1000 * passed) / outcomes.length) / 10;
  return `${thousands(passed)} of ${thousands(outcomes.length)} pass (${percent} %)`;
}

function thousands(count: number): string {
  return count.toLocaleString('en-US');
}

function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_<|~]/g, '\\$&');
}

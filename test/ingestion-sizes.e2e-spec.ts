import { graphTables } from '../src/database/graph-tables.js';
import { type TestApp, startTestApp } from './support/app.js';
import { counts, ingest, rejectedRows, upload } from './support/ingestion.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
});

const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index);

describe('a table of 1,600 columns', () => {
  const width = 1_600;
  /** Every third column is text, the key among them. */
  const row = (of: (index: number) => number): string =>
    numbers(width)
      .map(index => (index % 3 === 0 ? `t${of(index)}` : of(index)))
      .join(',');

  beforeAll(() =>
    upload(
      app,
      'wide',
      [
        numbers(width)
          .map(index => `c${index}`)
          .join(','),
        row(() => 1),
        row(() => 2),
        row(() => 9),
      ].join('\n') + '\n',
    ),
  );

  /** Passes 1 and 2, and rejects 9 in each column. */
  const columns = (count: number): string =>
    numbers(count)
      .map(index => `      - {column: c${index}, rules: [required, ${index % 3 === 0 ? '{pattern: "t[12]"}' : '{max: 2}'}]}\n`)
      .join('');

  it.each([49, 50, 51, 99, 100, 101, 200])('makes nodes and edges of %d properties', async count => {
    const { graphId, run } = await ingest(
      app,
      `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - id: wide
    label: 宽
    table: wide
    key: [c0]
    columns:
${columns(count)}
edges:
  - type: 连
    table: wide
    key: [${numbers(32).map(index => `c${index + 100}`).join(', ')}]
    from: {node: wide, match: {c0: c0}}
    to: {node: 'label:宽', match: {c0: c0}}
    columns:
${columns(count)}`,
    );
    expect(run.error).toBeNull();
    expect(counts(run)).toEqual({ 宽: [3, 2, 0, 0, 0, 1, 0], 连: [3, 2, 0, 0, 0, 1, 0] });
    const { nodes, edges } = graphTables(graphId);
    const { rows } = await app.pool.query(`SELECT properties FROM ${nodes} UNION ALL SELECT properties FROM ${edges}`);
    expect(rows.map(({ properties }) => Object.keys(properties).length)).toEqual([count, count, count, count]);
    expect(rows[0].properties[`c${count - 1}`]).toBe((count - 1) % 3 === 0 ? 't1' : 1);
    const rejected = await rejectedRows(app, run.id);
    expect(rejected.map(({ reasons, sample }) => [reasons.length, Object.keys(sample).length])).toEqual([[count, count], [count, count]]);
  }, 60_000); // prettier-ignore

  it('is read with as many rules as a node may have', async () => {
    const rules = numbers(5).map(index => `{expression: "c1 < ${index + 10}", severity: warn}`).join(', '); // prettier-ignore
    const { run } = await ingest(
      app,
      `version: 1
nodes:
  - id: wide
    label: 宽
    table: wide
    key: [c0]
    columns:
${numbers(200).map(index => `      - {column: c${index}, rules: [${rules.replaceAll('c1 ', `c${index * 3 + 1} `)}]}`).join('\n')}
`,
    ); // prettier-ignore
    expect([run.error, run.report.totals.inserted, run.report.warnings]).toEqual([null, 3, []]);
  }, 60_000);
});

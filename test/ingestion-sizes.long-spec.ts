import { graphTables } from '../src/database/graph-tables.js';
import { Pace } from '../src/common/turns/pace.js';
import { RejectedRowsRepository } from '../src/ingestion/rejected-rows.repository.js';
import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, counts, ingest, rejectedRows, runToEnd, upload } from './support/ingestion.js';

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
  /** A row in which every third column, including the key, is text. */
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

  /** The first `count` columns, with rules that accept 1 and 2, and reject 9. */
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
  }); // prettier-ignore

  it('is read by a query of the same number of columns too', async () => {
    const mapping = (query: string): string =>
      `version: 1\nnodes:\n- {id: wide, label: 宽, query: '${query}', key: [c0], columns: [{column: c0}]}\n`;
    const { graphId, run } = await ingest(app, mapping('SELECT * FROM wide'));
    expect([run.error, run.report.totals.inserted]).toEqual([null, 3]);
    const body = { graph_id: graphId, mapping_yaml: mapping('SELECT *, c0 AS more FROM wide') };
    const refused = await app.admin.post('/api/ingestion/jobs').send(body).expect(422);
    expect(refused.body.detail.errors[0].msg).toContain('the query has 1601 columns; at most 1600 are read');
  });

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
  });
});

describe('rejected rows', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const short = (index: number): string =>
    `${letters[index % 52]}${letters[Math.floor(index / 52) % 52]}${letters[Math.floor(index / 2_704)]}`;

  const rejecting = (
    table: string,
    columns: string,
    defaults = 'on_error: quarantine, max_error_rate: 1, max_error_rows: 10000',
  ): string => `version: 1
defaults: {${defaults}}
nodes:
- id: row
  label: 行
  table: ${table}
  key: [c0]
  columns:
${columns}`;

  /** Collects the texts that are written to the table of rejected rows. Each text is a JSON array of rows. */
  function watchWrites(): string[] {
    const written: string[] = [];
    const repository = app.app.get(RejectedRowsRepository);
    const insert = repository.insert.bind(repository);
    jest.spyOn(repository, 'insert').mockImplementation((client, runId, rejected) => {
      written.push(rejected);
      return insert(client, runId, rejected);
    });
    return written;
  }

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    [57_500, short],
    [5_000, (index: number) => `${'很'.repeat(12)}${short(index)}`],
  ])('name ten of %d values that a rule lists', async (count, valueOf) => {
    const rows = 2_999;
    await upload(app, 'codes', `c0,code\n${numbers(rows).join(',?\n')},?\n`);
    const values = numbers(count).map(valueOf);
    const written = watchWrites();
    const { run } = await ingest(
      app,
      rejecting('codes', `  - {column: c0}\n  - {column: code, rules: [{one_of: [${values.join(',')}]}]}\n`),
    );
    expect([run.status, run.error, run.report.totals.rejected]).toEqual(['succeeded', null, rows]);
    const rejected = await rejectedRows(app, run.id);
    expect(rejected).toHaveLength(rows);
    expect(rejected[0].reasons).toMatchObject([
      {
        en: `column 'code': '?' is not one of ${count} values (${values.slice(0, 10).join(', ')}, …)`,
        zh: `列「code」：'?' 不在 ${count} 个值（${values.slice(0, 10).join('、')}……）之中`,
      },
    ]);
    expect(written.join('').length / rows).toBeLessThan(1_000);
  });

  it('are written in batches of about a million characters if they have hundreds of columns, each row with all its reasons', async () => {
    const rows = 200;
    const value = 'x'.repeat(300);
    await upload(
      app,
      'long',
      `${numbers(200)
        .map(index => `c${index}`)
        .join(',')}\n${numbers(rows)
        .map(row => `r${row}${`,${value}`.repeat(199)}\n`)
        .join('')}`,
    );
    const written = watchWrites();
    const columns = numbers(200)
      .map(index => `  - {column: c${index}, rules: [{pattern: '${'a?'.repeat(90)}'}]}\n`)
      .join('');
    const { run } = await ingest(app, rejecting('long', columns));
    expect([run.error, run.report.totals.rejected]).toEqual([null, rows]);
    const batches = written.map(text => JSON.parse(text) as { reasons: { en: string; zh: string }[]; sample: object }[]);
    const lengths = batches
      .flat()
      .map(({ reasons, sample }) => [reasons.length, reasons.map(({ en, zh }) => en + zh).join('').length, JSON.stringify(sample).length]);
    expect(lengths).toHaveLength(rows);
    expect(Math.min(...lengths.map(([count]) => count!))).toBe(200);
    expect(Math.max(...lengths.map(([, reasons]) => reasons!))).toBeLessThanOrEqual(64_000);
    expect(Math.max(...lengths.map(([, , sample]) => sample!))).toBeLessThan(20_000);
    expect(Math.max(...written.map(text => text.length))).toBeLessThan(1.2 * 1024 * 1024);
    expect(JSON.stringify(run.report.rejected_sample).length).toBeLessThan(300_000);
    expect(run.report.rejected_sample.length).toBeGreaterThan(0);
  });

  it('show the beginning of keys that are too long, also of those of several columns', async () => {
    const long = '长'.repeat(100_000);
    await upload(app, 'ends', `c0,a,b\n${long},x,y\nk,${long},y\n`);
    const { run } = await ingest(
      app,
      `${rejecting('ends', '  - {column: c0}\n')}edges:
- type: 到
  table: ends
  from: {node: row, match: {a: c0}}
  to: {node: 'label:行', match: {a: c0, b: c1}}
`,
    );
    const rejected = await rejectedRows(app, run.id);
    expect(rejected.map(({ target, row_no }) => [target, row_no])).toEqual([
      ['行', 1],
      ['到', 1],
      ['到', 2],
    ]);
    expect(rejected[0].source_key).toBe(`${'长'.repeat(499)}…`);
    expect(rejected[2].sample).toEqual({ a: `${'长'.repeat(499)}…`, b: null });
    expect(JSON.stringify(rejected).length).toBeLessThan(20_000);
  });

  it('are all kept after a failed run, whatever their target', async () => {
    await upload(app, 'many', 'c0,n\n1,5\n');
    const nodes = numbers(20).map(
      index => `- {id: n${index}, label: N${index}, table: many, key: [c0], columns: [{column: c0}, {column: n, rules: [{max: 1}]}]}\n`,
    );
    const { run } = await ingest(
      app,
      `version: 1\ndefaults: {on_error: quarantine, max_error_rows: 19, max_error_rate: 1}\nnodes:\n${nodes.join('')}`,
    );
    expect(run.error.code).toBe('too_many_errors');
    expect((await rejectedRows(app, run.id)).map(({ target }) => target)).toEqual(numbers(20).map(index => `N${index}`));
  });
});

describe('a run that needs more memory than a backend has', () => {
  it.each(['53200', '53400'])('fails at once and says so (%s)', async sqlstate => {
    const failure = Object.assign(new Error('too much'), { code: sqlstate });
    const insert = jest.spyOn(app.app.get(RejectedRowsRepository), 'insert').mockRejectedValue(failure);
    await upload(app, 'small', 'id,n\n1,1\n2,\n');
    const columns = '[{column: id}, {column: n, rules: [required]}]';
    const { run } = await ingest(
      app,
      `version: 1\ndefaults: {on_error: quarantine, max_error_rate: 1}\nnodes:\n- {id: a, label: A, table: small, key: [id], columns: ${columns}}\n`,
    );
    insert.mockRestore();
    expect(run).toMatchObject({ status: 'failed', attempt: 1, error: { code: 'run_too_large', context: { sqlstate } } });
  });
});

describe('a mapping of many long expressions', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is checked and compiled in turns', async () => {
    await upload(app, 'sums', 'a,b\n1,2\n');
    const long = (index: number): string => `coalesce(a, ${index}${',b'.repeat(950)})`;
    const columns = (count: number) => numbers(count).map(index => `  - {expression: "${long(index)}", property: p${index}}\n`);
    const mapping = (count: number) =>
      `version: 1\nnodes:\n- id: sum\n  label: S\n  table: sums\n  key: [a]\n  columns:\n  - {column: a}\n${columns(count).join('')}`;
    const graphId = await aGraph(app);
    const turns = jest.spyOn(Pace.prototype, 'turn');
    const jobId = await aJob(app, graphId, mapping(30));
    // Parsing the text takes few turns. The others come from the expressions, each of which takes longer than one turn.
    expect(turns.mock.calls.length).toBeGreaterThan(10);
    turns.mockClear();
    expect((await runToEnd(app, jobId)).error).toBeNull();
    // The run checks the text again and then compiles it.
    expect(turns.mock.calls.length).toBeGreaterThan(20);
    const { body } = await app.admin
      .post('/api/ingestion/jobs')
      .send({ graph_id: graphId, mapping_yaml: mapping(40) })
      .expect(422);
    expect(JSON.stringify(body)).toContain('at most 65536 characters together');
  });
});

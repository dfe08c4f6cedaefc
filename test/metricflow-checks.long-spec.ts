import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadAll } from 'js-yaml';
import pg from 'pg';
import { CheckedRows } from './metricflow/checked-rows.js';
import { models, repeatingJoins } from './metricflow/definitions.js';
import { askMetrics, defineMetrics, type MetricGraph } from './metricflow/graph.js';
import { renderCheck } from './metricflow/render-check.js';
import { type Asked } from './metricflow/request-parts.js';
import { equal } from './metricflow/requests.js';
import { metricflowFolder, type PublishedTable, readPublishedTable, uploadPublishedTable } from './metricflow/tables.js';
import { different, named, verdicts, verdictSection } from './metricflow/verdicts.js';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { describeWithShared } from './support/shared-data.js';

/**
 * Runs MetricFlow's integration tests. In each of them, a query by its authors gives the expected rows. docs/metricflow.md lists the
 * verdicts.
 */
const schema = 'metricflow_checks';
const folders = ['simple_model', 'extended_date_model', 'multi_hop_join_model', 'time_spine_table'];
const table = path.join(__dirname, '..', 'docs', 'metricflow.md');

type Row = (string | null)[];

interface Check {
  name: string;
  model: string;
  metrics?: string[];
  check_order?: boolean;
  allow_empty?: boolean;
  check_query: string;
}

/** All checks, by file and name. */
function readChecks(): Map<string, Check> {
  const folder = path.join(metricflowFolder, 'check_queries');
  const checks = new Map<string, Check>();
  for (const file of readdirSync(folder).sort())
    for (const document of loadAll(readFileSync(path.join(folder, file), 'utf8')) as ({ integration_test: Check } | null)[])
      if (document) checks.set(`${/itest_(\w+)/.exec(file)![1]!}/${document.integration_test.name}`, document.integration_test);
  return checks;
}

describeWithShared('the check queries of MetricFlow', 'data/metricflow/check_queries', () => {
  const checks = readChecks();
  let test: TestApp;
  let editor: Client;
  let reference: pg.Client;
  const graphs = new Map<string, MetricGraph>();

  beforeAll(async () => {
    test = await startTestApp();
    editor = await test.asUser('lin');
    await grantConnection(test, 'lin');
    reference = new pg.Client({ connectionString: test.databaseUrl, options: '-c TimeZone=UTC' });
    await reference.connect();
    await reference.query(`CREATE SCHEMA ${schema}`);
    for (const folder of folders)
      for (const file of readdirSync(path.join(metricflowFolder, 'tables', folder))) {
        const table = readPublishedTable(`${folder}/${path.basename(file, '.yaml')}`);
        await uploadPublishedTable(test, table);
        await createReference(table);
      }
    for (const [model, metrics] of Object.entries(models)) graphs.set(model, await defineMetrics(editor, model, metrics));
  });
  afterAll(async () => {
    await reference?.end();
    await test?.close();
  });

  /** Creates a table with the types that MetricFlow uses. Only decimals differ: they are exact here. */
  async function createReference({ name, columns, rows }: PublishedTable): Promise<void> {
    const types: Record<string, string> = { TIME: 'timestamp', STRING: 'text', FLOAT: 'numeric', INT: 'bigint', BOOLEAN: 'boolean' };
    const typed = columns.map(column => `${column.name} ${types[column.type]}`).join(', ');
    await reference.query(`CREATE TABLE ${schema}.${name} (${typed})`);
    await reference.query(`INSERT INTO ${schema}.${name} SELECT * FROM json_populate_recordset(null::${schema}.${name}, $1)`, [
      JSON.stringify(rows),
    ]);
  }

  async function checkedRows({ check_query }: Check): Promise<CheckedRows> {
    const text = renderCheck(check_query, schema);
    const types = { getTypeParser: () => (value: string) => value };
    return new CheckedRows(await reference.query({ text, rowMode: 'array', types } as pg.QueryArrayConfig));
  }

  /** Returns our rows and the expected rows, with the same columns in the same order. */
  async function compare(key: string, asked: Asked) {
    const check = checks.get(key)!;
    const theirs = check.metrics ?? [];
    const metrics = asked.metrics ?? theirs;
    const requests = [asked.request].flat();
    const [checked, ...answers] = await Promise.all([
      checkedRows(check),
      ...requests.map(request => askMetrics(editor, graphs.get(check.model)!, metrics, request)),
    ]);
    const ours = { columns: answers[0]!.columns, rows: answers.flatMap(({ rows }) => rows) };
    const columns = checked.columns.filter(column => !asked.implied?.includes(column));
    const keys = columns.filter(column => !theirs.includes(column));
    const period = keys.find(column => !ours.columns.includes(column));
    const names = ours.columns.map(name => (name === 'period' ? (period ?? name) : (theirs[metrics.indexOf(name)] ?? name)));
    // The request may name a metric only for its groups. Such a metric is not a column of the check.
    expect(names.filter(name => columns.includes(name) || !metrics.includes(name)).sort()).toEqual([...columns].sort());
    const keyOf = (row: Row) => JSON.stringify(keys.map(column => row[columns.indexOf(column)]));
    const sorted = (rows: Row[]) => (check.check_order ? rows : [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
    const expected = sorted(checked.comparable(columns));
    if (!check.allow_empty) expect(expected).not.toEqual([]);
    const found = sorted(checked.comparableRows(ours.rows, names, columns)).map((row, index) =>
      row.map((cell, at) => checked.sameCell(cell, expected[index]?.[at], columns[at]!)),
    );
    return { found, expected };
  }

  it.each(named(equal))('%s is equal', async (key, asked) => {
    const { found, expected } = await compare(key, asked);
    expect(found).toEqual(expected);
  });

  it.each(named(different))('%s differs', async (key, asked) => {
    const { found, expected } = await compare(key, asked);
    const onlyIn = (some: Row[], others: Row[]) => some.filter(row => !others.some(other => isDeepStrictEqual(row, other))).length;
    expect({ ours: onlyIn(found, expected), theirs: onlyIn(expected, found) }).toEqual(asked.rows);
  });

  it.each(Object.entries(repeatingJoins))('may not join %s', async (_, binding) => {
    const body = { graph_id: graphs.get('SIMPLE_MODEL')!.id, name: 'repeated', formula: 'COUNT(*)', binding };
    const response = await editor.post('/api/metrics').send(body);
    expect([response.status, response.body.code]).toEqual([422, 'fan_out_join']);
  });

  it('all have a verdict', () => {
    const keys = verdicts().map(([key]) => key);
    expect(keys.sort()).toEqual([...checks.keys()].sort());
  });

  it('have the verdicts of the table', () => {
    const [before, after = ''] = readFileSync(table, 'utf8').split(/^(?=## Check queries$)/m);
    if (process.env.UPDATE_GOLDEN) writeFileSync(table, before! + verdictSection());
    else expect(after).toBe(verdictSection());
  });
});

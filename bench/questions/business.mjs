// Our own business questions. SQL on the source tables computes the expected answers when the bench runs.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { load } from 'js-yaml';
import pg from 'pg';
import { sampleTables, toCsv } from '../../examples/demo/sample-data.mjs';
import { report } from '../figures.mjs';
import { runJob } from '../runs.mjs';
import { ask, namesOf, timesOf } from './ask.mjs';

const zone = 'Asia/Shanghai';
const lastDayOfDemo = Date.UTC(2025, 11, 31);

export async function benchBusiness(service, api, { database, data, sets }) {
  const client = new pg.Client({ connectionString: database, types: { getTypeParser: () => String } });
  // If the bench fails, the service stops and breaks this connection. Without a listener this second error would hide the first.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`SET timezone = '${zone}'; SET search_path = mirror, public`);
  for (const set of ['demo', 'northwind', 'divisions'].filter(name => sets.includes(name))) {
    const spec = load(await readFile(new URL(`${set}.yml`, import.meta.url), 'utf8'));
    const folder = spec.folder && path.join(data, spec.folder);
    if (folder && !existsSync(folder)) report(`questions about ${set}`, { skipped: `${folder} is not there` });
    else await benchSet(service, api, client, { set, spec, folder });
  }
  await client.end();
}

async function benchSet(service, api, client, { set, spec, folder }) {
  const graph = await prepare(api, client, spec, folder);
  for (const [language, questions] of Object.entries(spec.questions)) {
    const counts = { right: 0, refused: 0, wrong_warned: 0, wrong_silent: 0 };
    const times = [];
    const misses = [];
    for (const question of questions) {
      const { ms, outcome, answer } = await ask(service, api, graph, question.ask, { timezone: zone });
      times.push(ms);
      const verdict = await judge(client, question, outcome, answer);
      counts[verdict]++;
      if (verdict !== 'right') misses.push({ verdict, ask: question.ask, said: answer.answer?.text?.slice(0, 200) ?? answer.detail });
    }
    for (const miss of misses) report(`questions about ${set}`, miss);
    report(`questions about ${set}`, { language, questions: questions.length, ...counts, ...timesOf(times) });
  }
}

/**
 * A failed question counts as refused: nobody is misled. With `expect` the service must refuse or ask back; with `expect: choices` only
 * asking back is right.
 */
async function judge(client, { sql, or, expect }, outcome, answer) {
  if (expect && (outcome === 'refused' || outcome === 'ambiguous'))
    return expect === 'choices' && outcome === 'refused' ? 'refused' : 'right';
  if (outcome !== 'answered') return 'refused';
  for (const statement of [sql, or].filter(Boolean)) {
    const { rows } = await client.query({ text: statement, rowMode: 'array' });
    if (agrees(rows, answer)) return 'right';
  }
  return answer.warnings.length > 0 ? 'wrong_warned' : 'wrong_silent';
}

/**
 * Whether each row of SQL matches a row of the answer, each a different one. The answer may have further columns, but not further rows. A
 * yes or a no in words matches a boolean.
 */
function agrees(expected, { rows, answer }) {
  if (expected.length === 1 && /^[tf]$/.test(expected[0]) && saysYes(rows, answer) === (expected[0][0] === 't')) return true;
  if (expected.length !== rows.length) return false;
  const left = rows.map(row => row.map(namesOf));
  return expected.every(values => {
    const at = left.findIndex(row => values.every(value => row.some(names => names.some(name => isSame(name, value)))));
    return at >= 0 && left.splice(at, 1).length === 1;
  });
}

/** True for yes, false for no, undefined if neither a single boolean nor the first word of the text says one of them. */
function saysYes(rows, answer) {
  if (rows.length === 1 && rows[0].length === 1 && typeof rows[0][0] === 'boolean') return rows[0][0];
  const text = answer?.text ?? '';
  if (/^(是|有|对|yes\b)/i.test(text)) return true;
  return /^(不|否|没|no\b)/i.test(text) ? false : undefined;
}

function isSame(found, expected) {
  if (expected === null) return found === 'null';
  if (found === expected) return true;
  const [a, b] = [found, expected].map(text => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN));
  return Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));
}

async function prepare(api, client, spec, folder) {
  const tables = folder ? await tablesOf(folder, spec.tables) : demoTables();
  for (const { name, types, csv } of tables)
    await api.send('PUT', `/api/warehouse/connections/1/tables/${name}${types ? `?types=${types}` : ''}`, csv);
  for (const [name, select] of Object.entries(spec.views))
    await client.query(`DROP VIEW IF EXISTS ${name}; CREATE TEMP VIEW ${name} AS ${select}`);
  const graph = await api.send('POST', '/api/graphs', { name: spec.mapping });
  await runJob(api, graph.id, await readFile(new URL(spec.mapping, import.meta.url), 'utf8'));
  for (const metric of spec.metrics) await api.send('POST', '/api/metrics', { graph_id: graph.id, ...metric });
  if (spec.lexicon.length > 0) await api.send('POST', `/api/graphs/${graph.id}/lexicon`, { entries: spec.lexicon, allow_clashes: true });
  return graph.id;
}

function tablesOf(folder, tables) {
  const read = async ([name, { file, types }]) => ({ name, types, csv: await readFile(path.join(folder, file), 'utf8') });
  return Promise.all(Object.entries(tables).map(read));
}

/** Moves each order date by the same number of days, so that the demo's last day is today. */
function demoTables() {
  const today = Date.parse(new Intl.DateTimeFormat('sv', { timeZone: zone }).format(new Date()));
  const moved = day => new Date(Date.parse(day) + today - lastDayOfDemo).toISOString().slice(0, 10);
  return sampleTables().map(table => {
    const at = table.columns.indexOf('order_date');
    const rows = () => [...table.rows()].map(row => row.map((value, i) => (i === at ? moved(value) : value)));
    return { name: table.name, csv: [...toCsv({ ...table, rows })].join('') };
  });
}

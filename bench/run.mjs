// `npm run bench [-- --only start,csv,ingestion,queries,http] [--lines 1000000] [--csv-scale 3000]`: the usual figures, all by default.
// `npm run bench -- NAME…`: gates, graphs (`--graphs 1000,5000,10000`), ingestion, mirror, metrics, questions, search, steps, traversals,
// r-mat or large, each with the options of its file. `queries` includes traversals, r-mat and large. Prints one JSON line per figure.
import { chmod, mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { benchCsv } from './csv.mjs';
import { benchGates } from './gates.mjs';
import { benchAuthMe } from './http.mjs';
import { benchIngestion } from './ingestion.mjs';
import { benchLargeGraph } from './large-graph.mjs';
import { benchManyGraphs } from './many-graphs.mjs';
import { benchMetrics } from './metrics.mjs';
import { benchMirror } from './mirror.mjs';
import { loadOrderLines } from './order-lines.mjs';
import { benchQueries } from './queries.mjs';
import { benchQuestions } from './questions.mjs';
import { databaseUrl, logIn, removeDirectory, startService } from './service.mjs';
import { sources } from './sources.mjs';
import { benchRMat } from './r-mat.mjs';
import { benchSearch } from './search.mjs';
import { benchStart } from './start.mjs';
import { benchSteps } from './steps.mjs';
import { benchTraversals } from './traversals.mjs';

const all = ['start', 'csv', 'ingestion', 'queries', 'http'];
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lines: { type: 'string', default: '1000000' },
    'csv-scale': { type: 'string', default: '3000' },
    graphs: { type: 'string', default: '1000,5000,10000' },
    only: { type: 'string', default: all.join(',') },
    source: { type: 'string' },
    rows: { type: 'string' },
    trials: { type: 'string' },
    parts: { type: 'string' },
    people: { type: 'string' },
    scale: { type: 'string', default: '16,18' },
    growth: { type: 'string', default: '10000,100000,1000000' },
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    sets: { type: 'string', default: 'demo,northwind,divisions,metaqa' },
  },
});
const wanted = new Set(positionals.length > 0 ? positionals : options.only.split(','));
if (positionals.includes('queries')) for (const name of ['traversals', 'r-mat', 'large']) wanted.add(name);

const folder = await mkdtemp(path.join(os.tmpdir(), 'graph-bench-'));
await chmod(folder, 0o711);
try {
  if (wanted.has('start')) await benchStart(folder);
  if (wanted.has('gates')) await benchGates(folder);
  if (wanted.has('graphs')) await benchGraphs();
  if (wanted.has('ingestion')) await benchIngestion(folder, sourceOptions());
  if (wanted.has('steps')) await benchSteps(folder);
  if (wanted.has('mirror')) await benchMirror(folder, sourceOptions());
  if (wanted.has('questions'))
    await benchQuestions(folder, { sample: Number(options.sample), seed: Number(options.seed), sets: options.sets.split(',') });
  if (wanted.has('metrics')) await benchMetrics(folder, sourceOptions({ source: 'mirror,postgres', rows: '1000000', trials: '5' }));
  if (wanted.has('traversals'))
    await benchTraversals(folder, { people: Number(options.people ?? 100_000), trials: Number(options.trials ?? 30) });
  if (wanted.has('large')) await benchLargeGraph(folder, Number(options.people ?? 1_000_000));
  if (wanted.has('search'))
    await benchSearch(folder, {
      people: Number(options.people ?? 1_000_000),
      trials: Number(options.trials ?? 300),
      parts: (options.parts ?? 'divisions,metaqa,speed').split(','),
    });
  if (wanted.has('r-mat')) await benchRMat(folder, { scales: options.scale.split(',').map(Number), trials: Number(options.trials ?? 10) });
  if (['csv', 'queries', 'http'].some(name => wanted.has(name))) await benchService();
} finally {
  await removeDirectory(folder);
}

function sourceOptions({ source, rows, trials } = { source: Object.keys(sources).join(','), rows: '100000', trials: '1' }) {
  const [names, numbers] = [text => text.split(','), text => text.split(',').map(Number)];
  return {
    source: names(options.source ?? source),
    rows: numbers(options.rows ?? rows),
    trials: Number(options.trials ?? trials),
    parts: names(options.parts ?? 'first,incremental,rules'),
    growth: numbers(options.growth),
  };
}

async function benchGraphs() {
  const directory = `${folder}/graphs`;
  const service = await startService(directory);
  try {
    await benchManyGraphs(await logIn(service.url), await databaseUrl(directory), options.graphs.split(',').map(Number));
  } finally {
    await service.stop();
  }
}

async function benchService() {
  const directory = `${folder}/service`;
  const service = await startService(directory);
  try {
    const api = await logIn(service.url);
    const database = await databaseUrl(directory);
    if (wanted.has('csv')) await benchCsv(folder, api, database, Number(options['csv-scale']));
    if (wanted.has('queries')) await benchQueries(api, database, await loadOrderLines(api, Number(options.lines)));
    if (wanted.has('http')) await benchAuthMe(service, api);
  } finally {
    await service.stop();
  }
}

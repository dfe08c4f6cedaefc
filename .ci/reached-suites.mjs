// Prints the long-tier suites to run, one on each line: those of each folder of `src` that has changed since the last release.
// Suites that take more than a few minutes (`byHand`) run by hand before a release, with all others: `npm run test:long`.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** Suites that take a minute or two, by the folder of `src` that they test. */
const suites = {
  access: ['test/access-matrix'],
  'api-keys': ['test/access-matrix'],
  auth: ['test/access-matrix', 'test/auth', 'test/inputs/third-party-suites'],
  backup: ['test/backup', 'test/backup-faults', 'test/operating'],
  'common/logging': ['test/secrets', 'test/secrets-failed-start'],
  cypher: ['test/tck/tck', 'test/tck/tck-sql', 'test/cypher-pitfalls', 'test/early-times'],
  database: ['test/disk-full', 'test/disk-reserve', 'test/graph-tables-migration'],
  'database/embedded': [
    'test/disk-reserve',
    'test/graceful-stop-embedded',
    'test/one-directory/one-directory',
    'test/process',
    'test/run-database-death',
  ],
  egress: ['test/moving-names'],
  http: ['test/byte-budget', 'test/inputs/bodies', 'test/inputs/third-party-suites', 'test/large-pages'],
  idempotency: ['test/idempotency-processes'],
  ingestion: [
    'test/foreign-run-faults',
    'test/foreign-runs',
    'test/further-labels',
    'test/graph-schema-bounds',
    'test/graph-values',
    'test/ingestion-sizes',
    'test/ingestion-values',
    'test/ingestion-worker',
    'test/mirror-changes-under-runs',
    'test/references',
    'test/rejected-bounds',
    'test/run-progress',
    'test/run-shares',
    'test/unchanged-runs-foreign',
    'test/unchanged-runs-mirror',
  ],
  'language-model': ['test/language-model', 'test/language-model-faults'],
  licensing: ['test/license'],
  limits: ['test/limits-buckets', 'test/limits-redis-faults', 'test/limits-storage-faults'],
  metrics: [
    'test/binding-suggestions',
    'test/golden-metricflow',
    'test/metric-results',
    'test/metricflow-checks',
    'test/metrics-hours',
    'test/metrics-specification',
  ],
  'metrics/watches': ['test/watches-checks', 'test/watches-processes', 'test/watches-rights'],
  openapi: ['test/openapi', 'test/openapi-pages', 'test/openapi-tools', 'test/swagger-ui'],
  permissions: ['test/access-matrix', 'test/lost-rights', 'test/races'],
  process: ['test/process', 'test/docker-image'],
  queries: [
    'test/query-answers',
    'test/query-bounds',
    'test/query-events',
    'test/query-known-problems',
    'test/query-lexicon',
    'test/query-processes',
    'test/query-slow',
    'test/statements',
    'test/stored-data',
  ],
  questions: [
    'test/queries-exclusions-and-joins',
    'test/queries-follow-ups',
    'test/queries-plain-questions',
    'test/queries-search-and-cypher',
    'test/queries-times-and-numbers',
    'test/query-metric-questions',
    'test/questions-random',
    'test/questions-random-fleets',
  ],
  retrieval: [
    'test/busy-loops',
    'test/fair-shares',
    'test/first-load',
    'test/graph-parts',
    'test/query-held-versions',
    'test/query-processes',
    'test/query-warming',
    'test/retrieval-contract/retrieval-contract',
    'test/retrieval-contract/retrieval-credentials',
    'test/retrieval-failover',
    'test/retrieval-liveness',
    'test/retrieval-replica',
  ],
  schedules: ['test/schedule-faults', 'test/schedule-shares', 'test/schedule-turns', 'test/schedules-not-started'],
  secrets: ['test/secrets', 'test/secrets-failed-start'],
  'warehouse/connections': ['test/connection-savers', 'test/warehouse-connections-changes'],
  'warehouse/copies': [
    'test/mirror-copies-requests',
    'test/mirror-copies-tables',
    'test/mirror-copy-faults',
    'test/mirror-copy-schedules',
    'test/repeated-copies',
  ],
  'warehouse/mirror': ['test/storage-bounds', 'test/uploads', 'test/uploads-under-way'],
  'warehouse/clients': ['test/cut-statements', 'test/warehouse-shares'],
  webhooks: ['test/webhook-faults', 'test/webhooks-deliveries', 'test/webhooks-requests'],
};

/** Suites that take longer, or that test no single folder. */
const byHand = [
  'test/acknowledged-writes', 'test/cypher-differential', 'test/database-faults', 'test/graceful-stop', 'test/graph-sync-random', 'test/graphs',
  'test/ingestion-kills', 'test/inputs/naughty-strings', 'test/inputs/values',
  'test/labels-and-values-random', 'test/limits-clients', 'test/limits-shared', 'test/loaded-graphs', 'test/metric-exports',
  'test/one-directory/one-directory-kills', 'test/queries-answer-parts', 'test/queries-stored-answers', 'test/raw-http', 'test/references-random',
  'test/stubs-random', 'test/suggested-mappings', 'test/suggested-mappings-names', 'test/suggested-mappings-schemas', 'test/tck/tck-ingested',
  'test/unchanged-runs-random', 'test/uploads-formats', 'test/warehouse-connections-reads',
]; // prettier-ignore

/** The most suites of one call. So many take some seven minutes. */
const mostSuites = 24;

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
if (git('rev-parse', '--is-shallow-repository') === 'true') throw new Error('A shallow clone does not show what changed since the release');

/** All suites on disk. A suite in `src` tests the folder in which it is. */
const ending = /\.long-spec\.ts$/;
const all = ['src', 'test'].flatMap(top =>
  readdirSync(path.join(root, top), { recursive: true })
    .filter(file => ending.test(file) && !file.includes('node_modules'))
    .map(file => `${top}/${file.replace(ending, '')}`),
);
for (const suite of all.filter(each => each.startsWith('src/'))) (suites[path.dirname(suite).slice('src/'.length)] ??= []).push(suite);
const named = [...Object.values(suites).flat(), ...byHand];
const wrong = [...all.filter(suite => !named.includes(suite)), ...named.filter(suite => !all.includes(suite))];
const gone = Object.keys(suites).filter(folder => !existsSync(path.join(root, 'src', folder)));
if (wrong.length + gone.length > 0) throw new Error(`.ci/reached-suites.mjs differs from what is there: ${[...wrong, ...gone].join(', ')}`);

/** The commit that last changed the version in package.json: the last release. */
const release = git('log', '-1', '--format=%H', '-G^  "version"', '--', 'package.json');
const changed = git('diff', '--name-only', release).split('\n');
const isChanged = folder => changed.some(file => file.startsWith(`src/${folder}/`) && !file.endsWith('spec.ts'));
const changedAt = folder => Number(git('log', '-1', '--format=%ct', '--', `src/${folder}`, ':(exclude)*spec.ts'));
const reached = Object.entries(suites)
  .filter(([folder]) => isChanged(folder))
  .map(([folder, names]) => ({ names, at: changedAt(folder) }))
  .sort((a, b) => b.at - a.at)
  .flatMap(({ names }) => names);
if (changed.some(file => /^(Dockerfile|docker-entrypoint\.sh|package-lock\.json)$/.test(file))) reached.unshift('test/docker-image');
// The suites of the folders that changed last come first. The suites beyond `mostSuites` are left to `npm run test:long`.
const inOrder = [...new Set(reached)];
const later = inOrder.splice(mostSuites);
for (const suite of inOrder) process.stdout.write(`${suite}.long-spec.ts\n`);
if (later.length > 0) process.stderr.write(`Reached too, and left to npm run test:long: ${later.join(', ')}\n`);

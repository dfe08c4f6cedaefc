// Prints the suites of the long tier that the changes since the last release can reach, each on a line: those that are about a folder of
// `src` in which something changed. Suites of more than some minutes run by hand, with all others, before a release: `npm run test:long`.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** The suites by the folders that they are about, as far as they take a minute or two. */
const suites = {
  backup: ['test/backup', 'test/backup-faults'],
  'common/logging': ['test/secrets'],
  cypher: ['test/tck/tck-sql', 'test/cypher-differential'],
  database: ['src/database/prepare-database', 'src/database/roles/deployments', 'test/disk-full', 'test/graph-tables-migration'],
  'database/embedded': ['test/process', 'test/run-database-death'],
  'graph-index': ['src/graph-index/bring-forward', 'src/graph-index/search-ranking'],
  idempotency: ['test/idempotency-processes'],
  ingestion: ['test/foreign-run-faults', 'test/ingestion-sizes', 'test/run-progress', 'test/run-shares'],
  'ingestion/mapping': ['src/ingestion/mapping/mapping-schema'],
  licensing: ['test/license'],
  metrics: ['test/golden-metrics', 'test/golden-metricflow', 'test/metricflow-checks', 'src/metrics/plan/random-metrics'],
  'metrics/watches': ['test/watches-processes', 'test/watches'],
  openapi: ['test/openapi-pages', 'test/openapi-tools', 'test/swagger-ui'],
  permissions: ['test/races', 'test/access-matrix'],
  process: ['test/process', 'test/docker-image'],
  queries: ['test/query-processes', 'test/query-slow', 'test/query-bounds', 'test/query-answers'],
  questions: ['test/questions-random', 'test/questions-random-fleets'],
  retrieval: [
    'test/busy-loops',
    'test/fair-shares',
    'test/first-load',
    'test/query-held-versions',
    'test/query-processes',
    'test/retrieval-contract/retrieval-contract',
    'test/retrieval-contract/retrieval-credentials',
    'test/retrieval-failover',
    'test/retrieval-liveness',
    'test/retrieval-replica',
  ],
  schedules: ['test/schedule-faults', 'test/schedules', 'src/schedules/cron-times'],
  secrets: ['test/secrets'],
  'sql-guard': ['test/golden-metrics'],
  'warehouse/copies': ['test/mirror-copy-faults', 'test/mirror-copies', 'test/repeated-copies'],
  'warehouse/mirror': ['src/warehouse/mirror/csv/load-csv', 'src/warehouse/mirror/ndjson/load-ndjson', 'test/uploads-under-way'],
  'warehouse/clients': ['test/warehouse-shares'],
  webhooks: ['test/webhook-faults', 'test/webhooks'],
};

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

const all = ['src', 'test'].flatMap(folder => readdirSync(path.join(root, folder), { recursive: true }).map(file => `${folder}/${file}`));
const lost = Object.values(suites)
  .flat()
  .filter(suite => !all.includes(`${suite}.long-spec.ts`));
if (lost.length > 0) throw new Error(`.ci/reached-suites.mjs names suites that are not there: ${lost.join(', ')}`);

/** The commit that gave the version in package.json: the last release. */
const release = git('log', '-1', '--format=%H', '-G^  "version"', '--', 'package.json');
const changed = git('diff', '--name-only', release, '--', 'src')
  .split('\n')
  .filter(file => !file.endsWith('spec.ts'));

const reached = Object.entries(suites)
  .filter(([folder]) => changed.some(file => file.startsWith(`src/${folder}/`)))
  .flatMap(([, names]) => names);
for (const suite of new Set(reached)) process.stdout.write(`${suite}.long-spec.ts\n`);

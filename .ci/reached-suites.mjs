// Prints the suites of the long tier that the changes since the last release can reach, each on a line.
//
// A suite is about some folders of `src`. It is reached by a change below them, in itself or in what it imports from `test`. Those that
// take more than five minutes run by hand, with all others, before a release: `npm run test:long`.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

const about = {
  'src/database/prepare-database': ['database'],
  'src/ingestion/mapping/mapping-schema': ['ingestion/mapping', 'text'],
  'src/limits/storage/storages': ['limits'],
  'src/metrics/plan/random-metrics': ['metrics', 'sql'],
  'src/schedules/cron-times': ['schedules'],
  'src/warehouse/mirror/csv/load-csv': ['warehouse/mirror'],
  'src/warehouse/mirror/ndjson/load-ndjson': ['warehouse/mirror'],
  'test/backup': ['backup', 'database'],
  'test/backup-faults': ['backup'],
  'test/busy-loops': ['retrieval'],
  'test/disk-full': ['database', 'ingestion'],
  'test/docker-image': ['main.ts', 'process'],
  'test/errors': ['common', 'http'],
  'test/foreign-run-faults': ['ingestion', 'warehouse/clients'],
  'test/golden-metricflow': ['metrics'],
  'test/golden-metrics': ['metrics', 'sql', 'sql-guard'],
  'test/graph-sync-random': ['ingestion'],
  'test/graph-tables-migration': ['database'],
  'test/idempotency-processes': ['idempotency'],
  'test/labels-and-values-random': ['ingestion'],
  'test/limits': ['limits'],
  'test/license': ['licensing'],
  'test/loaded-graphs': ['graph-index', 'retrieval'],
  'test/metricflow-checks': ['metrics'],
  'test/mirror-copy-faults': ['warehouse'],
  'test/openapi-pages': ['openapi'],
  'test/openapi-tools': ['openapi', 'http/validation'],
  'test/process': ['main.ts', 'process', 'config', 'database/embedded'],
  'test/query-processes': ['queries', 'retrieval'],
  'test/questions-random': ['questions'],
  'test/races': ['permissions', 'graphs', 'users', 'api-keys'],
  'test/references-random': ['ingestion'],
  'test/retrieval-contract/retrieval-contract': ['retrieval'],
  'test/retrieval-contract/retrieval-credentials': ['retrieval'],
  'test/retrieval-failover': ['retrieval'],
  'test/retrieval-liveness': ['retrieval'],
  'test/retrieval-replica': ['retrieval', 'database'],
  'test/run-database-death': ['ingestion', 'database/embedded'],
  'test/schedule-faults': ['schedules'],
  'test/secrets': ['secrets', 'common/logging'],
  'test/stubs-random': ['ingestion'],
  'test/suggested-mappings-schemas': ['ingestion/suggest'],
  'test/swagger-ui': ['openapi'],
  'test/tck/tck-ingested': ['cypher'],
  'test/tck/tck-sql': ['cypher'],
  'test/unchanged-runs': ['ingestion'],
  'test/uploads-formats': ['warehouse/mirror'],
  'test/watches-processes': ['metrics/watches'],
  'test/webhook-faults': ['webhooks'],
};
const byHand = [
  'test/database-faults',
  'test/graceful-stop',
  'test/ingestion-kills',
  'test/inputs/naughty-strings',
  'test/inputs/values',
  'test/limits-shared',
  'test/noisy/noisy',
];

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** The suites of the tier that are there, without their ending. A new one must be named above. */
const suites = ['src', 'test'].flatMap(folder =>
  readdirSync(path.join(root, folder), { recursive: true })
    .filter(file => file.endsWith('.long-spec.ts') && !file.includes('node_modules'))
    .map(file => `${folder}/${file.replace(/\.long-spec\.ts$/, '')}`),
);
const named = [...Object.keys(about), ...byHand];
const wrong = [...suites.filter(suite => !named.includes(suite)), ...named.filter(suite => !suites.includes(suite))];
if (wrong.length > 0) throw new Error(`.ci/reached-suites.mjs and the tier differ in ${wrong.join(', ')}`);

/** The commit that gave the version in package.json: the last release. */
const release = git('log', '-1', '--format=%H', '-G^  "version"', '--', 'package.json');
const changed = git('diff', '--name-status', '--find-renames', release)
  .split('\n')
  .filter(line => !line.startsWith('R100'))
  .map(line => line.split('\t').at(-1));

/** @returns a test file and what it imports below `test` and from other tests, as paths from the root */
function ownFiles(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, name] of readFileSync(path.join(root, file), 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)) {
    const imported = path.join(path.dirname(file), name).replace(/\.js$/, '.ts');
    const isOwn = imported.startsWith('test/') || imported.endsWith('spec.ts');
    if (isOwn && existsSync(path.join(root, imported))) ownFiles(imported, seen);
  }
  return seen;
}

/** Files that nearly every suite imports. A change of them is a change of `npm test`. */
const common = ['test/support/app.ts', 'test/support/statement-check.ts', 'test/support/tier.ts', 'test/support/database.ts'];

for (const [suite, folders] of Object.entries(about)) {
  const file = `${suite}.long-spec.ts`;
  const own = [...ownFiles(file)].filter(each => !common.includes(each));
  if (changed.some(each => own.includes(each) || folders.some(folder => each === `src/${folder}` || each.startsWith(`src/${folder}/`)))) {
    process.stdout.write(`${file}\n`);
  }
}

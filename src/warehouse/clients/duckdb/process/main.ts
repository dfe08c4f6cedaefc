import { type Reply, type FileSource, type Work, outOfMemoryExit } from '../protocol.js';

/** Twice what DuckDB may take by its own account, which does not count everything. */
const mostBytes = 1_073_741_824;

/** Runs one piece of work after the other for the API, which loads no native code itself. It ends with the API. */
process.once('disconnect', () => process.exit());
process.stdout.on('error', () => process.exit());
setInterval(() => {
  if (process.memoryUsage.rss() > mostBytes) process.exit(outOfMemoryExit);
}, 100);

const answer = (reply: Reply): void => void process.send!(reply);

const driver = await import('./do-work.js').catch((error: unknown) => {
  if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  return null;
});

if (driver) {
  process.on('message', ({ source, work }: { source: FileSource; work: Work }) => {
    void driver.doWork(source, work).then(answer);
  });
  answer({ ready: true });
} else answer({ noDriver: true });

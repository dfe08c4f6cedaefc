import { type Reply, type FileSource, type Work, outOfMemorySignal } from '../protocol.js';

/** Twice what DuckDB may take by its own account, which does not count everything. */
const mostBytes = 1_073_741_824;

/** Runs one piece of work after the other for the API, which loads no native code itself. It ends with the API. */
process.once('disconnect', () => end('SIGKILL'));
process.stdout.on('error', () => end('SIGKILL'));
setInterval(() => {
  if (process.memoryUsage.rss() > mostBytes) end(outOfMemorySignal);
}, 100);

/** `process.exit` would wait for the native code, which goes on taking memory. */
function end(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal);
}

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

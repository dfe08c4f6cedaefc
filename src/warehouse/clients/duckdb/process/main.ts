import { type FileSource, type Outcome, outOfMemorySignal, type QueryAnswer, type Readers, type Reply, type Work } from '../protocol.js';

/** The most bytes of memory of the process: twice DuckDB's own limit, because DuckDB does not count all its memory. */
const mostBytes = 1_073_741_824;
const valuesOfPiece = 2_000;

/** This process runs one piece of work after the other for the API, which loads no native code itself. The process ends with the API. */
process.once('disconnect', () => end('SIGKILL'));
process.stdout.on('error', () => end('SIGKILL'));
setInterval(() => {
  if (process.memoryUsage.rss() > mostBytes) end(outOfMemorySignal);
}, 100);

/** Kills the process with a signal. `process.exit` would wait for the native code, which could use still more memory. */
function end(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal);
}

const answer = (reply: Reply): void => void process.send!(reply);

/** Sends a reply. Rows are sent in pieces, because the API parses each message at once, which blocks its event loop. */
function answerWork(reply: Outcome): void {
  if (!('done' in reply) || !isQueryAnswer(reply.done)) return answer(reply);
  const { rows, ...rest } = reply.done;
  const most = Math.max(1, Math.floor(valuesOfPiece / (rest.columns.length || 1)));
  for (let at = 0; at < rows.length; at += most) answer({ rows: rows.slice(at, at + most) });
  answer({ ...reply, done: { ...rest, rows: [] } satisfies QueryAnswer });
}

function isQueryAnswer(done: unknown): done is QueryAnswer {
  return typeof done === 'object' && done !== null && 'truncated' in done;
}

const driver = await import('./do-work.js').catch((error: unknown) => {
  if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  return null;
});

if (driver) {
  process.on('message', ({ source, work, known }: { source: FileSource; work: Work; known: Readers }) => {
    void driver.doWork(source, work, known).then(answerWork);
  });
  answer({ ready: true });
} else answer({ noDriver: true });

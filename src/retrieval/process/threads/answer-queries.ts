import { type MessagePort } from 'node:worker_threads';
import { type Logger } from 'pino';
import { Pace } from '../../../common/turns/pace.js';
import { SnapshotFiles } from '../load/snapshot-files.js';
import { LoadedGraphs } from '../loaded-graphs.js';
import { readRetrievalQuery } from '../read-retrieval-query.js';
import { RetrievalDatabase } from '../retrieval-database.js';
import { runQuery } from '../run-query.js';
import { isAnswer, toFailure } from '../to-failure.js';
import { writeAnswer } from '../write-answer.js';
import { type FromThread, type ThreadStart, type ToThread } from './messages.js';
import { ThreadParts } from './thread-parts.js';

/** Answers queries in this thread, as its main thread asks for them. */
export function answerQueries(port: MessagePort, start: ThreadStart, log: Logger): void {
  const database = new RetrievalDatabase(start.databaseUrl, start.connections, start.answerMaxBytes, log);
  const post = (message: FromThread): void => port.postMessage(message);
  const parts = new ThreadParts(post);
  const budgetBytes = start.memoryMb * 1024 * 1024;
  // The files of graphs that were dropped from memory are of use too.
  const files = start.snapshotDirectory === null ? null : new SnapshotFiles(start.snapshotDirectory, 4 * budgetBytes);
  const graphs = new LoadedGraphs(database, budgetBytes, parts, files, cause => log.warn({ cause }, 'A graph could not be kept as a file'));
  const working = new Map<number, AbortController>();

  async function answer(id: number, body: string, requestId: string | undefined): Promise<void> {
    const gone = new AbortController();
    working.set(id, gone);
    try {
      const found = await runQuery(database, graphs, readRetrievalQuery(body), gone.signal);
      const bytes = joined(await writeAnswer(found, start.answerMaxBytes, new Pace(gone.signal)));
      port.postMessage({ did: 'answer', id, bytes } satisfies FromThread, [bytes.buffer]);
    } catch (error) {
      // Logs failures that the caller did not cause.
      if (!gone.signal.aborted && !isAnswer(error)) log.error({ request_id: requestId, cause: error }, 'A query failed');
      post({ did: 'fail', id, failure: toFailure(error) });
    } finally {
      working.delete(id);
    }
  }

  port.on('message', (message: ToThread) => {
    switch (message.do) {
      case 'query':
        void answer(message.id, message.body, message.requestId);
        break;
      case 'cancel':
        working.get(message.id)?.abort(new Error('The caller has gone'));
        break;
      case 'take':
        parts.take(message.claim, message.record);
        break;
      case 'drop':
        parts.drop(message.graphId);
        graphs.drop(message.graphId);
        break;
      case 'ping':
        post({ did: 'pong', id: message.id });
        break;
      case 'close':
        void database.close().finally(() => post({ did: 'close' }));
        break;
    }
  });
  post({ did: 'start' });
}

/** One array of its own, which can be handed over without a copy. */
function joined(pieces: Buffer[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

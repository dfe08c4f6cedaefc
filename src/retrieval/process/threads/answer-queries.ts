import { type MessagePort } from 'node:worker_threads';
import { type Logger } from 'pino';
import { Pace } from '../../../common/turns/pace.js';
import { GraphGoneError } from '../../retrieval.errors.js';
import { SnapshotFiles } from '../load/snapshot-files.js';
import { LoadedGraphs } from '../loaded-graphs.js';
import { readRetrievalQuery } from '../read-retrieval-query.js';
import { RetrievalDatabase } from '../retrieval-database.js';
import { runQuery } from '../run-query.js';
import { isAnswer, toFailure } from '../to-failure.js';
import { warmGraph } from '../warm-graph.js';
import { writeAnswer } from '../write-answer.js';
import { beatEveryMs, type FromThread, type ThreadStart, type ToThread } from './messages.js';
import { collectGarbage } from './part-copies.js';
import { ThreadParts } from './thread-parts.js';

/** The interval at which files of deleted graphs are removed; they are also removed at the start. */
const sweepEveryMs = 3_600_000;
const sweepPatienceMs = 5_000;
const isGoneError = (error: unknown): boolean => error instanceof GraphGoneError;

interface Work {
  gone: AbortController;
  /** Resumes the answer, so that its next piece is sent; null until the first piece has been sent. */
  more: (() => void) | null;
}

/** Answers in this thread the queries that the main thread sends. */
export function answerQueries(port: MessagePort, start: ThreadStart, log: Logger): void {
  const database = RetrievalDatabase.open(start, start.connections, start.answerMaxBytes, log);
  const post = (message: FromThread): void => port.postMessage(message);
  const parts = new ThreadParts(post);
  const budgetBytes = start.memoryMb * 1024 * 1024;
  // Files may take four times the memory for graphs, because the files of graphs that were dropped from memory are useful too.
  const files = start.snapshotDirectory === null ? null : new SnapshotFiles(start.snapshotDirectory, 4 * budgetBytes);
  const onFileFault = (cause: unknown): void => log.warn({ cause }, 'A graph could not be kept as a file');
  const graphs = new LoadedGraphs(database, budgetBytes, parts, files, onFileFault);
  const isGone = (graphId: number): Promise<boolean> =>
    database.readGraph(graphId, sweepPatienceMs, new AbortController().signal, () => Promise.resolve(false)).catch(isGoneError);
  const sweep = (): void => void files?.removeGone(isGone).catch(onFileFault);
  const working = new Map<number, Work>();

  async function answer({ id, body, limitBytes, requestId, topology }: Extract<ToThread, { do: 'query' }>): Promise<void> {
    const gone = new AbortController();
    const work: Work = { gone, more: null };
    working.set(id, work);
    if (topology) graphs.noteTopology(topology.graphId, topology.version);
    try {
      const query = readRetrievalQuery(body);
      graphs.askedBy(query.graph_id, query.caller);
      const found = await runQuery(database, graphs, query, gone.signal);
      const pieces = writeAnswer(found, limitBytes, new Pace(gone.signal));
      for (;;) {
        const { done, value } = await pieces.next();
        const bytes = new Uint8Array(value);
        port.postMessage({ did: done ? 'end' : 'piece', id, bytes } satisfies FromThread, [bytes.buffer]);
        if (done) return;
        await new Promise<void>(resolve => {
          work.more = resolve;
          // The query may already have been cancelled.
          if (gone.signal.aborted) resolve();
        });
        gone.signal.throwIfAborted();
      }
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
        void answer(message);
        break;
      case 'more':
        working.get(message.id)?.more?.();
        break;
      case 'cancel':
        working.get(message.id)?.gone.abort(new Error('The caller has gone'));
        working.get(message.id)?.more?.();
        break;
      case 'take':
      case 'turn':
        parts.heard(message);
        break;
      case 'warm':
        void warmGraph(database, graphs, message.graphId, log);
        break;
      case 'hold':
        void graphs
          .hold(message.graphId)
          .catch((cause: unknown) => log.info({ cause, graph: message.graphId }, 'A version of a graph could not be held'))
          .finally(() => post({ did: 'held', id: message.id }));
        break;
      case 'release':
        graphs.release(message.graphId);
        break;
      case 'drop':
        parts.drop(message.graphId);
        graphs.drop(message.graphId);
        break;
      case 'outdated':
        parts.outdated(message.graphId, message.version);
        graphs.outdated(message.graphId, message.version);
        break;
      case 'collect':
        collectGarbage();
        break;
      case 'ping':
        post({ did: 'pong', id: message.id, reads: database.reads });
        break;
      case 'close':
        graphs.releaseAll();
        void database.close().finally(() => post({ did: 'close' }));
        break;
    }
  });
  setInterval(() => Atomics.add(start.beat, 0, 1), beatEveryMs).unref();
  post({ did: 'start' });
  sweep();
  setInterval(sweep, sweepEveryMs).unref();
}

import { PartsBroker } from '../../src/retrieval/process/threads/parts-broker.js';
import { type SharedParts } from '../../src/retrieval/process/threads/shared-parts.js';
import { ThreadParts } from '../../src/retrieval/process/threads/thread-parts.js';

/** The parts of graphs in a process with one thread: the broker and the thread pass each other messages directly. */
export function localParts(budgetBytes: number): SharedParts {
  const none = (): void => undefined;
  const broker = new PartsBroker(budgetBytes, { drop: graphId => parts.drop(graphId), release: none, outdated: none, collect: none });
  const parts = new ThreadParts(message => broker.heard(parts, message, answer => queueMicrotask(() => parts.heard(answer))));
  setInterval(() => broker.look(), 10).unref();
  return parts;
}

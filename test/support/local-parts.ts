import { PartsBroker } from '../../src/retrieval/process/threads/parts-broker.js';
import { type SharedParts } from '../../src/retrieval/process/threads/shared-parts.js';
import { ThreadParts } from '../../src/retrieval/process/threads/thread-parts.js';

/** The parts of graphs of a process that has one thread. */
export function localParts(budgetBytes: number): SharedParts {
  const broker = new PartsBroker(budgetBytes, { drop: graphId => parts.drop(graphId), release: () => undefined });
  const parts = new ThreadParts(message => {
    if (message.did === 'claim')
      broker.claim(message.key, parts, (record, before) => queueMicrotask(() => parts.take({ claim: message.claim, record, before })));
    else if (message.did === 'load') broker.loaded(message.key, message.record);
    else if (message.did === 'hold') broker.hold(message.graphId, message.version, parts, message.bytes);
    else if (message.did === 'keep') broker.keep(message.graphId, message.version, parts);
    else if (message.did === 'release') broker.release(message.graphId, message.version, parts);
  });
  return parts;
}

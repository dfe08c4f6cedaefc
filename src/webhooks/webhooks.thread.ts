import { parentPort } from 'node:worker_threads';
import { PostError, postMessage } from './post-message.js';
import { type FromThread, type ToThread } from './posting-thread.js';

/** The attempts that run in this thread, by their ids. This file is the entry point of the thread that posts messages. */
const under = new Map<number, AbortController>();

async function work(asked: ToThread): Promise<void> {
  if (asked.message === null) return under.get(asked.id)?.abort();
  const stop = new AbortController();
  under.set(asked.id, stop);
  const tell = (end: Omit<FromThread, 'id'>): void => parentPort!.postMessage({ id: asked.id, ...end } satisfies FromThread);
  await postMessage(asked.message, stop.signal).then(
    status => tell({ status, codes: [] }),
    (error: unknown) => tell({ status: null, codes: error instanceof PostError ? error.codes : [] }),
  );
  under.delete(asked.id);
}

parentPort!.on('message', (asked: ToThread) => void work(asked));

import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from './common/logging/log.js';
import { answerQueries } from './retrieval/process/threads/answer-queries.js';
import { type ThreadStart } from './retrieval/process/threads/messages.js';

/** The entry point of a thread of the retrieval process. */
const start = workerData as ThreadStart;
answerQueries(parentPort!, start, createLog(start.logLevel, { name: 'retrieval', secrets: start.secrets }));

import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type RetrievalFailure, type RetrievalQuery } from '../../protocol.js';
import { type Reads } from '../graph-servers.js';
import { type FromThread, type ThreadStart, type ToThread } from './messages.js';
import { PartsBroker } from './parts-broker.js';

export interface QueryThreadsOptions {
  /** The program of a thread. */
  entry: URL;
  /** The most threads. The first starts at once, and others when all are at work. */
  count: number;
  start: ThreadStart;
}

export interface AskedQuery {
  query: RetrievalQuery;
  /** The same as the protocol sent it. */
  body: string;
  /** The most bytes of the answer. */
  limitBytes: number;
  requestId: string | undefined;
}

/** How long a thread may take to close its connections. */
const closeMs = 2_000;

type AnswerMessage = Extract<FromThread, { did: 'piece' | 'end' | 'fail' }>;

/** The failure of a query in its thread, as the protocol sends it. */
export class QueryFailure extends Error {
  constructor(readonly failure: RetrievalFailure) {
    super(failure.code);
  }
}

interface Thread {
  worker: Worker;
  isReady: boolean;
  working: number;
}

/**
 * The threads that answer queries, so that the main thread stays free for requests. All of them share the parts of graphs. While the
 * search index of a graph is loading, searches and questions about it go to the thread that may hold the version before.
 */
export class QueryThreads {
  private readonly threads: Thread[] = [];
  private readonly answers = new Map<number, (message: AnswerMessage) => void>();
  private readonly pings = new Map<number, (reads: Reads) => void>();
  private readonly holds = new Map<number, () => void>();
  private readonly searched = new Map<number, Thread>();
  private readonly broker: PartsBroker;
  private lastId = 0;
  private isClosing = false;

  constructor(private readonly options: QueryThreadsOptions) {
    const tell = (message: ToThread): void => this.threads.forEach(({ worker }) => send(worker, message));
    this.broker = new PartsBroker(options.start.memoryMb * 1024 * 1024, {
      drop: graphId => {
        this.searched.delete(graphId);
        tell({ do: 'drop', graphId });
      },
      release: graphId => tell({ do: 'release', graphId }),
    });
  }

  /** Resolves when the first thread is ready. */
  async start(): Promise<void> {
    await this.add();
  }

  get graphs(): { count: number; bytes: number } {
    return { count: this.broker.count, bytes: this.broker.bytes };
  }

  /**
   * Answers a query with the pieces of the protocol's answer; its thread writes the next one when the last has been taken. Ends when
   * its thread has ended the work, also where the signal has told it to.
   * @throws QueryFailure
   */
  async *run({ query, body, limitBytes, requestId }: AskedQuery, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    signal.throwIfAborted();
    this.broker.touch(query.graph_id);
    const thread = this.pick(query);
    const id = ++this.lastId;
    const cancel = (): void => send(thread.worker, { do: 'cancel', id });
    const next = (): Promise<AnswerMessage> => new Promise(resolve => this.answers.set(id, resolve));
    signal.addEventListener('abort', cancel, { once: true });
    thread.working += 1;
    let heard = next();
    let isAtEnd = false;
    try {
      send(thread.worker, { do: 'query', id, body, limitBytes, requestId, topology: this.broker.topologyOf(query.graph_id) });
      for (;;) {
        const message = await heard;
        isAtEnd = message.did !== 'piece';
        if (message.did === 'fail') throw new QueryFailure(message.failure);
        if (!isAtEnd) heard = next();
        yield message.bytes;
        if (isAtEnd) return;
        send(thread.worker, { do: 'more', id });
      }
    } finally {
      if (!isAtEnd) {
        cancel();
        // The work holds its place until it has ended. A piece that was on its way is the last.
        while ((await heard).did === 'piece') heard = next();
      }
      thread.working -= 1;
      this.answers.delete(id);
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Loads of a graph's new version what was loaded of the one before. */
  warm(graphId: number): void {
    for (const { worker } of this.threads) send(worker, { do: 'warm', graphId });
  }

  /** Resolves once what is loaded of the graph will go on answering when its next version is there. */
  async hold(graphId: number): Promise<void> {
    const ready = this.threads.filter(({ isReady }) => isReady);
    await Promise.all(
      ready.map(async ({ worker }) => {
        const id = ++this.lastId;
        await new Promise<void>(resolve => {
          this.holds.set(id, resolve);
          send(worker, { do: 'hold', id, graphId });
        });
        this.holds.delete(id);
      }),
    );
  }

  /** Resolves with the reads of all threads once every one that has started has answered. A thread that hangs never does. */
  async ping(): Promise<Reads> {
    const ready = this.threads.filter(({ isReady }) => isReady);
    const all = await Promise.all(
      ready.map(async ({ worker }) => {
        const id = ++this.lastId;
        const reads = await new Promise<Reads>(resolve => {
          this.pings.set(id, resolve);
          send(worker, { do: 'ping', id });
        });
        this.pings.delete(id);
        return reads;
      }),
    );
    const sum = (of: (reads: Reads) => number) => all.reduce((total, reads) => total + of(reads), 0);
    return { primary: sum(reads => reads.primary), replica: sum(reads => reads.replica) };
  }

  /** Closes the connections of all threads, then ends them, one that hangs too. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all(
      this.threads.map(async ({ worker }) => {
        const closed = new Promise<void>(resolve =>
          worker.on('message', ({ did }: FromThread) => {
            if (did === 'close') resolve();
          }),
        );
        send(worker, { do: 'close' });
        await Promise.race([closed, sleep(closeMs, null, { ref: false })]);
        await worker.terminate();
      }),
    );
  }

  private pick({ kind, graph_id: graphId }: RetrievalQuery): Thread {
    const [least, ...others] = this.threads.filter(({ isReady }) => isReady).sort((a, b) => a.working - b.working);
    // The thread that starts helps with later queries.
    if (least!.working > 0 && this.threads.length === others.length + 1 && this.threads.length < this.options.count) void this.add();
    if (kind === 'cypher' || this.broker.hasIndex(graphId)) return least!;
    const pinned = this.searched.get(graphId) ?? least!;
    this.searched.set(graphId, pinned);
    return pinned;
  }

  private async add(): Promise<void> {
    const { entry, start } = this.options;
    const heapMb = Math.max(512, Math.round(start.memoryMb * 2));
    const worker = new Worker(entry, { workerData: start, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
    const thread: Thread = { worker, isReady: false, working: 0 };
    this.threads.push(thread);
    worker.on('message', (message: FromThread) => this.heard(thread, message));
    // A thread that ends takes its queries with it. The process ends too, and is started again.
    worker.on('error', error => {
      throw error;
    });
    worker.on('exit', code => {
      if (!this.isClosing) throw new Error(`A query thread ended with code ${code}`);
    });
    await new Promise<void>(resolve =>
      worker.on('message', ({ did }: FromThread) => {
        if (did === 'start') resolve();
      }),
    );
    thread.isReady = true;
  }

  private heard({ worker }: Thread, message: FromThread): void {
    switch (message.did) {
      case 'piece':
      case 'end':
      case 'fail':
        this.answers.get(message.id)?.(message);
        break;
      case 'claim':
        this.broker.claim(message.key, (record, before) => send(worker, { do: 'take', claim: message.claim, record, before }));
        break;
      case 'load':
        this.broker.loaded(message.key, message.record);
        break;
      case 'hold':
        this.broker.hold(message.graphId, message.version, message.bytes);
        break;
      case 'keep':
        this.broker.keep(message.graphId, message.version);
        break;
      case 'release':
        this.broker.release(message.graphId, message.version);
        break;
      case 'held':
        this.holds.get(message.id)?.();
        break;
      case 'pong':
        this.pings.get(message.id)?.(message.reads);
        break;
      case 'start':
      case 'close':
    }
  }
}

function send(worker: Worker, message: ToThread): void {
  worker.postMessage(message);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Logger } from 'pino';
import { RestingCallers } from '../../../common/turns/resting-callers.js';
import { type RetrievalFailure, type RetrievalQuery } from '../../protocol.js';
import { CallerRestsError, RetrievalUnavailableError } from '../../retrieval.errors.js';
import { idOfWork, SuspectQueries } from '../../suspect-queries.js';
import { type Reads } from '../graph-servers.js';
import { beatEveryMs, type FromThread, type ThreadStart, type ToThread } from './messages.js';
import { collectGarbage } from './part-copies.js';
import { PartsBroker } from './parts-broker.js';

export interface QueryThreadsOptions {
  /** The program of a thread. */
  entry: URL;
  /** The most threads. The first starts at once, and others when all are at work. */
  count: number;
  start: Omit<ThreadStart, 'beat'>;
  /** A thread that has not gone on at so many looks hangs. Looks are counted instead of time, since the whole process may stand still. */
  mostMissed?: number;
  log: Logger;
}

export interface AskedQuery {
  query: RetrievalQuery;
  /** The query as the protocol sent it. */
  body: string;
  /** The most bytes of the answer. */
  limitBytes: number;
  requestId: string | undefined;
}

const noReads: Reads = { primary: 0, replica: 0 };

/** How long the threads may take to answer before the process tells its health without them. */
const pingMs = 500;
/** How long a thread may take to close its connections. */
const closeMs = 2_000;

/** Three seconds. No work of ours holds a thread for a tenth of that. */
const defaultMissed = 12;

/** Answer of a thread to a message with an id, or the news that the thread has ended. */
type Heard = Extract<FromThread, { id: number }> | { did: 'ended' };

/** The failure of a query in its thread, as the protocol sends it. */
export class QueryFailure extends Error {
  constructor(readonly failure: RetrievalFailure) {
    super(failure.code);
  }
}

/** The thread of a query has ended. */
class ThreadEnded extends Error {
  /** @param isBegun whether a part of the answer is on its way */
  constructor(readonly isBegun: boolean) {
    super('The thread of the query has ended');
  }
}

interface Thread {
  worker: Worker;
  isReady: boolean;
  /** It tries one query that another thread has ended with, and no other. */
  isTrial: boolean;
  hasEnded: boolean;
  working: number;
  /** Listeners for answers of the thread, by the id of the message that it was asked with. */
  asked: Map<number, (heard: Heard) => void>;
  beat: Int32Array<SharedArrayBuffer>;
  seen: number;
  missed: number;
  /** Reads that the thread told last. */
  reads: Reads;
}

/**
 * The threads that answer queries, so that the main thread stays free for requests. All of them share the parts of graphs. While the
 * search index of a graph is loading, searches and questions about it go to the thread that may hold the version before.
 *
 * A thread that hangs or fails is ended alone, and another takes its place. Each of its queries is tried once more, alone in a thread
 * of its own; one that ends that thread too is refused for some time, and a caller with several such queries rests.
 */
export class QueryThreads {
  private readonly threads: Thread[] = [];
  private readonly searched = new Map<number, Thread>();
  private readonly broker: PartsBroker;
  private readonly suspects = new SuspectQueries(1);
  private readonly resting = new RestingCallers(leftS => new CallerRestsError(leftS));
  /** Callers that wait for a thread to be ready. */
  private readonly waiting: (() => void)[] = [];
  private lastId = 0;
  private isClosing = false;
  private pinging: Promise<unknown> | null = null;

  constructor(private readonly options: QueryThreadsOptions) {
    const tell = (message: ToThread): void => this.threads.forEach(({ worker }) => send(worker, message));
    this.broker = new PartsBroker(options.start.memoryMb * 1024 * 1024, {
      drop: graphId => {
        this.searched.delete(graphId);
        tell({ do: 'drop', graphId });
      },
      release: graphId => tell({ do: 'release', graphId }),
      outdated: (graphId, version) => tell({ do: 'outdated', graphId, version }),
      collect: () => {
        tell({ do: 'collect' });
        collectGarbage();
      },
    });
    setInterval(() => {
      this.threads.forEach(thread => this.look(thread));
      this.broker.look();
    }, beatEveryMs).unref();
  }

  /** Resolves when the first thread is ready. */
  async start(): Promise<void> {
    await this.add();
  }

  get graphs(): { count: number; bytes: number } {
    return { count: this.broker.count, bytes: this.broker.bytes };
  }

  /**
   * Answers a query with the pieces of the protocol's answer; its thread writes the next one when the last has been taken. Ends when its
   * thread has ended the work, also where the signal has told it to.
   * @throws QueryFailure, QueryRefusedError, CallerRestsError, RetrievalBusyError, RetrievalUnavailableError if its thread ends with a part
   * of the answer on its way
   */
  async *run(asked: AskedQuery, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    signal.throwIfAborted();
    this.resting.admit(asked.query.caller);
    // The id takes the longer the larger the parameters are, and hardly ever is a query suspect.
    if (this.suspects.hasSuspects) this.suspects.admit(idOfWork(asked.query));
    this.broker.touch(asked.query.graph_id, asked.query.caller);
    try {
      const thread = await this.pick(asked.query);
      signal.throwIfAborted();
      yield* this.runIn(thread, asked, signal);
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error;
      if (error.isBegun) throw new RetrievalUnavailableError(error);
      yield* this.runAlone(asked, signal);
    }
  }

  /** Tries a query in a thread of its own, when no other query is being tried so. @throws as `run` does */
  private async *runAlone(asked: AskedQuery, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const id = idOfWork(asked.query);
    const { caller } = asked.query;
    const done = await this.suspects.takeTurn({ caller, signal });
    let thread: Thread | null = null;
    try {
      signal.throwIfAborted();
      this.resting.admit(caller);
      this.suspects.admit(id);
      thread = await this.add(true);
      const flight = this.suspects.begin(id);
      try {
        yield* this.runIn(thread, asked, signal);
        this.suspects.clear(id);
      } catch (error) {
        if (!(error instanceof ThreadEnded)) throw error;
        this.suspects.processEnded();
        this.resting.noteEnd(caller);
        // It was alone, so it is refused.
        this.suspects.admit(id);
        throw error;
      } finally {
        this.suspects.end(flight);
      }
    } finally {
      if (thread) void this.closeOne(thread);
      done();
    }
  }

  private async *runIn(
    thread: Thread,
    { query, body, limitBytes, requestId }: AskedQuery,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const id = ++this.lastId;
    const cancel = (): void => send(thread.worker, { do: 'cancel', id });
    signal.addEventListener('abort', cancel, { once: true });
    thread.working += 1;
    let heard = this.hear(thread, id);
    let isAtEnd = false;
    let isBegun = false;
    try {
      send(thread.worker, { do: 'query', id, body, limitBytes, requestId, topology: this.broker.topologyOf(query.graph_id) });
      for (;;) {
        const message = await heard;
        isAtEnd = message.did !== 'piece';
        if (message.did === 'ended') throw new ThreadEnded(isBegun);
        if (message.did === 'fail') throw new QueryFailure(message.failure);
        if (message.did !== 'piece' && message.did !== 'end') throw new Error(`A thread answers a query with ${message.did}`);
        isBegun = true;
        if (!isAtEnd) heard = this.hear(thread, id);
        yield message.bytes;
        if (isAtEnd) return;
        send(thread.worker, { do: 'more', id });
      }
    } finally {
      if (!isAtEnd) {
        cancel();
        // The work holds its place until it has ended. A piece that was on its way is the last.
        while ((await heard).did === 'piece') heard = this.hear(thread, id);
      }
      thread.working -= 1;
      thread.asked.delete(id);
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Loads of a graph's new version what was loaded of the one before. */
  warm(graphId: number): void {
    for (const { worker } of this.threads) send(worker, { do: 'warm', graphId });
  }

  /** Resolves once what is loaded of the graph will go on answering when its next version is there. */
  async hold(graphId: number): Promise<void> {
    await this.askAll(id => ({ do: 'hold', id, graphId }));
  }

  /**
   * Resolves with the reads of all threads. One that does not answer soon is watched by its beats, and is not waited for. All who ask
   * meanwhile share the answer.
   */
  async ping(): Promise<Reads> {
    this.pinging ??= Promise.race([this.askAll(id => ({ do: 'ping', id })), sleep(pingMs, null, { ref: false })]).finally(
      () => (this.pinging = null),
    );
    await this.pinging;
    const sum = (of: (reads: Reads) => number) => this.threads.reduce((total, { reads }) => total + of(reads), 0);
    return { primary: sum(({ primary }) => primary), replica: sum(({ replica }) => replica) };
  }

  /** Closes the connections of all threads, then ends them, one that hangs too. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all(this.threads.map(thread => this.closeOne(thread)));
  }

  private async closeOne(thread: Thread): Promise<void> {
    const { worker } = thread;
    const closed = new Promise<void>(resolve =>
      worker.on('message', ({ did }: FromThread) => {
        if (did === 'close') resolve();
      }),
    );
    send(worker, { do: 'close' });
    await Promise.race([closed, sleep(closeMs, null, { ref: false })]);
    this.remove(thread);
    await worker.terminate();
  }

  private async pick(query: RetrievalQuery): Promise<Thread> {
    for (;;) {
      const thread = this.pickReady(query);
      if (thread) return thread;
      await new Promise<void>(resolve => this.waiting.push(resolve));
    }
  }

  private pickReady({ kind, graph_id: graphId }: RetrievalQuery): Thread | null {
    const threads = this.threads.filter(({ isTrial }) => !isTrial);
    const [least] = threads.filter(({ isReady }) => isReady).sort((a, b) => a.working - b.working);
    if (!least) return null;
    // The thread that starts helps with later queries.
    if (least.working > 0 && threads.every(({ isReady }) => isReady) && threads.length < this.options.count) this.grow();
    if (kind === 'cypher' || this.broker.hasIndex(graphId)) return least;
    const pinned = this.searched.get(graphId) ?? least;
    this.searched.set(graphId, pinned);
    return pinned;
  }

  /** Adds a thread for later queries. `ended` is told if it does not start. */
  private grow(): void {
    this.add().catch(() => undefined);
  }

  /** Resolves when the thread is ready. Rejects if it ends before. */
  private async add(isTrial = false): Promise<Thread> {
    const { entry, start } = this.options;
    const heapMb = Math.max(512, Math.round(start.memoryMb * 2));
    const beat = new Int32Array(new SharedArrayBuffer(4));
    const workerData: ThreadStart = { ...start, beat };
    const worker = new Worker(entry, { workerData, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
    const thread: Thread = {
      worker,
      isReady: false,
      isTrial,
      hasEnded: false,
      working: 0,
      asked: new Map(),
      beat,
      seen: 0,
      missed: 0,
      reads: noReads,
    };
    this.threads.push(thread);
    worker.on('message', (message: FromThread) => this.heard(thread, message));
    worker.on('error', cause => this.ended(thread, cause));
    worker.on('exit', code => this.ended(thread, new Error(`A query thread ended with code ${code}`)));
    await new Promise<void>((resolve, reject) => {
      worker.on('message', ({ did }: FromThread) => {
        if (did === 'start') resolve();
      });
      worker.once('exit', () => reject(new RetrievalUnavailableError()));
    });
    thread.isReady = true;
    for (const resume of this.waiting.splice(0)) resume();
    return thread;
  }

  /** Ends a thread that hangs. One without a query may be loading for all, and is asked by nobody. */
  private look(thread: Thread): void {
    const now = Atomics.load(thread.beat, 0);
    thread.missed = now === thread.seen && thread.isReady ? thread.missed + 1 : 0;
    thread.seen = now;
    if (thread.missed < (this.options.mostMissed ?? defaultMissed)) return;
    this.ended(thread, new Error('A query thread does not go on'));
    void thread.worker.terminate();
  }

  /** A thread takes its queries with it, which are told. Another one takes its place. */
  private ended(thread: Thread, cause: Error): void {
    if (thread.hasEnded || this.isClosing) return;
    // Without its first thread the process cannot start, nor without one that starts again.
    if (!thread.isReady && !thread.isTrial) throw cause;
    if (this.threads.includes(thread)) this.options.log.error({ cause, working: thread.working }, 'A query thread has ended');
    this.remove(thread);
    if (!thread.isTrial) this.grow();
  }

  private remove(thread: Thread): void {
    if (thread.hasEnded) return;
    thread.hasEnded = true;
    this.threads.splice(this.threads.indexOf(thread), 1);
    for (const [graphId, pinned] of this.searched) if (pinned === thread) this.searched.delete(graphId);
    this.broker.ended(thread);
    for (const hear of [...thread.asked.values()]) hear({ did: 'ended' });
  }

  private hear(thread: Thread, id: number): Promise<Heard> {
    return new Promise(resolve => (thread.hasEnded ? resolve({ did: 'ended' }) : thread.asked.set(id, resolve)));
  }

  /** Asks all threads that are ready, and resolves when each has answered or ended. */
  private askAll(message: (id: number) => ToThread): Promise<Heard[]> {
    const ready = this.threads.filter(({ isReady }) => isReady);
    return Promise.all(
      ready.map(async thread => {
        const id = ++this.lastId;
        const heard = this.hear(thread, id);
        send(thread.worker, message(id));
        return heard.finally(() => thread.asked.delete(id));
      }),
    );
  }

  private heard(thread: Thread, message: FromThread): void {
    // Messages that the thread sent before it was ended may come afterwards.
    if (thread.hasEnded) return;
    switch (message.did) {
      case 'piece':
      case 'end':
      case 'fail':
      case 'held':
        thread.asked.get(message.id)?.(message);
        break;
      case 'pong':
        thread.reads = message.reads;
        thread.asked.get(message.id)?.(message);
        break;
      case 'start':
      case 'close':
        break;
      default:
        this.broker.heard(thread, message, answer => send(thread.worker, answer));
    }
  }
}

function send(worker: Worker, message: ToThread): void {
  worker.postMessage(message);
}

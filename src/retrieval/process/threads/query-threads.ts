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
  /** The JavaScript file that a thread runs. */
  entry: URL;
  /** The most threads. The first thread starts at once; another one starts when all threads are at work. */
  count: number;
  start: Omit<ThreadStart, 'beat'>;
  /**
   * A thread counts as hanging when its beat has not changed for this many looks. Looks are counted instead of time, because the whole
   * process may be suspended for a while.
   */
  mostMissed?: number;
  log: Logger;
}

export interface AskedQuery {
  query: RetrievalQuery;
  /** The JSON body of the query, as the protocol sent it. */
  body: string;
  /** The most bytes that the answer may take. */
  limitBytes: number;
  requestId: string | undefined;
}

const noReads: Reads = { primary: 0, replica: 0 };

/** How long the health check waits for the threads' answers before it reports without them. */
const pingMs = 500;
/** How long a thread may take to close its connections. */
const closeMs = 2_000;

/** Twelve looks, one every 250 ms, take three seconds. No piece of work occupies a thread for a tenth of that time. */
const defaultMissed = 12;

/** The answer of a thread to a message with an id, or the news that the thread has ended. */
type Heard = Extract<FromThread, { id: number }> | { did: 'ended' };

/** The failure of a query in its thread, as the protocol sends it. */
export class QueryFailure extends Error {
  constructor(readonly failure: RetrievalFailure) {
    super(failure.code);
  }
}

/** The thread that ran a query has ended. */
class ThreadEnded extends Error {
  /** @param isBegun whether a part of the answer has already been sent */
  constructor(readonly isBegun: boolean) {
    super('The thread of the query has ended');
  }
}

interface Thread {
  worker: Worker;
  isReady: boolean;
  /** Whether the thread exists to try one suspected query alone. Such a thread gets no other query. */
  isTrial: boolean;
  hasEnded: boolean;
  working: number;
  /** Listeners for the thread's answer, by the id of the message that the thread was sent. */
  asked: Map<number, (heard: Heard) => void>;
  beat: Int32Array<SharedArrayBuffer>;
  seen: number;
  missed: number;
  /** The counts of database reads that the thread reported last. */
  reads: Reads;
}

/**
 * The threads that answer queries, so that the main thread stays free for requests. All of them share the parts of graphs. While the search
 * index of a graph is loading, all searches and questions about it go to one thread, which may still hold the index of the version before.
 *
 * A thread that hangs or fails is ended alone, and another takes its place. Each of its queries is tried once more, alone in a thread of
 * its own. A query that ends that thread too is refused for some time, and a caller with several such queries must pause.
 */
export class QueryThreads {
  private readonly threads: Thread[] = [];
  private readonly searched = new Map<number, Thread>();
  private readonly broker: PartsBroker;
  private readonly suspects = new SuspectQueries(1);
  private readonly resting = new RestingCallers(leftS => new CallerRestsError(leftS));
  /** Callbacks of callers that wait until a thread is ready. */
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
   * Runs a query in a thread and yields the pieces of its answer; the thread writes the next piece when the last one has been taken. The
   * generator ends when the thread has ended the work, also after the signal has aborted.
   * @throws QueryFailure, QueryRefusedError, CallerRestsError, RetrievalBusyError; RetrievalUnavailableError if the thread ends after a
   * part of the answer was sent
   */
  async *run(asked: AskedQuery, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    signal.throwIfAborted();
    this.resting.admit(asked.query.caller);
    // Without suspects the query is not hashed: hashing large parameters takes long, and there are hardly ever suspects.
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

  /** Tries a suspected query in a thread of its own, once no other suspected query is being tried. @throws the errors of `run` */
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
        // The query was alone in the thread that ended, so `admit` now throws the refusal.
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
        // The query keeps its place until its thread has ended the work. At most one more piece arrives after an abort.
        while ((await heard).did === 'piece') heard = this.hear(thread, id);
      }
      thread.working -= 1;
      thread.asked.delete(id);
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Makes the threads load those parts of the graph's new version that are loaded in the version before. */
  warm(graphId: number): void {
    for (const { worker } of this.threads) send(worker, { do: 'warm', graphId });
  }

  /** Resolves once the loaded parts of the graph will continue to answer after its next version has arrived. */
  async hold(graphId: number): Promise<void> {
    await this.askAll(id => ({ do: 'hold', id, graphId }));
  }

  /**
   * Resolves with the database reads of all threads together. It waits at most `pingMs`, because a thread may hang; the beats show which
   * one does. Calls that come meanwhile share the result.
   */
  async ping(): Promise<Reads> {
    this.pinging ??= Promise.race([this.askAll(id => ({ do: 'ping', id })), sleep(pingMs, null, { ref: false })]).finally(
      () => (this.pinging = null),
    );
    await this.pinging;
    const sum = (of: (reads: Reads) => number) => this.threads.reduce((total, { reads }) => total + of(reads), 0);
    return { primary: sum(({ primary }) => primary), replica: sum(({ replica }) => replica) };
  }

  /** Closes the connections of all threads and then ends the threads, including any that hangs. */
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
    // The thread that is started here helps only later queries.
    if (least.working > 0 && threads.every(({ isReady }) => isReady) && threads.length < this.options.count) this.grow();
    if (kind === 'cypher' || this.broker.hasIndex(graphId)) return least;
    const pinned = this.searched.get(graphId) ?? least;
    this.searched.set(graphId, pinned);
    return pinned;
  }

  /** Starts another thread for later queries. A failed start is handled in `ended`. */
  private grow(): void {
    this.add().catch(() => undefined);
  }

  /** Starts a thread and resolves when it is ready. Rejects if the thread ends before that. */
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

  /** Ends a thread that hangs, even if it has no query: it may be loading a part of a graph for all threads, and no caller would notice. */
  private look(thread: Thread): void {
    const now = Atomics.load(thread.beat, 0);
    thread.missed = now === thread.seen && thread.isReady ? thread.missed + 1 : 0;
    thread.seen = now;
    if (thread.missed < (this.options.mostMissed ?? defaultMissed)) return;
    this.ended(thread, new Error('A query thread does not go on'));
    void thread.worker.terminate();
  }

  /** Handles the end of a thread: its queries fail with ThreadEnded, and a new thread takes its place. */
  private ended(thread: Thread, cause: Error): void {
    if (thread.hasEnded || this.isClosing) return;
    // If the first thread, or one that takes the place of another, does not start, the process cannot continue: the error ends it.
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
    // Messages that a thread sent before it was ended may still arrive afterwards.
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

import { Worker } from 'node:worker_threads';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import { builtFile } from '../common/built-file.js';
import { logToken } from '../common/logging/log.js';
import { type Outgoing, type Post, PostError } from './post-message.js';

const heapMb = 64;
/** A thread that has not aborted a message within this time is stuck, and is terminated. */
const breaksOffWithinMs = 5_000;

/** A request to the thread: post `message`, or abort the earlier message with this id if `message` is null. */
export interface ToThread {
  id: number;
  message: Outgoing | null;
}

/** The thread's answer: the status code of the receiver, or null and the codes of the errors. */
export interface FromThread {
  id: number;
  status: number | null;
  codes: readonly string[];
}

/** Maximum number of idle threads that are kept for the next message of their users: those of the users who posted last. */
const mostIdle = 4;

/**
 * Posts the messages of each user in a thread of its own. A receiver can make its certificates take a second or more to check, and Node
 * checks them in the thread of the connection. With a thread for each user, this delays, or in the worst case ends, only the messages of
 * that user.
 */
@Injectable()
export class PostingThreads implements OnApplicationShutdown {
  /** By user id, in the order of their last messages: the user who posted last comes last. */
  private readonly threads = new Map<number, PostingThread>();

  constructor(@Inject(logToken) private readonly log: Logger) {}

  /** Posts for a user as `postMessage` does. */
  of(userId: number): Post {
    return async (message, signal) => {
      const thread = this.threads.get(userId) ?? new PostingThread(this.log);
      this.threads.delete(userId);
      this.threads.set(userId, thread);
      try {
        return await thread.post(message, signal);
      } finally {
        this.endIdle();
      }
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.threads.values()].map(thread => thread.end()));
  }

  private endIdle(): void {
    const idle = [...this.threads].filter(([, { underWay }]) => underWay === 0);
    for (const [userId, thread] of idle.slice(0, -mostIdle)) {
      this.threads.delete(userId);
      void thread.end();
    }
  }
}

/** Posts messages in a thread of its own. */
export class PostingThread {
  private worker: Worker | null = null;
  private readonly asked = new Map<number, (end: Omit<FromThread, 'id'>) => void>();
  private next = 0;

  constructor(private readonly log: Logger) {}

  get underWay(): number {
    return this.asked.size;
  }

  /**
   * Posts as `postMessage` does. If the thread ends, all messages under way fail, and the next message starts a new thread.
   * @throws PostError, or the reason of the signal
   */
  readonly post: Post = async (message, signal) => {
    signal.throwIfAborted();
    const worker = (this.worker ??= this.start());
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const breakOff = (): void => {
        worker.postMessage({ id, message: null } satisfies ToThread);
        setTimeout(() => this.asked.has(id) && void worker.terminate(), breaksOffWithinMs).unref();
      };
      // A status code that has arrived counts, even if the message was aborted afterwards.
      this.asked.set(id, ({ status, codes }) => {
        signal.removeEventListener('abort', breakOff);
        if (status !== null) resolve(status);
        else reject(signal.aborted ? (signal.reason as Error) : new PostError(codes));
      });
      signal.addEventListener('abort', breakOff, { once: true });
      worker.postMessage({ id, message } satisfies ToThread);
    });
  };

  async end(): Promise<void> {
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(builtFile(import.meta.url, './webhooks.thread.js'), { resourceLimits: { maxOldGenerationSizeMb: heapMb } });
    worker.unref();
    worker.on('message', (told: FromThread) => this.heard(told));
    worker.on('error', cause => this.log.error({ cause }, 'The thread that posts messages of webhooks ended'));
    worker.on('exit', () => {
      if (this.worker === worker) this.worker = null;
      for (const id of [...this.asked.keys()]) this.heard({ id, status: null, codes: [] });
    });
    return worker;
  }

  private heard({ id, ...end }: FromThread): void {
    const settle = this.asked.get(id);
    this.asked.delete(id);
    settle?.(end);
  }
}

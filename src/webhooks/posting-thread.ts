import { Worker } from 'node:worker_threads';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import { builtFile } from '../common/built-file.js';
import { logToken } from '../common/logging/log.js';
import { type Outgoing, type Post, PostError } from './post-message.js';

const heapMb = 64;
/** A thread that has not broken a message off after this time is stuck, and is ended. */
const breaksOffWithinMs = 5_000;

/** Asks for a message to be posted; null breaks it off. */
export interface ToThread {
  id: number;
  message: Outgoing | null;
}

/** The status that was answered, or the codes of the errors. */
export interface FromThread {
  id: number;
  status: number | null;
  codes: readonly string[];
}

/** Threads without a message that are kept for the next one of their user: those whose users were the last to post. */
const mostIdle = 4;

/**
 * Posts messages, those of each user in a thread of their own. The certificates of a receiver can be made to take a second and more to
 * check, and Node checks them in the thread that has the connection: they hold up, and may end, the messages of one user.
 */
@Injectable()
export class PostingThreads implements OnApplicationShutdown {
  /** By user, the last to post last. */
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
   * Posts as `postMessage` does. A thread that ends fails all messages under way, and another one begins with the next.
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
      // A status that came before the message was broken off counts.
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

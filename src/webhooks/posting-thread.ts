import { Worker } from 'node:worker_threads';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import { builtFile } from '../common/built-file.js';
import { logToken } from '../common/logging/log.js';
import { type Outgoing, PostError } from './post-message.js';

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

/**
 * Posts messages in a thread of its own. The certificates of a receiver can be made to take a second and more to check, and Node
 * checks them in the thread that has the connection.
 */
@Injectable()
export class PostingThread implements OnApplicationShutdown {
  private worker: Worker | null = null;
  private readonly asked = new Map<number, (end: Omit<FromThread, 'id'>) => void>();
  private next = 0;

  constructor(@Inject(logToken) private readonly log: Logger) {}

  /**
   * Posts as `postMessage` does. A thread that ends fails all messages under way, and another one begins with the next.
   * @throws PostError, or the reason of the signal
   */
  readonly post = async (message: Outgoing, signal: AbortSignal): Promise<number> => {
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

  async onApplicationShutdown(): Promise<void> {
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

import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { builtFile } from '../common/built-file.js';
import { type Outgoing, PostError } from './post-message.js';

const heapMb = 64;
/** A thread that has not broken a message off after this time works on something else for good. */
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

interface Asked {
  resolve: (status: number) => void;
  reject: (error: Error) => void;
}

/**
 * Posts messages in a thread of its own. The certificates of a receiver can be made to take a second and more to check, and Node
 * checks them in the thread that has the connection.
 */
@Injectable()
export class PostingThread implements OnApplicationShutdown {
  private worker: Worker | null = null;
  private readonly asked = new Map<number, Asked>();
  private next = 0;

  /** As `Post`. A thread that ends fails all messages under way, and another one begins with the next. */
  readonly post = (message: Outgoing, signal: AbortSignal): Promise<number> => {
    const worker = (this.worker ??= this.start());
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const breakOff = (): void => {
        reject(signal.reason as Error);
        worker.postMessage({ id, message: null } satisfies ToThread);
        setTimeout(() => this.asked.has(id) && void worker.terminate(), breaksOffWithinMs).unref();
      };
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T): void => {
          signal.removeEventListener('abort', breakOff);
          settle(value);
        };
      };
      this.asked.set(id, { resolve: settled(resolve), reject: settled(reject) });
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
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.worker === worker) this.worker = null;
      for (const id of [...this.asked.keys()]) this.heard({ id, status: null, codes: [] });
    });
    return worker;
  }

  private heard({ id, status, codes }: FromThread): void {
    const asked = this.asked.get(id);
    this.asked.delete(id);
    if (status === null) asked?.reject(new PostError(codes));
    else asked?.resolve(status);
  }
}

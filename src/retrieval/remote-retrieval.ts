import { Logger } from '@nestjs/common';
import { type ProcessAddress, type RetrievalProcess } from './retrieval-process.js';
import { RetrievalUnavailableError } from './retrieval.errors.js';
import { type TlsMaterial } from './tls-material.js';

/** A retrieval process that was deployed apart. The API may neither kill nor start it. */
export class RemoteRetrieval implements RetrievalProcess {
  readonly name: string;
  readonly generation = 1;
  readonly isListening = true;
  /** Not known for a remote process. It has no effect, because `isListening` is always true. */
  readonly hasEnded = false;
  readonly isOwn = false;
  private readonly log = new Logger('RemoteRetrieval');
  private readonly place: ProcessAddress;
  private readonly endListeners: (() => void)[] = [];
  private hangs = false;

  /** @param url of the form `http://host:port` or `https://host:port` */
  constructor(url: string, tls: TlsMaterial = {}) {
    const { protocol, hostname, port } = new URL(url);
    const isTls = protocol === 'https:';
    this.place = {
      protocol,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port || (isTls ? '443' : '80'),
      ...(isTls ? tls : {}),
    };
    this.name = `${hostname}:${this.place.port}`;
  }

  address({ evenIfHanging = false } = {}): Promise<ProcessAddress> {
    return this.hangs && !evenIfHanging ? Promise.reject(new RetrievalUnavailableError()) : Promise.resolve(this.place);
  }

  onEnd(listener: () => void): void {
    this.endListeners.push(listener);
  }

  /**
   * Handles a broken connection as the end of the process: from here a process that ended looks the same as a lost connection, so the worse
   * is assumed.
   */
  connectionBroke(): Promise<void> {
    for (const heard of this.endListeners) heard();
    return Promise.resolve();
  }

  markHanging(): void {
    if (this.hangs) return;
    this.hangs = true;
    this.log.error(`检索进程 ${this.name} 没有响应 / the retrieval process ${this.name} does not answer`);
    for (const heard of this.endListeners) heard();
  }

  markAnswering(): void {
    this.hangs = false;
  }
}

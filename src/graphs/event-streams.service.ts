import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiError } from '../common/errors/api-error.js';
import { ServiceStoppingError } from '../common/errors/common-errors.js';
import { ServiceStop } from '../common/stopping/service-stop.js';
import { FairShare } from '../common/turns/fair-share.js';
import { AccessRecheck } from './access-recheck.service.js';
import { TooManyWatchersError } from './graphs.errors.js';

/** The time between two looks at a record. */
export const eventEveryMs = 500;
const heartbeatEveryMs = 10_000;
const reconnectAfterMs = 2_000;
/** Limits event streams and requests that wait for a record, because each asks the database again and again. */
const watchers = { places: 200, mostPerCaller: 10, waitingPerCaller: 0, patienceMs: 0 };

/**
 * An event of a stream: `progress` after every change, `end` with the final record, or `access_lost` with the reason why its reader may not
 * see the rest. Each holds the whole state, and its id names that state, in every process alike. A comment keeps a quiet stream open.
 */
export type StreamEvent<T> = { type: 'progress' | 'end'; id: string; retry: number; data: T } | AccessLost | { comment: string };

export interface AccessLost {
  type: 'access_lost';
  data: { detail: string; code: string };
}

export interface StreamReader {
  /** The event that the reader has; the state that it names is not sent again. */
  lastId: string | undefined;
  /** Aborts when the reader goes. */
  gone: AbortSignal;
}

/** A record that changes until it has ended. */
export interface WatchedRecord<T> {
  /** @returns an error once the record is gone */
  read: () => Promise<T | ApiError>;
  hasEnded: (record: T) => boolean;
  /** The part of a record that identifies its state; the whole record by default. */
  stateOf?: (record: T) => unknown;
  /** Reads only that. The record is read again when it has changed. */
  readState?: () => Promise<unknown>;
}

/** Streams records of graphs as server-sent events. */
@Injectable()
export class EventStreams {
  private readonly watchers = new FairShare({ ...watchers, refuse: retryAfterS => new TooManyWatchersError(retryAfterS) });

  constructor(
    private readonly stop: ServiceStop,
    private readonly access: AccessRecheck,
  ) {}

  /** Takes a place of the caller's for a wait. Resolves to a function that gives it back. @throws TooManyWatchersError */
  enter(callerId: number): Promise<() => void> {
    return this.watchers.enter({ caller: callerId });
  }

  /**
   * Streams a record until it has ended, its reader may no longer see it or goes, or the service stops. Nothing at all if the reader
   * has the end already.
   * @throws before the first event: TooManyWatchersError, ServiceStoppingError, and the error of a record that is gone
   */
  async *watch<T extends object>(
    callerId: number,
    call: ExecutionContext,
    { read, hasEnded, stateOf = record => record, readState }: WatchedRecord<T>,
    { lastId, gone }: StreamReader,
  ): AsyncGenerator<StreamEvent<T>> {
    const leave = await this.enter(callerId);
    try {
      // Without an event the reader would take this for the end.
      if (this.stop.hasBegun) throw new ServiceStoppingError();
      const first = await read();
      if (first instanceof ApiError) throw first;
      let record: T | ApiError = first;
      let shown = lastId;
      let sentAt = -Infinity;
      for (const findRefusal = this.access.later(call); !gone.aborted;) {
        record = (await findRefusal()) ?? record;
        if (record instanceof ApiError) {
          yield accessLost(record);
          return;
        }
        const type = hasEnded(record) ? 'end' : 'progress';
        const id = idOf(record, stateOf);
        const isSilent = performance.now() - sentAt >= heartbeatEveryMs;
        if (id !== shown) yield { type, id, retry: reconnectAfterMs, data: record };
        else if (isSilent && type !== 'end') yield { comment: 'alive' };
        if (type === 'end') return;
        if (id !== shown || isSilent) sentAt = performance.now();
        shown = id;
        await sleep(eventEveryMs, undefined, { signal: gone }).catch(() => undefined);
        if (this.stop.hasBegun) return;
        if (gone.aborted || (readState && eventId(await readState()) === shown)) continue;
        record = await read();
      }
    } finally {
      leave();
    }
  }
}

export function accessLost({ detail, code }: ApiError): AccessLost {
  return { type: 'access_lost', data: { detail, code } };
}

/** The ids of records. Streams that show the same one share it. */
const ids = new WeakMap<object, string>();

function idOf<T extends object>(record: T, stateOf: (record: T) => unknown): string {
  const id = ids.get(record) ?? eventId(stateOf(record));
  ids.set(record, id);
  return id;
}

/** The same state has the same id. */
function eventId(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 16);
}

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiError } from '../common/errors/api-error.js';
import { ServiceStoppingError } from '../common/errors/common-errors.js';
import { ServiceStop } from '../common/stopping/service-stop.js';
import { Watchers } from '../common/stopping/watchers.js';
import { AccessRecheck } from './access-recheck.service.js';

/** Milliseconds between two reads of a watched record. */
export const eventEveryMs = 500;
const heartbeatEveryMs = 10_000;
const reconnectAfterMs = 2_000;

/**
 * An event of a stream. `progress` comes after every change, `end` comes with the final record, and `access_lost` gives the reason why the
 * reader may not see the rest. Each `progress` and `end` event has the whole record as its data. The event's id identifies the state of the
 * record and is the same in every process. A comment keeps the connection of a quiet stream open.
 */
export type StreamEvent<T> = { type: 'progress' | 'end'; id: string; retry: number; data: T } | AccessLost | { comment: string };

export interface AccessLost {
  type: 'access_lost';
  data: { detail: string; code: string };
}

export interface StreamReader {
  /** The id of the last event that the reader has received. The state with this id is not sent again. */
  lastId: string | undefined;
  /** Aborted when the reader disconnects. */
  gone: AbortSignal;
}

/** How to read a record that changes until it has ended. */
export interface WatchedRecord<T> {
  /** Reads the record. @returns an error once the record is gone */
  read: () => Promise<T | ApiError>;
  hasEnded: (record: T) => boolean;
  /** The part of a record that identifies its state; the whole record by default. */
  stateOf?: (record: T) => unknown;
  /** Reads only the state of the record, which is cheaper. The whole record is read again when the state has changed. */
  readState?: () => Promise<unknown>;
}

/** Streams records of graphs as server-sent events. */
@Injectable()
export class EventStreams {
  constructor(
    private readonly stop: ServiceStop,
    private readonly watchers: Watchers,
    private readonly access: AccessRecheck,
  ) {}

  /**
   * Streams a record until the record has ended, the reader loses access or disconnects, or the service stops. A reader who has received
   * the end already gets no event.
   * @throws before the first event: TooManyWatchersError, ServiceStoppingError, and the error of a record that is gone
   */
  async *watch<T extends object>(
    callerId: number,
    call: ExecutionContext,
    { read, hasEnded, stateOf = record => record, readState }: WatchedRecord<T>,
    { lastId, gone }: StreamReader,
  ): AsyncGenerator<StreamEvent<T>> {
    const leave = await this.watchers.enter(callerId);
    try {
      // A stream that closes without an event would tell the reader that the record has ended.
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

/** The event ids of records, so that all streams of one record compute the id once. */
const ids = new WeakMap<object, string>();

function idOf<T extends object>(record: T, stateOf: (record: T) => unknown): string {
  const id = ids.get(record) ?? eventId(stateOf(record));
  ids.set(record, id);
  return id;
}

/** The id of an event for a state of a record. Equal states have equal ids. */
function eventId(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 16);
}

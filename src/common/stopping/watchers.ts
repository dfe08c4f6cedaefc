import { Injectable } from '@nestjs/common';
import { TooManyWatchersError } from '../errors/common-errors.js';
import { FairShare } from '../turns/fair-share.js';
import { ServiceStop } from './service-stop.js';

/** Milliseconds between two reads of a record whose work another process may do: 100 at first, later up to 500. */
const lookEveryMs = 100;
const lookAtMostEveryMs = 500;
/** Limits the number of event streams and of requests that wait for a record, because each of them reads the database repeatedly. */
const places = { places: 200, mostPerCaller: 10, waitingPerCaller: 0, patienceMs: 0 };

/** A record of work that a request starts. */
export interface StartedRecord<T> {
  /** Starts the work. @returns its record */
  start: () => Promise<T>;
  /** Reads the record again. */
  read: (started: T) => Promise<T>;
  hasEnded: (record: T) => boolean;
  /** Waits until this process has ended the work, or for `longestMs`, since another process may do it. */
  untilEnd: (record: T, longestMs: number) => Promise<void>;
}

/** Lets requests watch work, or wait for the end of work that they start, within bounds for each caller. */
@Injectable()
export class Watchers {
  private readonly places = new FairShare({ ...places, refuse: retryAfterS => new TooManyWatchersError(retryAfterS) });

  constructor(private readonly stop: ServiceStop) {}

  /**
   * Takes one of the caller's places for a stream or a wait. Resolves to a function that returns the place.
   * @throws TooManyWatchersError
   */
  enter(callerId: number): Promise<() => void> {
    return this.places.enter({ caller: callerId });
  }

  /**
   * Starts work and waits for its end, for at most `seconds` and until the service stops. @returns the record as it is then
   * @throws TooManyWatchersError before anything is started; the errors of `start` and `read`
   */
  async startAndWait<T>(callerId: number, seconds: number, { start, read, hasEnded, untilEnd }: StartedRecord<T>): Promise<T> {
    const leave = seconds > 0 ? await this.enter(callerId) : () => undefined;
    try {
      let record = await start();
      const until = performance.now() + seconds * 1000;
      for (let pauseMs = lookEveryMs; !hasEnded(record) && performance.now() < until && !this.stop.hasBegun;) {
        await untilEnd(record, pauseMs);
        pauseMs = Math.min(pauseMs * 1.5, lookAtMostEveryMs);
        record = await read(record);
      }
      return record;
    } finally {
      leave();
    }
  }
}

import { Injectable } from '@nestjs/common';
import { FairShare } from '../common/turns/fair-share.js';
import { Settings } from '../config/settings.js';
import { mostOfOneCaller } from '../retrieval/protocol.js';
import { RetrievalBusyError } from '../retrieval/retrieval.errors.js';

const refuse = (retryAfterS: number): RetrievalBusyError => new RetrievalBusyError(retryAfterS);

/**
 * Refuses queries beyond the limits at little cost. Retrieval decides which queries get a place there, but only after a query was prepared,
 * written and sent: without earlier limits, 120 queries of one caller at once delayed everybody else by half a second.
 */
@Injectable()
export class QueryTurns {
  /**
   * Limits on queries that are being prepared, which takes a few database statements. A waiting query costs little, and may have a stored
   * answer.
   */
  private readonly preparing = new FairShare({ places: 8, waitingPerCaller: 500, waiting: 5_000, patienceMs: 30_000, refuse });
  private readonly retrieving: FairShare;

  constructor(settings: Settings) {
    const mostPerCaller = mostOfOneCaller * Math.max(1, settings.retrievalUrls.length);
    this.retrieving = new FairShare({ places: Infinity, mostPerCaller, waitingPerCaller: 0, patienceMs: 0, refuse });
  }

  /** Prepares a query in the caller's turn. @throws RetrievalBusyError when the caller's queue is full; the errors of the work */
  prepare<T>(caller: number, work: () => Promise<T>): Promise<T> {
    return this.preparing.run({ caller }, work);
  }

  /**
   * Sends a query to retrieval.
   * @throws RetrievalBusyError when the retrieval processes have as many queries of the caller as they accept; the errors of the work
   */
  retrieve<T>(caller: number, work: () => Promise<T>): Promise<T> {
    return this.retrieving.run({ caller }, work);
  }
}

import { createHash } from 'node:crypto';
import { type Claim, FairShare } from '../common/turns/fair-share.js';
import { mostOfOneCaller, type RetrievalQuery } from './protocol.js';
import { QueryRefusedError, RetrievalBusyError } from './retrieval.errors.js';

/** A query that a process is working on. */
export interface Flight {
  readonly id: string;
  /** The name of the process. */
  readonly process: string;
  /** The process ended during this query. */
  isStruck: boolean;
  /** No other query was under way then, so this one is the cause. */
  wasAlone: boolean;
}

const refusedMs = 600_000;
/** Longer than any query has time for. */
const longestTurnMs = 600_000;

/** Gives the same id to two queries that are the same work on the same graph. */
export function idOfWork(query: RetrievalQuery): string {
  const { graph_id, kind, text, parameters, timezone, profile, limit, offset, filter, choices, earlier } = query;
  return createHash('sha256')
    .update(JSON.stringify([graph_id, kind, text, parameters, timezone, profile, limit, offset, filter, choices, earlier]))
    .digest('base64');
}

/**
 * Finds the queries that end retrieval processes, or threads of one, so that each harms only its own caller. Every query under way
 * at an end is suspect. Suspects are tried once more, one after the other, of each caller in turn. A query that was alone at so many
 * ends is refused for ten minutes; one that was under way beside others is not, since any of them may be the cause. An answer of any
 * kind clears a query.
 */
export class SuspectQueries {
  private readonly underWay = new Set<Flight>();
  private readonly marks = new Map<string, { deaths: number; untilMs: number }>();
  private readonly trials = new FairShare({
    places: 1,
    waitingPerCaller: mostOfOneCaller,
    patienceMs: longestTurnMs,
    refuse: retryAfterS => new RetrievalBusyError(retryAfterS),
  });

  constructor(
    private readonly deathsToRefuse = 2,
    private readonly now: () => number = Date.now,
  ) {}

  /** Whether any query is suspect, or was not long ago. */
  get hasSuspects(): boolean {
    return this.marks.size > 0;
  }

  /** @throws QueryRefusedError */
  admit(id: string): void {
    const mark = this.marks.get(id);
    if (mark && mark.deaths >= this.deathsToRefuse && mark.untilMs > this.now()) throw new QueryRefusedError(mark.untilMs - this.now());
  }

  isSuspect(id: string): boolean {
    return (this.marks.get(id)?.untilMs ?? 0) > this.now();
  }

  /**
   * Waits for the turn of a suspect; callers take turns. Call the function it resolves to when the suspect is done.
   * @throws RetrievalBusyError if the caller's line is full or the wait takes too long; the signal's reason
   */
  takeTurn(claim: Claim): Promise<() => void> {
    return this.trials.enter(claim);
  }

  begin(id: string, process = 'own'): Flight {
    const flight = { id, process, isStruck: false, wasAlone: false };
    this.underWay.add(flight);
    return flight;
  }

  end(flight: Flight): void {
    this.underWay.delete(flight);
  }

  /** The process has answered this query, with success or an error. */
  clear(id: string): void {
    this.marks.delete(id);
  }

  /** The process has ended without being told to. */
  processEnded(process = 'own'): void {
    for (const [id, mark] of this.marks) if (mark.untilMs <= this.now()) this.marks.delete(id);
    const struck = [...this.underWay].filter(flight => flight.process === process);
    const ids = new Set(struck.map(flight => flight.id));
    const alone = ids.size === 1 ? 1 : 0;
    for (const id of ids) this.marks.set(id, { deaths: (this.marks.get(id)?.deaths ?? 0) + alone, untilMs: this.now() + refusedMs });
    for (const flight of struck) {
      flight.isStruck = true;
      flight.wasAlone = alone === 1;
      this.underWay.delete(flight);
    }
  }
}

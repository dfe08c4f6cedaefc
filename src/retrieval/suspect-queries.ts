import { createHash } from 'node:crypto';
import { type Claim, FairShare } from '../common/turns/fair-share.js';
import { mostOfOneCaller, type RetrievalQuery } from './protocol.js';
import { QueryRefusedError, RetrievalBusyError } from './retrieval.errors.js';

/** A query that a process is working on. */
export interface Flight {
  readonly id: string;
  /** The name of the process. */
  readonly process: string;
  /** Whether the process ended during this query. */
  isStruck: boolean;
  /** Whether no other query was under way at that end, so that this query is the cause. */
  wasAlone: boolean;
}

const refusedMs = 600_000;
/** Milliseconds that a suspect may wait for its turn: longer than the time-out of any query. */
const longestTurnMs = 600_000;

/** The id of a query's work. Two queries that are the same work on the same graph have the same id. */
export function idOfWork(query: RetrievalQuery): string {
  const { graph_id, kind, text, parameters, timezone, profile, limit, offset, filter, choices, earlier } = query;
  return createHash('sha256')
    .update(JSON.stringify([graph_id, kind, text, parameters, timezone, profile, limit, offset, filter, choices, earlier]))
    .digest('base64');
}

/**
 * Finds the queries that end retrieval processes, or threads of one, so that each harms only its own caller. Every query under way when one
 * ends is suspect. Suspects are tried once more, one after the other, callers in turn. A query that was alone at `deathsToRefuse` ends is
 * refused for ten minutes. A query that was under way beside others is not refused, since any of them may be the cause. An answer of any
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

  /** Whether there are suspects. A suspect counts until it is cleared, or until the next end of a process after its ten minutes. */
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

  /** Clears a query: the process has answered it, with success or an error. */
  clear(id: string): void {
    this.marks.delete(id);
  }

  /** Marks the queries that were under way in a process that has ended without being told to. */
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

/** Names the caller of a piece of work and, optionally, the thing that the work is about. */
export interface Claim {
  caller: string | number;
  /** Something that several callers use together, such as a graph. A group has a share of the places of its own. */
  group?: string | number;
  /** The longest wait for a place, in milliseconds. The share's own limit applies if it is shorter. */
  patienceMs?: number;
  /** Ends the wait for a place. Work that has begun may react to the signal by itself. */
  signal?: AbortSignal;
}

export interface FairShareOptions {
  /** The number of places for all callers together. */
  places: number;
  /** A further limit on the places of one caller. Without it, a caller alone gets half of the places. */
  mostPerCaller?: number;
  /**
   * Additional places for callers who hold no place; each gets at most one. They keep two members of a group from shutting out a third
   * member.
   */
  newcomers?: number;
  /** The most claims of one caller that may wait; with 0 none may. */
  waitingPerCaller: number;
  /** The most claims of all callers together that may wait. */
  waiting?: number;
  /** The longest wait for a place, in milliseconds. */
  patienceMs: number;
  /** Makes the error for a caller who may not wait, from the number of seconds after which a place is likely to be free. */
  refuse: (retryAfterS: number) => Error;
}

interface Waiting {
  claim: Claim;
  begin: () => void;
  giveUp: (error: Error) => void;
}

/** A group may hold at most three times as many places as are free: six of eight. */
const groupWeight = 3;
const longestRetryS = 60;

/**
 * Shares places among callers. A caller gets a further place only while more places are free than the caller holds. One caller
 * alone therefore gets half of them, and the next caller finds one free (dynamic thresholds, after Choudhury and Hahne 1998,
 * doi.org/10.1109/90.664262). A claim without a place waits in its caller's own short line. Lines are served in turn.
 */
export class FairShare {
  private held = 0;
  private queued = 0;
  /** Number of places held, by caller and by group. Entries that reach zero are removed. */
  private readonly holdings = new Map<string, number>();
  /** The lines of waiting callers, in the order of their turns. */
  private readonly lines = new Map<Claim['caller'], Waiting[]>();
  /** The usual time for which a place is held, in milliseconds. */
  private usualMs = 0;

  constructor(private readonly options: FairShareOptions) {}

  /** The number of places in use. */
  get working(): number {
    return this.held;
  }

  get waiting(): number {
    return this.queued;
  }

  /**
   * Waits for a place, then does the work.
   * @param remains called when the work has ended. If a part of the work goes on without the caller, it returns the promise of that part,
   *   which keeps the place until it resolves. The promise never rejects.
   * @throws what `enter` throws, and what the work throws
   */
  async run<T>(claim: Claim, work: () => Promise<T>, remains: () => Promise<void> | undefined = () => undefined): Promise<T> {
    const leave = await this.enter(claim);
    try {
      return await work();
    } finally {
      const rest = remains();
      if (rest) void rest.then(leave);
      else leave();
    }
  }

  /**
   * Waits for a place. Resolves to a function that gives the place back.
   * @throws the refusal when the caller's line is full or the wait takes too long; the signal's reason when it aborts
   */
  async enter(claim: Claim): Promise<() => void> {
    claim.signal?.throwIfAborted();
    // A claim that fits takes its place at once: no waiting claim fits, so it overtakes none.
    if (this.fits(claim)) this.hold(claim, 1);
    else await this.wait(claim);
    const since = performance.now();
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      this.usualMs += (performance.now() - since - this.usualMs) / 8;
      this.hold(claim, -1);
      this.serve();
    };
  }

  private fits({ caller, group }: Claim): boolean {
    const own = this.holding('caller', caller);
    const free = this.options.places - this.held + (own === 0 ? (this.options.newcomers ?? 0) : 0);
    const most = Math.min(free, this.options.mostPerCaller ?? free);
    return own < most && (group === undefined || this.holding('group', group) < groupWeight * free);
  }

  private holding(of: 'caller' | 'group', name: string | number): number {
    return this.holdings.get(`${of} ${name}`) ?? 0;
  }

  private hold({ caller, group }: Claim, change: 1 | -1): void {
    this.held += change;
    for (const key of group === undefined ? [`caller ${caller}`] : [`caller ${caller}`, `group ${group}`]) {
      const count = (this.holdings.get(key) ?? 0) + change;
      if (count === 0) this.holdings.delete(key);
      else this.holdings.set(key, count);
    }
  }

  private async wait(claim: Claim): Promise<void> {
    const { caller, signal, patienceMs = Infinity } = claim;
    this.makeRoom(caller);
    await new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const entry: Waiting = {
        claim,
        begin: () => {
          settle();
          resolve();
        },
        giveUp: error => {
          settle();
          this.remove(entry);
          reject(error);
        },
      };
      const onAbort = (): void => entry.giveUp(signal?.reason as Error);
      const timer = setTimeout(() => entry.giveUp(this.refusal(caller)), Math.min(patienceMs, this.options.patienceMs)).unref();
      signal?.addEventListener('abort', onAbort, { once: true });
      const line = this.lines.get(caller);
      if (line) line.push(entry);
      else this.lines.set(caller, [entry]);
      this.queued++;
    });
  }

  /**
   * Makes room for a claim when all lines together are full. The last claim of the longest line is refused, if that line is at least two
   * claims longer than the caller's own line. Otherwise the new claim is refused.
   * @throws the refusal of the new claim
   */
  private makeRoom(caller: Claim['caller']): void {
    const own = this.lines.get(caller)?.length ?? 0;
    if (own >= this.options.waitingPerCaller) throw this.refusal(caller);
    if (this.queued < (this.options.waiting ?? Infinity)) return;
    let longest: Waiting[] = [];
    for (const line of this.lines.values()) if (line.length > longest.length) longest = line;
    const last = longest.at(-1);
    if (last === undefined || longest.length <= own + 1) throw this.refusal(caller);
    last.giveUp(this.refusal(last.claim.caller));
  }

  private serve(): void {
    for (let next = this.takeNext(); next !== null; next = this.takeNext()) {
      this.hold(next.claim, 1);
      next.begin();
    }
  }

  private takeNext(): Waiting | null {
    if (this.held >= this.options.places + (this.options.newcomers ?? 0)) return null;
    for (const [caller, line] of this.lines) {
      // Claims of one caller differ only by their groups, so a claim of the same group as the one before need not be checked.
      const next = line.find(({ claim }, at) => (at === 0 || claim.group !== line[at - 1]!.claim.group) && this.fits(claim));
      if (next === undefined) continue;
      this.remove(next);
      // The caller moves behind all other callers in the order of turns.
      if (this.lines.delete(caller)) this.lines.set(caller, line);
      return next;
    }
    return null;
  }

  private remove(entry: Waiting): void {
    const line = this.lines.get(entry.claim.caller) ?? [];
    line.splice(line.indexOf(entry), 1);
    if (line.length === 0) this.lines.delete(entry.claim.caller);
    this.queued--;
  }

  private refusal(caller: Claim['caller']): Error {
    const rounds = ((this.lines.get(caller)?.length ?? 0) + 1) / Math.max(1, this.holding('caller', caller));
    return this.options.refuse(Math.min(longestRetryS, Math.max(1, Math.ceil((rounds * this.usualMs) / 1000))));
  }
}

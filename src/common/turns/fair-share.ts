/** Whose work it is, and what it works on. */
export interface Claim {
  caller: string | number;
  /** What several callers use together, such as a graph: it has a share of its own. */
  group?: string | number;
  /** Longest wait for a place, in milliseconds; the share's own patience if that is shorter. */
  patienceMs?: number;
  /** Ends the wait. Work that has begun is not stopped by it. */
  signal?: AbortSignal;
}

export interface FairShareOptions {
  /** So much at once, of all callers together. */
  places: number;
  /** Most places of one caller, where half of them would be too many. */
  mostPerCaller?: number;
  /** How much of one caller may wait; none where it is 0. */
  waitingPerCaller: number;
  /** How much may wait of all callers together. */
  waiting?: number;
  /** Longest wait for a place, in milliseconds. */
  patienceMs: number;
  /** The error of a caller who may not wait, with the seconds after which a place is likely. */
  refuse: (retryAfterS: number) => Error;
}

interface Waiting {
  claim: Claim;
  begin: () => void;
  giveUp: (error: Error) => void;
}

/** A group may hold three times what is free: six places of eight. */
const groupWeight = 3;
const longestRetryS = 60;

/**
 * Shares a scarce thing among callers. A caller takes a further place only while more places are free than the caller holds,
 * so that one alone gets half of them and whoever comes next finds one (dynamic thresholds, after Choudhury and Hahne 1998,
 * doi.org/10.1109/90.664262). What finds no place waits in its caller's own short line. Lines are served in turn.
 */
export class FairShare {
  private held = 0;
  private queued = 0;
  /** Places held, by caller and by group; what holds none is not in it. */
  private readonly holdings = new Map<string, number>();
  /** The lines of callers who wait; whose turn is next stands first. */
  private readonly lines = new Map<Claim['caller'], Waiting[]>();
  /** How long a place is usually held. */
  private usualMs = 0;

  constructor(private readonly options: FairShareOptions) {}

  /** Places in use. */
  get working(): number {
    return this.held;
  }

  get waiting(): number {
    return this.queued;
  }

  /** Works once there is a place. @throws what `enter` throws, and what the work throws */
  async run<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(claim);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Waits for a place. The function that it resolves to gives the place back.
   * @throws the refusal when the caller's line is full or its patience ends; the signal's reason when that aborts
   */
  async enter(claim: Claim): Promise<() => void> {
    claim.signal?.throwIfAborted();
    // Nothing that waits fits, or it would not wait: whoever fits overtakes nobody.
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
    const free = this.options.places - this.held;
    const most = Math.min(free, this.options.mostPerCaller ?? free);
    return this.holding('caller', caller) < most && (group === undefined || this.holding('group', group) < groupWeight * free);
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

  /** Where all lines together are full the longest one loses its last, so that it costs a newcomer nothing. */
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
    for (const [caller, line] of this.lines) {
      const next = line.find(({ claim }) => this.fits(claim));
      if (next === undefined) continue;
      this.remove(next);
      // The caller's next turn comes behind everybody else's.
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

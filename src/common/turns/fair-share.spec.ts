import fc from 'fast-check';
import { type Claim, FairShare, type FairShareOptions } from './fair-share.js';

class Refused extends Error {
  constructor(readonly retryAfterS: number) {
    super('refused');
  }
}

const settled = () => new Promise<void>(resolve => setImmediate(resolve));
const share = (options: Partial<FairShareOptions>) =>
  new FairShare({ places: 8, waitingPerCaller: 4, patienceMs: 60_000, refuse: seconds => new Refused(seconds), ...options });

/** Starts work whose end the test decides. */
function open(of: FairShare, claim: Claim) {
  let finish!: (error?: Error) => void;
  const state = { begun: false, refused: null as Error | null, finish: (error?: Error) => finish(error) };
  const gate = new Promise<void>((resolve, reject) => (finish = error => (error ? reject(error) : resolve())));
  of.run(claim, () => {
    state.begun = true;
    return gate;
  }).catch((error: Error) => (state.refused = error));
  return state;
}

describe('FairShare', () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
    [8, 4],
  ])('shares %i places: %i for a caller who is alone, and one at once for the next caller', async (places, half) => {
    const of = share({ places, waitingPerCaller: places });
    const greedy = Array.from({ length: places }, () => open(of, { caller: 'greedy' }));
    const next = open(of, { caller: 'next' });
    await settled();
    expect(greedy.filter(({ begun }) => begun)).toHaveLength(half);
    expect(next.begun).toBe(places > 1);
  });

  it('leaves places to other groups, however many callers one group has', async () => {
    const of = share({});
    const members = Array.from({ length: 8 }, (_, caller) => open(of, { caller, group: 'graph 1' }));
    const elsewhere = open(of, { caller: 'x', group: 'graph 2' });
    await settled();
    expect(members.filter(({ begun }) => begun)).toHaveLength(6);
    expect(elsewhere.begun).toBe(true);
  });

  it('keeps the place of work of which something goes on without its caller, whether it fails or not', async () => {
    const of = share({ places: 2 });
    let end!: () => void;
    const rest = new Promise<void>(resolve => (end = resolve));
    expect(
      await of.run(
        { caller: 'a' },
        () => Promise.resolve(7),
        () => rest,
      ),
    ).toBe(7);
    await expect(
      of.run(
        { caller: 'b' },
        () => Promise.reject(new Error('no')),
        () => undefined,
      ),
    ).rejects.toThrow('no');
    expect(of.working).toBe(1);
    end();
    await settled();
    expect(of.working).toBe(0);
  });

  it('refuses a caller whose line is full, and nobody else', async () => {
    const of = share({ places: 1, waitingPerCaller: 2 });
    const greedy = Array.from({ length: 4 }, () => open(of, { caller: 'greedy' }));
    const other = open(of, { caller: 'other' });
    await settled();
    expect(greedy.map(({ refused }) => refused instanceof Refused)).toEqual([false, false, false, true]);
    greedy[0]!.finish();
    await settled();
    expect(greedy[1]!.begun).toBe(true);
    greedy[1]!.finish();
    await settled();
    expect([other.begun, greedy[2]!.begun]).toEqual([true, false]);
  });

  it('drops the last of the longest line when all lines together are full', async () => {
    const of = share({ places: 1, waitingPerCaller: 3, waiting: 3 });
    const greedy = Array.from({ length: 4 }, () => open(of, { caller: 'greedy' }));
    const other = [open(of, { caller: 'other' }), open(of, { caller: 'other' })];
    await settled();
    expect(greedy.map(({ refused }) => refused !== null)).toEqual([false, false, false, true]);
    expect(other.map(({ refused }) => refused !== null)).toEqual([false, true]);
  });

  it('refuses a caller who has waited long enough, with the time that the line is likely to take', async () => {
    const of = share({ places: 1, patienceMs: 10 });
    const first = open(of, { caller: 'a' });
    // The timers of FairShare do not keep the process alive, so this timer does.
    const awake = setInterval(() => undefined, 5);
    await expect(of.enter({ caller: 'b' })).rejects.toEqual(new Refused(1));
    clearInterval(awake);
    first.finish();
    await settled();
    expect([of.working, of.waiting]).toEqual([0, 0]);
  });

  it('has a place for a member who holds none beside two who hold all that a group may', async () => {
    const members = (of: FairShare) => ['a', 'a', 'b', 'c', 'd'].map(caller => open(of, { caller, group: 'graph 1' }));
    const [without, withNewcomers] = [members(share({ places: 4 })), members(share({ places: 4, newcomers: 2 }))];
    await settled();
    expect(without.map(({ begun }) => begun)).toEqual([true, true, true, false, false]);
    expect(withNewcomers.map(({ begun }) => begun)).toEqual([true, true, true, true, true]);
  });

  it('takes a place back once, however often it is given back', async () => {
    const of = share({ places: 2 });
    const leave = await of.enter({ caller: 'a' });
    await of.enter({ caller: 'b' });
    leave();
    leave();
    expect(of.working).toBe(1);
  });

  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ does: fc.constant('come' as const), caller: fc.nat(4), group: fc.option(fc.nat(2)) }) },
    { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('end' as const, 'fail' as const), which: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('abort' as const), which: fc.nat(100) }) },
  );
  const sizes = fc.record({
    places: fc.integer({ min: 1, max: 9 }),
    waitingPerCaller: fc.integer({ min: 0, max: 4 }),
    waiting: fc.integer({ min: 0, max: 8 }),
    mostPerCaller: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    newcomers: fc.nat(3),
  });

  it('admits, queues and refuses exactly the callers that a naive model does, and leaks no place', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.array(step, { maxLength: 60 }), async (options, steps) => {
        const of = share({ ...options, mostPerCaller: options.mostPerCaller! });
        const model = new NaiveShare(options);
        const real: { claim: Claim; work: ReturnType<typeof open>; gone: AbortController }[] = [];
        const begunInOrder: number[] = [];
        const finish = (id: number, error?: Error) => {
          real[id]!.work.finish(error);
          model.end(id);
        };
        const check = async () => {
          await settled();
          real.forEach(({ work }, id) => {
            if (work.begun && !begunInOrder.includes(id)) begunInOrder.push(id);
          });
          expect(begunInOrder).toEqual(model.begun);
          expect([of.working, of.waiting]).toEqual([model.working.length, model.waiting.length]);
          expect(of.working).toBeLessThanOrEqual(options.places + options.newcomers);
          expect(real.flatMap(({ work }, id) => (work.refused instanceof Refused ? [id] : []))).toEqual(
            [...model.refused].sort((a, b) => a - b),
          );
        };
        for (const next of steps) {
          if (next.does === 'come') {
            const claim = { caller: next.caller, ...(next.group === null ? {} : { group: next.group }) };
            const gone = new AbortController();
            real.push({ claim, work: open(of, { ...claim, signal: gone.signal }), gone });
            model.come(real.length - 1, claim);
          } else if (next.does === 'abort') {
            if (model.waiting.length === 0) continue;
            const { id } = model.waiting[next.which % model.waiting.length]!;
            real[id]!.gone.abort(new Error('gone'));
            model.abort(id);
          } else if (model.working.length > 0) {
            const { id } = model.working[next.which % model.working.length]!;
            finish(id, next.does === 'fail' ? new Error('broken') : undefined);
          }
          await check();
        }
        // As work ends, every waiting caller gets a place, so nobody starves.
        while (model.working.length > 0) {
          finish(model.working[0]!.id);
          await check();
        }
        expect([of.working, of.waiting]).toEqual([0, 0]);
      }),
      { numRuns: 300 },
    );
  });
});

interface Party {
  id: number;
  claim: Claim;
}

/** The same rules written without regard to cost: the caller whose last turn is longest ago comes first. */
class NaiveShare {
  working: Party[] = [];
  waiting: Party[] = [];
  begun: number[] = [];
  refused: number[] = [];
  private clock = 0;
  private readonly turn = new Map<Claim['caller'], number>();

  constructor(
    private readonly options: {
      places: number;
      waitingPerCaller: number;
      waiting: number;
      mostPerCaller?: number | undefined;
      newcomers: number;
    },
  ) {}

  come(id: number, claim: Claim): void {
    if (this.fits(claim)) {
      this.begin({ id, claim });
      return;
    }
    const lineOf = (caller: Claim['caller']) => this.waiting.filter(party => party.claim.caller === caller);
    const own = lineOf(claim.caller).length;
    if (own >= this.options.waitingPerCaller) {
      this.refused.push(id);
      return;
    }
    if (this.waiting.length >= this.options.waiting) {
      const callers = [...new Set(this.waiting.map(party => party.claim.caller))].sort((a, b) => this.turn.get(a)! - this.turn.get(b)!);
      const longest = Math.max(0, ...callers.map(caller => lineOf(caller).length));
      if (longest <= own + 1) {
        this.refused.push(id);
        return;
      }
      const victim = lineOf(callers.find(caller => lineOf(caller).length === longest)!).at(-1)!;
      this.refused.push(victim.id);
      this.abort(victim.id);
    }
    if (own === 0) this.turn.set(claim.caller, this.clock++);
    this.waiting.push({ id, claim });
  }

  end(id: number): void {
    this.working = this.working.filter(party => party.id !== id);
    for (;;) {
      const ready = this.waiting.filter(({ claim }) => this.fits(claim));
      const next = ready.sort((a, b) => this.turn.get(a.claim.caller)! - this.turn.get(b.claim.caller)! || a.id - b.id)[0];
      if (!next) return;
      this.abort(next.id);
      this.turn.set(next.claim.caller, this.clock++);
      this.begin(next);
    }
  }

  abort(id: number): void {
    this.waiting = this.waiting.filter(party => party.id !== id);
  }

  private begin(party: Party): void {
    this.working.push(party);
    this.begun.push(party.id);
  }

  private fits({ caller, group }: Claim): boolean {
    const ofCaller = this.working.filter(({ claim }) => claim.caller === caller).length;
    const free = this.options.places + (ofCaller === 0 ? this.options.newcomers : 0) - this.working.length;
    const ofGroup = this.working.filter(({ claim }) => group !== undefined && claim.group === group).length;
    return ofCaller < free && ofCaller < (this.options.mostPerCaller ?? free) && ofGroup < 3 * free;
  }
}

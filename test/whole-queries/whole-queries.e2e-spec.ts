import { prepareCypher } from '../../src/cypher/prepare-cypher.js';
import { prepareInMemory } from '../../src/cypher/executors/memory/run-in-memory.js';
import { ApiError } from '../../src/common/errors/api-error.js';
import { parseCypher } from '../../src/cypher/syntax/parse-cypher.js';
import { LanguageError } from '../../src/text/language-error.js';
import { Dice } from '../support/dice.js';
import { processorMs } from '../support/processor-time.js';
import { isLong } from '../support/tier.js';
import { denseGraph } from '../support/dense-graph.js';
import { HeldMemory } from './held-memory.js';
import { largeParameters, WholeQueries } from './whole-query.js';

/** `WHOLE_QUERIES=100000 npm run test:long -- whole-queries` tries more, `WHOLE_QUERY_SEEDS=7,12` repeats some. */
const count = Number(process.env.WHOLE_QUERIES ?? (isLong ? 10_000 : 60));
const seeds = process.env.WHOLE_QUERY_SEEDS?.split(',').map(Number) ?? Array.from({ length: count }, (_, i) => i + 1);
/** An expression that goes through nodes and edges until it is refused: some 20 ms on a usual machine. */
const whole = 'RETURN COUNT { MATCH (a)-[:R]-(b)--(c) WHERE a.x > c.x RETURN a.x AS v0, c.x AS v1 } AS c0';
/** Factor over the time of `whole` that a query may take in one go: allocations, and code that V8 has not compiled yet, take longer. */
const mostTimesWhole = 2.5;
/** A query that goes on for longer is left, as by its time-out. Some of many are given the time to hold all they may. */
const mostMs = (seed: number) => (!isLong ? 5 : seed % 20 === 0 ? 1_500 : 80);
const limits = { steps: 30_000_000, heldBytes: 67_108_864 };

const graph = isLong ? denseGraph(60_000, 200_000, 0.1) : denseGraph(2_000, 8_000, 0.1);
const schema = { labels: [], edges: [] };
/** With these a query is only compiled. */
const smallParameters = JSON.stringify({ text: 'x', commas: 'a,', list: [1], texts: ['1'], lists: [[1]], map: { a: 1 } });

const memory = isLong ? new HeldMemory() : null;
const settleEvery = 200;

interface Ran {
  /** The longest go between two pauses. */
  heldMs: number;
  /** Memory that the query holds and does not count. */
  uncountedBytes: number;
  /** How the query ended: `answered`, `left`, `fault`, or the code or class of its error. */
  end: string;
  /** Stack of an error that a query must not throw. */
  fault?: string;
}

/** The thread has had no more of the processor than either: others may work beside it, and V8 collects garbage in threads of its own. */
function now(): { wallMs: number; processMs: number } {
  return { wallMs: performance.now(), processMs: processorMs() };
}

function run(text: string, leftAfterMs: number): Ran {
  let heldMs = 0;
  let uncountedBytes = 0;
  let since = now();
  const pause = () => {
    const { wallMs, processMs } = now();
    heldMs = Math.max(heldMs, Math.min(wallMs - since.wallMs, processMs - since.processMs));
    since = { wallMs, processMs };
  };
  const ended = (end: string): Ran => ({ heldMs, uncountedBytes, end });
  const started = since.processMs;
  try {
    const query = parseCypher(text);
    pause();
    prepareCypher(text, schema, smallParameters, query);
    pause();
    const prepared = prepareInMemory(query, graph, { parameters: largeParameters, limits, now: { epochNanoseconds: 0n, timeZone: 'UTC' } });
    pause();
    let rows = 0;
    for (const row of prepared.rows()) {
      pause();
      if (row !== null) rows++;
      if (since.processMs - started > leftAfterMs || rows > 10_000) return ended('left');
      uncountedBytes = Math.max(uncountedBytes, memory?.uncounted(prepared.work.heldBytes) ?? 0);
      since = now();
    }
    pause();
    return ended('answered');
  } catch (error) {
    pause();
    if (error instanceof LanguageError) return ended(error.constructor.name);
    if (error instanceof ApiError && error.status < 500) return ended(error.code);
    return { ...ended('fault'), fault: String((error as Error).stack).slice(0, 500) };
  }
}

/** No query holds its thread longer than this between two places where it may pause. Beside other suites only a hang can be told. */
function mostHeldMs(): number {
  if (!isLong) return 500;
  const held = Array.from({ length: 15 }, () => run(whole, Infinity)).map(({ heldMs }) => heldMs);
  return Math.max(50, mostTimesWhole * Math.min(...held.slice(5)));
}

// Jest asks for stacks of 100 frames, which take ten times as long as those of a service.
beforeAll(() => (Error.stackTraceLimit = 10));

it('whole queries let others go on, and fail as their caller’s own', () => {
  const ends: Record<string, number> = {};
  const slow: string[] = [];
  const heavy: string[] = [];
  const faults: string[] = [];
  const most = mostHeldMs();
  for (const [i, seed] of seeds.entries()) {
    if (i % settleEvery === 0) memory?.settle();
    const text = new WholeQueries(new Dice(seed)).next();
    if (text.length > 9_000) continue;
    const first = run(text, mostMs(seed));
    let { heldMs } = first;
    ends[first.end] = (ends[first.end] ?? 0) + 1;
    if (first.fault) faults.push(`seed ${seed}: ${first.fault}: ${text}`);
    // Collections of garbage and the compiler of V8 come now and then, but not each time at the same query.
    for (let time = 0; time < 4 && heldMs > most; time++) heldMs = Math.min(heldMs, run(text, mostMs(seed)).heldMs);
    // The machine may have become busy.
    if (heldMs > most) heldMs = Math.min(heldMs * (most / mostHeldMs()), run(text, mostMs(seed)).heldMs);
    if (first.uncountedBytes > 0) heavy.push(`seed ${seed}: ${first.uncountedBytes} bytes uncounted: ${text.slice(0, 500)}`);
    if (heldMs > most) slow.push(`seed ${seed}: ${Math.round(heldMs)} ms: ${text.slice(0, 500)}`);
  }
  if (isLong) process.stdout.write(`whole queries: ${JSON.stringify(ends)}, ${Math.round(most)} ms at most in one go\n`);
  expect({ faults, slow, heavy }).toEqual({ faults: [], slow: [], heavy: [] });
  // Queries that are all refused would show nothing.
  if (seeds.length >= 300) expect((ends.answered ?? 0) + (ends.left ?? 0)).toBeGreaterThan(seeds.length / 3);
}, 14_400_000);

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

/** `WHOLE_QUERIES=100000 npm run test:alone -- whole-queries` runs more queries, `WHOLE_QUERY_SEEDS=7,12,50001-60000` those of some seeds. */
const count = Number(process.env.WHOLE_QUERIES ?? (isLong ? 10_000 : 300));
const seeds = (process.env.WHOLE_QUERY_SEEDS ?? `1-${count}`).split(',').flatMap(part => {
  const [first = 1, last = first] = part.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
});
/** An expression that visits nodes and edges without a pause until it is refused: some 20 ms on a usual machine. */
const whole = 'RETURN COUNT { MATCH (a)-[:R]-(b)--(c) WHERE a.x > c.x RETURN a.x AS v0, c.x AS v1 } AS c0';
/**
 * A query may take this many times the time of `whole` without a pause: allocations, and code that V8 has not compiled yet, take longer.
 */
const mostTimesWhole = 2.5;
/** Milliseconds after which a query is given up, as by its time-out. Every 20th query of the long run gets time to hold all that it may. */
const mostMs = (seed: number) => (!isLong ? 5 : seed % 20 === 0 ? 1_500 : 80);
const limits = { steps: 30_000_000, heldBytes: 67_108_864 };

const graph = isLong ? denseGraph(60_000, 200_000, 0.1) : denseGraph(2_000, 8_000, 0.1);
const schema = { labels: [], edges: [] };
/** Small parameters, for the step that only compiles a query. */
const smallParameters = JSON.stringify({ text: 'x', commas: 'a,', list: [1], texts: ['1'], lists: [[1]], map: { a: 1 } });

const memory = isLong ? new HeldMemory() : null;
const settleEvery = 200;

interface Ran {
  /** The longest time between two pauses, in milliseconds. */
  heldMs: number;
  /** Memory that the query holds without counting it. */
  uncountedBytes: number;
  /** How the query ended: `answered`, `left`, `fault`, or the code or class of its error. */
  end: string;
  /** Stack of an error that a query must not throw. */
  fault?: string;
}

/**
 * The thread's own work is at most the smaller of the two: other processes add to the wall time, and V8's garbage collection in other
 * threads adds to the processor time.
 */
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

/** The longest time in milliseconds that a query may hold its thread between two pauses. Beside other suites, it detects only a hang. */
function mostHeldMs(): number {
  if (!isLong) return 500;
  const held = Array.from({ length: 15 }, () => run(whole, Infinity)).map(({ heldMs }) => heldMs);
  return Math.max(50, mostTimesWhole * Math.min(...held.slice(5)));
}

// Jest sets stack traces of 100 frames, which take ten times as long to make as those of a service.
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
    // Garbage collection and V8's compiler may delay a query once, but not each time, so the best of five runs counts.
    for (let time = 0; time < 4 && heldMs > most; time++) heldMs = Math.min(heldMs, run(text, mostMs(seed)).heldMs);
    // The machine may have become slower, so the bound is measured again.
    if (heldMs > most) heldMs = Math.min(heldMs * (most / mostHeldMs()), run(text, mostMs(seed)).heldMs);
    if (first.uncountedBytes > 0) heavy.push(`seed ${seed}: ${first.uncountedBytes} bytes uncounted: ${text.slice(0, 500)}`);
    if (heldMs > most) slow.push(`seed ${seed}: ${Math.round(heldMs)} ms: ${text.slice(0, 500)}`);
  }
  if (isLong) process.stdout.write(`whole queries: ${JSON.stringify(ends)}, ${Math.round(most)} ms at most in one go\n`);
  expect({ faults, slow, heavy }).toEqual({ faults: [], slow: [], heavy: [] });
  // If nearly all queries were refused, the test would show nothing.
  if (seeds.length >= 300) expect((ends.answered ?? 0) + (ends.left ?? 0)).toBeGreaterThan(seeds.length / 3);
}, 14_400_000);

import * as fc from 'fast-check';
import { type Ask } from './caller.js';
import { type Owner } from './world.js';

/** The requests that the noisy caller sends at once. */
export type Wave = Ask[];

/** A shared resource, and the way one caller tries to take all of it. */
export interface Resource {
  name: string;
  /** Describes the requests in words. */
  sends: string;
  /** Runs once before the first wave. Its answers are not checked. */
  prepare?: (noisy: Owner) => Promise<number[]>;
  /** The worst known requests, sent first and unchanged. */
  worst?: (noisy: Owner) => Wave;
  /** @param made ids that `prepare` returned */
  waves: (noisy: Owner, made: number[]) => fc.Arbitrary<Wave>;
}

const timeouts = fc.constantFrom(undefined, 1_000, 30_000, 60_000, 600_000);
const includes = fc.subarray(['graph', 'plan', 'source_rows']);

/**
 * Up to `most` queries at once. Each has its own options, and spaces that make its text unique, so that none shares the answer of another.
 */
export function queries(noisy: Owner, question: fc.Arbitrary<object>, { most = 12 } = {}): fc.Arbitrary<Wave> {
  const ask = fc.record({
    question,
    timeout_ms: timeouts,
    include: includes,
    limit: fc.constantFrom(undefined, 1, 1_000, 10_000),
    hangs: fc.integer({ min: 0, max: 4 }),
  });
  return fc.array(ask, { minLength: Math.ceil(most / 2), maxLength: most }).map(asks =>
    asks.map(({ question, hangs, ...options }, no) => ({
      path: `/graphs/${noisy.graphId}/query`,
      body: {
        ...question,
        ...options,
        ...('cypher' in question ? { cypher: `${question.cypher as string}${' '.repeat(no)}` } : {}),
        cache: 'refresh',
      },
      ...(hangs === 0 ? { hangUpMs: 200 } : {}),
    })),
  );
}

/** A text of `depth` nested brackets. */
export const deep = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;

/**
 * The same query `count` times at once, with the default time-out. Each text has another number of spaces, so that none shares an answer.
 */
export function alike(noisy: Owner, text: string, count: number): Wave {
  return Array.from({ length: count }, (_, no) => ({
    path: `/graphs/${noisy.graphId}/query`,
    body: { cypher: `${text}${' '.repeat(no)}`, limit: 10_000, cache: 'refresh' },
  }));
}

import { type Steps } from '../text/steps.js';

/** Some milliseconds of most work. */
const blockLength = 32_768;

/** Does the work for one block after the other. The loop of a generator itself would stay slow: V8 optimizes functions that are called. */
export function* inBlocks(length: number, work: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < length; from += blockLength) {
    work(from, Math.min(length, from + blockLength));
    yield;
  }
}

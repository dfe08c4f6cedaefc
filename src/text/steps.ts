/** Work that yields wherever it may pause. It knows no clock and no event loop, so that it runs anywhere, in turns or at once. */
export type Steps<T> = Generator<undefined, T>;

/** Does all of the work now. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

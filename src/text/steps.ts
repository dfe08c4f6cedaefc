/** Work that yields at every point where it may pause. It uses neither a clock nor an event loop, so it can run in turns or at once. */
export type Steps<T> = Generator<undefined, T>;

/** Does all of the work now, without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

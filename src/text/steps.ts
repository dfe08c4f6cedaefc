/** Work that yields at every point where it may pause. It knows no clock and no event loop, so it runs anywhere, in turns or at once. */
export type Steps<T> = Generator<undefined, T>;

/** Does all of the work now. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

// Prints one JSON line per figure. `ratio` compares the service with the reference of the same run: above 1, the service is better.

export function report(figure, values) {
  console.log(JSON.stringify({ figure, ...values }));
}

export function median(numbers) {
  return quantile(numbers, 0.5);
}

/** Nearest-rank quantile of unsorted numbers. */
export function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

export function round(number, digits = 2) {
  return Number(number.toFixed(digits));
}

/** Returns the milliseconds that `work` takes, and its result. */
export async function timed(work) {
  const startedAt = performance.now();
  const result = await work();
  return { ms: performance.now() - startedAt, result };
}

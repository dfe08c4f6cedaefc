/** Waits for the work at most so long. Null if it goes on, in which case nobody needs to handle its failure. */
export async function within<T>(waitMs: number, work: Promise<T>): Promise<T | null> {
  work.catch(() => undefined);
  if (waitMs === 0) return null;
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<null>(resolve => {
    timer = setTimeout(() => resolve(null), waitMs);
  });
  try {
    return await Promise.race([work, patience]);
  } finally {
    clearTimeout(timer);
  }
}

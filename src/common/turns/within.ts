/** Waits at most `waitMs` for the work. Null if the work goes on longer; nobody then needs to handle its failure. */
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

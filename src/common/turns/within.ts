/** Waits at most `waitMs` for the work. Returns null if the work takes longer; its later failure is then ignored. */
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

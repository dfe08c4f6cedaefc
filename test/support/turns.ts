/**
 * Counts the turns of the event loop that others get while work goes on. The clock of the process goes on by a millisecond with each
 * reading, so that the work takes long on a fast machine too.
 * @param work gets a function that returns the turns so far
 */
export async function turnsOfOthers(work: (turnsSoFar: () => number) => Promise<unknown>): Promise<number> {
  let [turns, isOver, now] = [0, false, performance.now()];
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now++);
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work(() => turns);
  } finally {
    isOver = true;
    clock.mockRestore();
  }
  return turns;
}

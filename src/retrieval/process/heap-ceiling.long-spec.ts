import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

/** Runs queries at the same time in a thread of their own. Returns the first row of each, or the code of its error. */
async function answersOf(queries: string[], maxOldGenerationSizeMb: number): Promise<string[]> {
  const program = path.resolve(__dirname, '../../../test/support/queries-in-a-thread.mjs');
  const worker = new Worker(program, { workerData: { queries }, resourceLimits: { maxOldGenerationSizeMb } });
  const [answers] = (await once(worker, 'message')) as [string[]];
  return answers;
}

it('ends the queries that hold the most of a thread, which lives on and answers the others', async () => {
  const holding = (rows: number) =>
    `UNWIND range(1, ${rows}) AS i WITH collect([i, i + 1]) AS l UNWIND range(1, 100000) AS j RETURN sum(size(l)) AS n`;
  const small = ['UNWIND range(1, 100000) AS i RETURN count(i) AS n', holding(1_000)];
  // Each of these queries is within its own limit, but all together need more than the heap. The remaining 15 % of the heap suffice until
  // the query that must end notices it.
  const large = Array.from({ length: 10 }, (_, at) => holding(500_000 - 10_000 * at));
  const answers = await answersOf([...small, ...large], 400);
  expect(answers.slice(0, 2)).toEqual(['100000', '100000000']);
  expect(new Set(answers.slice(2))).toContain('query_too_much_work');
  expect(answers.slice(2).filter(answer => answer !== 'query_too_much_work').length).toBeGreaterThan(0);
});

it('ends a query whose rows take more than it may hold', async () => {
  const rows = (items: number) => `UNWIND range(1, 40) AS i WITH [x IN range(1, ${items}) | {}] AS l RETURN l, size(l) AS n ORDER BY n`;
  expect(await answersOf([rows(15_000)], 1_000)).toEqual(['query_too_much_work']);
  expect(await answersOf(['UNWIND range(1, 40) AS i RETURN [x IN range(1, 15000) | {}] AS l'], 1_000)).toEqual(['query_too_much_work']);
});

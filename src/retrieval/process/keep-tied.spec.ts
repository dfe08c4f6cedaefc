import { type AnswerRow } from '../../cypher/executors/memory/run-in-memory.js';
import { keepTied } from './keep-tied.js';

const rows = [9n, 7n, 7n, 7n, 3n].map((count, i): AnswerRow => ({ values: [`name ${i}`, count], behind: null }));

describe('keepTied', () => {
  it.each([
    [1, 1],
    [2, 4],
    [4, 4],
    [5, 5],
    [6, 5],
    [undefined, 5],
  ])('takes the first %s and keeps %s rows', (top, kept) => {
    expect(keepTied(rows, top)).toEqual(rows.slice(0, kept));
  });
});

import { type Principal } from '../../access/principal.js';
import { TurnTooLongError } from '../../common/errors/common-errors.js';
import { mostPossible, type PossibleReader, TableReaders } from './table-readers.js';

const reader = (id: number, reads: () => Promise<boolean>): PossibleReader => ({ id, isVisible: true, reads });
const none = () => Promise.resolve(false);

function contextOf(...found: PossibleReader[]): Promise<unknown> {
  const readers = new TableReaders();
  readers.register('jobs', () => Promise.resolve(found));
  return readers.requireNone({ userId: 1 } as Principal, 't').then(
    () => null,
    (error: { context?: unknown }) => error.context,
  );
}

describe('TableReaders', () => {
  const nobody = { table: 't', jobs: [], metrics: [], mirror_copies: [], others: 0 };

  it('lets a table go that no record reads, and names the readers of another', async () => {
    expect(await contextOf(reader(1, none))).toBeNull();
    expect(
      await contextOf(
        reader(1, none),
        reader(2, () => Promise.resolve(true)),
      ),
    ).toEqual({ ...nobody, jobs: [2], unchecked: 0 });
  });

  it('tells of records beyond those that it looks through (risk: a table in use is dropped)', async () => {
    const many = Array.from({ length: mostPossible + 1 }, (_, id) => reader(id, none));
    expect(await contextOf(...many)).toEqual({ ...nobody, unchecked: 1 });
  });

  it('counts a record that takes too long, instead of failing', async () => {
    const slow = reader(1, () => Promise.reject(new TurnTooLongError()));
    expect(await contextOf(slow, reader(2, none))).toEqual({ ...nobody, unchecked: 1 });
  });
});

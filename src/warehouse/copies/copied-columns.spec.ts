import { type TableColumn } from '../clients/warehouse.client.js';
import { copiedColumns } from './copied-columns.js';

const column = (name: string, type: string, nativeType = type) => ({ name, type, nativeType, nullable: true, comment: null });
const among = (...columns: TableColumn[]) => copiedColumns({ columns, keys: [], foreignKeys: [] });

describe('The columns that a copy leaves out', () => {
  it('are named with their types', () => {
    const { kept, leftOut, leftOutCount } = among(column('id', 'integer'), column('place', 'other', 'point'));
    expect(kept.map(({ name }) => name)).toEqual(['id']);
    expect([leftOut, leftOutCount]).toEqual([
      [{ column: 'place', native_type: 'point', reason: expect.stringContaining('counterpart') }],
      1,
    ]);
  });

  it('say that the user of the connection has no right to read them', () => {
    const { kept, leftOut } = among(column('id', 'integer'), { ...column('salary', 'other', 'numeric'), denied: true as const });
    expect(kept.map(({ name }) => name)).toEqual(['id']);
    expect(leftOut).toEqual([{ column: 'salary', native_type: 'numeric', reason: expect.stringContaining('may not read') }]);
  });

  it('are named up to 50, in short, and counted beyond (risk: reports of megabytes each second)', () => {
    const many = Array.from({ length: 4_000 }, (_, n) => column(`c${n}${'长'.repeat(5_000)}`, 'other', 'x'.repeat(5_000)));
    const { leftOut, leftOutCount } = among(column('id', 'integer'), ...many);
    expect([leftOut.length, leftOutCount]).toEqual([50, 4_000]);
    expect(JSON.stringify(leftOut).length).toBeLessThan(20_000);
  });
});

import { type UsableConnection } from '../../warehouse/warehouse.service.js';
import { turnsOfOthers } from '../../../test/support/turns.js';
import { BindableTables } from './bindable-tables.js';

it('lets others go on while it reads the names of 10,000 tables that are alike', async () => {
  const names = Array.from({ length: 10_000 }, (_, n) => `thing${'_'.repeat(1 + (n % 40))}row`);
  const connection = {
    client: { place: (name: string) => ({ schema: 's', table: name }) },
    catalog: { listNames: () => Promise.resolve(names), describe: () => Promise.resolve(null), find: () => Promise.resolve(null) },
  } as unknown as UsableConnection;
  const column = { name: 'other_id', type: 'integer', nativeType: 'int4', nullable: false, comment: null };
  const table = { name: 't', bareName: 't', comment: null, columns: [column], keys: [], foreignKeys: [] };
  const turns = await turnsOfOthers(async () => expect(await new BindableTables(connection).referablesFor(table, column)).toEqual([]));
  expect(turns).toBeGreaterThan(5);
});

import { type WarehouseService } from '../warehouse/warehouse.service.js';
import { readMapping } from './mapping/parse-mapping.js';
import { SourcesService } from './sources.service.js';
import { atOnce } from '../text/steps.js';

it('a mapping cannot read a connection whose tables are not in the service’s own database', async () => {
  const yaml = 'version: 1\nsource: {connection: far}\nnodes: [{id: a, label: A, table: t, key: [a], columns: [{column: a}]}]';
  const warehouse = { open: () => Promise.resolve({ id: 2, name: 'far', client: { schema: 'public', local: null } }) };
  const sources = new SourcesService(warehouse as unknown as WarehouseService);
  expect(await sources.describe(atOnce(readMapping(yaml)).mapping, { userId: 1 })).toEqual({
    problems: [expect.objectContaining({ type: 'not_built_yet', path: ['source', 'connection'] })],
  });
});

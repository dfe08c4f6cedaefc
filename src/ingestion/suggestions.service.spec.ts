import { type Principal } from '../access/principal.js';
import { type WarehouseService } from '../warehouse/warehouse.service.js';
import { type SourcesService } from './sources.service.js';
import { SuggestionsService } from './suggestions.service.js';

const admin = { userId: 1 } as Principal;

/** A connection with a table of one key column for each name. */
function aConnection(names: string[]): WarehouseService {
  const column = { name: 'id', type: 'integer', nativeType: 'integer', comment: null, nullable: false };
  const client = { dialect: 'postgres', nameProblem: () => null, place: (table: string) => ({ schema: 'public', table }) };
  const catalog = {
    listNames: () => Promise.resolve(names),
    list: () => Promise.resolve([]),
    describe: () => Promise.resolve({ columns: [column], keys: [{ primary: true, columns: ['id'] }], foreignKeys: [] }),
  };
  return { open: () => Promise.resolve({ id: 1, name: 'shop', client, catalog, claim: { caller: 1 } }) } as unknown as WarehouseService;
}

describe('a draft of tables that change meanwhile', () => {
  const gone = { zh: '没有表', en: 'there is no such table' };

  it('leaves out the tables that are gone, with the reason', async () => {
    const describeSource = jest
      .fn()
      .mockResolvedValueOnce({ problems: [{ type: 'unknown_table', path: ['nodes', 1, 'table'], text: gone }] })
      .mockResolvedValueOnce({ source: {} });
    const service = new SuggestionsService(aConnection(['a', 'b', 'c']), { describe: describeSource } as unknown as SourcesService);
    const { yaml, leftOut, leftOutCount, isCheckedWithSource } = await service.suggest(admin, {});
    expect(yaml.match(/table: .*/g)).toEqual(['table: a', 'table: c']);
    expect({ leftOut, leftOutCount, isCheckedWithSource }).toEqual({
      leftOut: [{ table: 'b', columns: [], reason: gone }],
      leftOutCount: 1,
      isCheckedWithSource: true,
    });
  });

  it('is refused with their reasons when none is left', async () => {
    const problems = [{ type: 'unknown_table', path: ['nodes', 0, 'table'], text: gone }];
    const sources = { describe: () => Promise.resolve({ problems }) } as unknown as SourcesService;
    await expect(new SuggestionsService(aConnection(['a']), sources).suggest(admin, {})).rejects.toMatchObject({
      status: 422,
      code: 'nothing_to_map',
    });
  });
});

import { addGraphs, withLeftOut } from '../../../test/support/undone-migration.js';
import { FindStubs1700000000018 } from './0018-find-stubs.js';

it('adds the index that a new graph has to each graph with tables, also after later migrations, and can be undone', () =>
  withLeftOut(FindStubs1700000000018, async ({ client, run, undo }) => {
    const stubIndexes = async (): Promise<unknown> =>
      (
        await client.query(
          `SELECT tablename AS table, replace(indexdef, tablename, 'n') AS definition FROM pg_indexes WHERE indexname LIKE '%stubs' ORDER BY 1`,
        )
      ).rows;
    await addGraphs(client);
    const made = await stubIndexes();
    expect(made).toHaveLength(2);
    await client.query('DROP INDEX graph_data.nodes_1_stubs');

    expect(await run()).toEqual(['FindStubs1700000000018']);
    expect(await stubIndexes()).toEqual(made);
    await undo();
    expect(await stubIndexes()).toEqual([]);
  }));

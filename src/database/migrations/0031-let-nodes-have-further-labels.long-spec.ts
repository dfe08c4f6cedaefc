import { addGraphs, withLeftOut } from '../../../test/support/undone-migration.js';
import { LetNodesHaveFurtherLabels1700000000031 } from './0031-let-nodes-have-further-labels.js';

it('adds the labels that new graphs have to each graph with tables, empty for the nodes that are there, and can be undone', () =>
  withLeftOut(LetNodesHaveFurtherLabels1700000000031, async ({ client, run, undo }) => {
    const columns = async (): Promise<unknown> =>
      (
        await client.query(
          `SELECT table_name AS table, data_type AS type, is_nullable, column_default FROM information_schema.columns
           WHERE column_name = 'labels' ORDER BY table_schema, table_name`,
        )
      ).rows;
    await addGraphs(client);
    await client.query('ALTER TABLE graph_data.nodes_1 DROP COLUMN labels');
    await client.query(`INSERT INTO graph_data.nodes_1 (label, key, display, run_id) VALUES ('N', '1', '', 1)`);

    expect(await run()).toEqual(['LetNodesHaveFurtherLabels1700000000031']);
    const list = { type: 'ARRAY', is_nullable: 'NO', column_default: "'{}'::text[]" };
    expect(await columns()).toEqual([
      { table: 'nodes_1', ...list },
      { table: 'nodes_2', ...list },
      { table: 'graph_elements', type: 'jsonb', is_nullable: 'NO', column_default: "'[]'::jsonb" },
    ]);
    expect((await client.query('SELECT labels FROM graph_data.nodes_1')).rows).toEqual([{ labels: [] }]);
    await undo();
    expect(await columns()).toEqual([]);
  }));

import { Logger } from '@nestjs/common';
import { addGraphs, withUndone } from '../../../test/support/undone-migration.js';
import { WriteEqualKeysAlike1700000000044 } from './0044-write-equal-keys-alike.js';

const graph = `
  INSERT INTO graph_elements (graph_id, kind, name, source_label, target_label, job_id, connection_id, connection, source_table, key_columns,
      key_properties, properties)
    SELECT 1, kind, name, f, t, job, 1, 'c', 't', '{}', key, (SELECT jsonb_agg(jsonb_build_object('name', p, 'type', y)) FROM unnest(key, types) AS u (p, y))
    FROM (VALUES
      ('node', 'Whole', '', '', 1, ARRAY['id'], ARRAY['int']), ('node', 'Whole', '', '', 2, ARRAY['no'], ARRAY['bigint']),
      ('node', 'Pair', '', '', 1, ARRAY['a', 'b'], ARRAY['decimal(6,2)', 'string']),
      ('node', 'Day', '', '', 1, ARRAY['d'], ARRAY['date']),
      ('node', 'Mixed', '', '', 1, ARRAY['id'], ARRAY['int']), ('node', 'Mixed', '', '', 2, ARRAY['id'], ARRAY['string']),
      ('edge', 'HAS', 'Whole', 'Pair', 1, ARRAY['n'], ARRAY['decimal']), ('edge', 'BARE', 'Whole', 'Pair', 1, ARRAY[''], ARRAY['x'])
    ) AS e (kind, name, f, t, job, key, types);
  UPDATE graph_elements SET properties = '[]' WHERE name = 'BARE';
  INSERT INTO graph_data.nodes_1 (id, label, key, display, run_id) VALUES
    (1, 'Whole', '007', '007', 1), (2, 'Whole', '8', 'Eight', 1), (3, 'Whole', '8.0', 'Eight', 1), (4, 'Whole', '09', 'Nine', 1), (5, 'Whole', '9.0', 'Nine', 1),
    (6, 'Pair', '["1.50", "0\\"1"]', '["1.50", "0\\"1"]', 1), (7, 'Day', '2024-1-5', 'x', 1), (8, 'Mixed', '007', '007', 1), (9, 'Pair', 'abc', '', 1), (10, 'Pair', '["07"]', '', 1), (11, 'Whole', E'\\u20037', '', 1);
  INSERT INTO graph_data.edges_1 (id, type, source_id, target_id, key, run_id) VALUES
    (1, 'HAS', 1, 6, '7.0', 1), (2, 'HAS', 2, 6, '7.0', 1), (3, 'HAS', 2, 6, '7', 1), (4, 'BARE', 1, 6, '7.0', 1);
  INSERT INTO graph_changes (graph_id, version, follows, nodes, edges, edge_sources) SELECT id, 1, now(), '{}', '{}', '{}' FROM graphs WHERE id < 3`;

it('gives equal numbers and dates in keys one text, and a graph whose keys change a new version', () =>
  withUndone(WriteEqualKeysAlike1700000000044, async ({ client, run }) => {
    await addGraphs(client);
    await client.query(graph);
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    expect(await run()).toEqual(['WriteEqualKeysAlike1700000000044']);
    expect(warned.mock.calls.map(([text]) => text)).toEqual([
      expect.stringMatching(/^Graph 1: 2 nodes of Whole repeat another/),
      expect.stringMatching(/^Graph 1: 1 edges of HAS repeat another/),
    ]);
    const nodes = await client.query('SELECT key, display FROM graph_data.nodes_1 ORDER BY id');
    expect(nodes.rows.map(({ key, display }) => [key, display])).toEqual([
      ['7', '7'],
      ['8', 'Eight'],
      ['8.0', 'Eight'],
      ['9', 'Nine'],
      ['9.0', 'Nine'],
      ['["1.5", "0\\"1"]', '["1.5", "0\\"1"]'],
      ['2024-1-5', 'x'],
      ['007', '007'],
      ['abc', ''],
      ['["07"]', ''],
      ['\u20037', ''],
    ]);
    const reread = await client.query('SELECT DISTINCT name FROM graph_elements WHERE reread ORDER BY name');
    expect(reread.rows.map(({ name }) => name)).toEqual(['BARE', 'Day', 'HAS', 'Mixed', 'Whole']);
    const edges = await client.query('SELECT key FROM graph_data.edges_1 ORDER BY id');
    expect(edges.rows.map(({ key }) => key)).toEqual(['7', '7.0', '7', '7.0']);
    const { rows } = await client.query(
      `SELECT version, (SELECT count(*)::int FROM graph_changes c WHERE c.graph_id = g.id) AS changes FROM graphs g ORDER BY id`,
    );
    expect(rows.map(({ version, changes }) => [version, changes])).toEqual([
      [1, 0],
      [0, 1],
      [0, 0],
    ]);
  }));

import { withUndone } from '../../../test/support/undone-migration.js';
import { KeepGraphsInStep1700000000015 } from './0015-keep-graphs-in-step.js';

it('gives the elements of several jobs to all of them, leaves others without owners, counts each element once, and can be undone', () =>
  withUndone(KeepGraphsInStep1700000000015, async ({ client, run, undo }) => {
    const rows = async (sql: string): Promise<unknown[]> => (await client.query({ text: sql, rowMode: 'array' })).rows as unknown[];
    await client.query(`
      INSERT INTO users (username, password_hash) VALUES ('u', '');
      INSERT INTO graphs (name, owner_id) SELECT 'g', id FROM users;
      INSERT INTO warehouse_connections (name, type) VALUES ('m', 'pg_mirror');
      INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml) VALUES (1, 1, 'a', ''), (1, 1, 'b', '');
      CREATE TABLE graph_data.nodes_1 (id bigint, label text, key text, display text, properties jsonb, run_id int);
      CREATE TABLE graph_data.edges_1 (id bigint, type text, source_id bigint, target_id bigint, key text, properties jsonb, run_id int);
      INSERT INTO graph_data.nodes_1 (id, label) VALUES (1, 'shared'), (2, 'single');
      INSERT INTO graph_data.edges_1 (type, source_id, target_id) VALUES ('T', 1, 1), ('T', 1, 2);
      INSERT INTO graph_elements (graph_id, kind, name, source_label, target_label, job_id, connection_id, connection, source_table, key_columns, row_count)
      VALUES (1, 'node', 'shared', '', '', 1, 1, 'm', 't', '{}', 3), (1, 'node', 'shared', '', '', 2, 1, 'm', 't', '{}', 4),
             (1, 'node', 'single', '', '', 2, 1, 'm', 't', '{}', 5),
             (1, 'edge', 'T', 'shared', 'shared', 1, 1, 'm', 't', '{}', 1), (1, 'edge', 'T', 'shared', 'shared', 2, 1, 'm', 't', '{}', 0),
             (1, 'edge', 'T', 'shared', 'single', 2, 1, 'm', 't', '{}', 1)`);
    await run();
    expect(await rows('SELECT label, owners FROM graph_data.nodes_1 ORDER BY id')).toEqual([
      ['shared', [1, 2]],
      ['single', null],
    ]);
    expect(await rows('SELECT target_id::int, owners FROM graph_data.edges_1 ORDER BY target_id')).toEqual([
      [1, [1, 2]],
      [2, null],
    ]);
    expect(
      await rows(`SELECT name, job_id, owns_rest, row_count::int FROM graph_elements WHERE kind = 'node' ORDER BY name, job_id`),
    ).toEqual([
      ['shared', 1, true, 7],
      ['shared', 2, false, 0],
      ['single', 2, true, 5],
    ]);
    expect(await rows('SELECT revision, saved_at = created_at FROM ingestion_jobs ORDER BY id')).toEqual([
      [1, true],
      [1, true],
    ]);
    await undo();
    await run();
  }));

// Loads a CSV file into the mirror with inferred types, against a bare COPY FROM STDIN of the same bytes into the same table.
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { sampleTables, toCsv } from '../examples/demo/sample-data.mjs';
import { median, report, round, timed } from './figures.mjs';

const trials = 3;

export async function benchCsv(folder, api, database, scale) {
  const table = sampleTables(scale).find(({ name }) => name === 'demo_order_lines');
  const file = `${folder}/order_lines.csv`;
  await pipeline(Readable.from(toCsv(table)), createWriteStream(file));
  const { size } = await stat(file);
  const client = new pg.Client(database);
  await client.connect();
  const ours = [];
  const bare = [];
  let rows = 0;
  for (let trial = 0; trial < trials; trial++) {
    const upload = await timed(() =>
      api.send('PUT', '/api/warehouse/connections/1/tables/bench_lines', createReadStream(file, { highWaterMark: 1 << 20 })),
    );
    ours.push(upload.ms);
    rows = upload.result.rows;
    await client.query('DROP TABLE IF EXISTS mirror.bench_bare; CREATE TABLE mirror.bench_bare (LIKE mirror.bench_lines)');
    const copy = await timed(async () => {
      await client.query('BEGIN');
      await pipeline(
        createReadStream(file, { highWaterMark: 1 << 20 }),
        client.query(copyFrom('COPY mirror.bench_bare FROM STDIN (FORMAT csv, HEADER true)')),
      );
      await client.query('COMMIT');
    });
    bare.push(copy.ms);
  }
  await client.query('DROP TABLE mirror.bench_bare');
  await client.end();
  const perSecond = ms => round(size / 1e6 / (ms / 1000), 1);
  report('csv into the mirror', {
    unit: 'MB/s',
    value: perSecond(median(ours)),
    reference: 'bare COPY FROM STDIN',
    reference_value: perSecond(median(bare)),
    ratio: round(median(bare) / median(ours)),
    aim: 'ratio >= 0.7',
    megabytes: round(size / 1e6, 1),
    rows,
  });
}

// Ladybug in process, on the same tables. `npm ci --prefix bench/reference --ignore-scripts` installs it.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { report, round, timed } from './figures.mjs';

/**
 * Loads tables of CSV into a database in memory. Null where Ladybug is not installed.
 * @param tables the table of CSV for each node table or relationship table of `schema`, in order of loading
 * @param schema statements that create them
 */
export async function openLadybug(folder, tables, schema) {
  let lbug;
  try {
    lbug = createRequire(new URL('./reference/package.json', import.meta.url))('ladybug');
  } catch {
    console.error('ladybug: skipped; npm ci --prefix bench/reference --ignore-scripts installs it');
    return null;
  }
  const directory = await mkdtemp(path.join(folder, 'ladybug-'));
  const connection = new lbug.Connection(new lbug.Database(':memory:'));
  for (const statement of schema) await connection.query(statement);
  for (const [name, csv] of Object.entries(tables)) {
    const file = path.join(directory, `${name}.csv`);
    await writeFile(file, csv);
    const { ms } = await timed(() => connection.query(`COPY ${name} FROM '${file}' (HEADER true)`));
    if (ms > 500) report('ladybug loads', { unit: 'ms', table: name, ms: round(ms) });
  }
  return {
    /** @returns a function that runs the statement with parameters and returns rows of values */
    async prepare(cypher) {
      const prepared = await connection.prepare(cypher);
      return async parameters => (await (await connection.execute(prepared, parameters)).getAll()).map(Object.values);
    },
    close: () => connection.close(),
  };
}

import { type TestApp, startTestApp } from './support/app.js';
import { hasMariaDb, MariaDb } from './support/mariadb.js';
import { rentalCounts, rentalStatements } from './support/rental-tables.js';
import { runDraft, suggest } from './support/suggestions.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

(hasMariaDb() ? it : it.skip)('tables of a film rental become the same graph in MariaDB', async () => {
  const maria = await MariaDb.start();
  try {
    for (const statement of rentalStatements({ keys: true })) await maria.run(statement);
    const { status } = await test.admin.post('/api/warehouse/connections').send({ name: 'maria', type: 'mysql', dsn: maria.dsn() });
    expect(status).toBe(201);
    const declared = await runDraft(test, await suggest(test, { connection: 'maria' }));
    expect({ nodes: declared.nodes, edges: declared.edges }).toEqual(rentalCounts());
    await maria.run('CREATE TABLE parts (id int, code varchar(9)); ');
    await maria.run("INSERT INTO parts VALUES (1, 'a'), (2, 'A')");
    const { nodes } = await runDraft(test, await suggest(test, { connection: 'maria', tables: ['parts'] }));
    expect(nodes).toEqual({ parts: 2 });
  } finally {
    await maria.remove();
  }
});

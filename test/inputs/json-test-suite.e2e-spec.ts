import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startTestApp, type TestApp } from '../support/app.js';
import { asPerson, probe } from '../support/probe.js';
import { describeWithShared, sharedFolder } from '../support/shared-data.js';

const folder = 'suites/JSONTestSuite/test_parsing';

describeWithShared('the files of JSONTestSuite', folder, () => {
  const directory = path.join(sharedFolder, folder);
  const files = readdirSync(directory).sort();
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it.each(['/api/auth/login', '/api/ingestion/jobs', '/api/warehouse/connections'])('are refused by POST %s, and never as a fault', async route => {
    expect(files).toHaveLength(318);
    const wrong: string[] = [];
    for (const file of files) {
      const body = readFileSync(path.join(directory, file));
      const headers = { ...asPerson(test.admin.token), 'content-type': 'application/json' };
      const { status, problems } = await probe(test, { method: 'POST', path: route, headers, body });
      wrong.push(...problems.map(problem => `${file}: ${problem}`));
      // An empty file is no JSON; it goes through as a body that was not sent, and then lacks its fields.
      const expected = file.startsWith('n_') ? [400] : [400, 422];
      if (!expected.includes(status)) wrong.push(`${file}: ${status}`);
    }
    expect(wrong).toEqual([]);
  }); // prettier-ignore

  it('that are objects are read: what is missing is a field', async () => {
    const objects = files.filter(file => file.startsWith('y_object') && !file.includes('escaped_null'));
    expect(objects.length).toBeGreaterThan(8);
    for (const file of objects) {
      const body = readFileSync(path.join(directory, file));
      const answer = await probe(test, { method: 'POST', path: '/auth/login', headers: { 'content-type': 'application/json' }, body });
      expect([file, answer.status, (JSON.parse(answer.body) as { code: string }).code]).toEqual([file, 400, 'missing_field']);
    }
  });
});

import { openApiDocumentOf } from '../../src/openapi/openapi.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { asPerson, probe } from '../support/probe.js';
import { createFixture, type Fixture } from './fixture.js';
import { type Operation, readOperations } from './operations.js';

const json = 'application/json';

/** Routes whose fields are all optional, though a rule may ask for one of several. On all other routes a field is missing. */
const allOptional: Record<string, string> = {
  Connections_change: '200',
  Graphs_update: '200',
  JobWebhooks_change: '200',
  Metrics_execute: '200',
  Metrics_update: '200',
  Permissions_grant: '400 one_user_expected',
  Queries_query: '400 one_query_kind',
  Suggestions_suggest: '200',
  Users_change: '200',
};
const emptyObject = ({ id }: Operation) => allOptional[id] ?? '400 missing_field';

const sent: [what: string, headers: Record<string, string>, body: string | undefined, answer: string | ((operation: Operation) => string)][] = [
  ['no body', {}, undefined, '400 malformed_json'],
  ['no body, but its type', { 'content-type': json }, undefined, emptyObject],
  ['an empty body', { 'content-type': json }, '', emptyObject],
  ['an empty object', { 'content-type': json }, '{}', emptyObject],
  ['a text', { 'content-type': 'text/plain' }, '{}', '415 unsupported_media_type'],
  ['a body without a type', {}, '{}', '415 unsupported_media_type'],
  ['an empty text', { 'content-type': 'text/plain' }, '', '400 malformed_json'],
  ['a list', { 'content-type': json }, '[]', '400 malformed_json'],
  ['null', { 'content-type': json }, 'null', '400 malformed_json'],
  ['a string', { 'content-type': json }, '"x"', '400 malformed_json'],
  ['half an object', { 'content-type': json }, '{"a":', '400 malformed_json'],
]; // prettier-ignore

describe('every route with a body', () => {
  let test: TestApp;
  let fixture: Fixture;
  let operations: Operation[];
  beforeAll(async () => {
    test = await startTestApp();
    fixture = await createFixture(test);
    operations = readOperations(openApiDocumentOf(test.app)).filter(({ body, contentType }) => body && contentType === json);
  }, 60_000);
  afterAll(() => test.close());

  it.each(sent)('answers %s as listed', async (_what, headers, body, expected) => {
    expect(operations.length).toBeGreaterThan(18);
    const answers: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    for (const operation of operations) {
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => fixture.idFor(operation, name));
      const { method } = operation;
      const credentials = asPerson(await fixture.tokenOf('admin'));
      const answer = await probe(test, { method, path, headers: { ...credentials, ...headers }, ...(body === undefined ? {} : { body }) });
      const { code } = JSON.parse(answer.body) as { code?: string };
      answers[operation.id] = [answer.status, code ?? '', ...answer.problems].join(' ').trim();
      wanted[operation.id] = typeof expected === 'string' ? expected : expected(operation);
    }
    expect(answers).toEqual(wanted);
  });
});

import fc from 'fast-check';
import { openApiDocumentOf } from '../../src/openapi/openapi.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { asPerson, probe } from '../support/probe.js';
import { createFixture, type Fixture } from './fixture.js';
import { type Operation, readOperations } from './operations.js';
import { type DrawnRequest, requestTo } from './request-arbitrary.js';

const long = process.env.LONG_TESTS === '1';
const rounds = long ? 1_500 : 400;
const requestsAtOnce = 6;
/** `FUZZ_ONLY=Queries npm run test:long -- fuzz` tests only the operations with that name. */
const only = new RegExp(process.env.FUZZ_ONLY ?? '');

describe('any request to any operation of the document', () => {
  let test: TestApp;
  let fixture: Fixture;
  let operations: Operation[];
  /** Records that requests of the fuzzer have made, by collection. Requests may change and delete them. */
  const made = new Map<string, string[]>();
  const statuses: Record<string, number> = {};
  /** Operations of which every request was refused. */
  const refusedOnly = new Set<string>();
  let sent = 0;

  beforeAll(async () => {
    test = await startTestApp();
    fixture = await createFixture(test);
    await test.admin.put('/api/warehouse/connections/1/tables/made').type('text/csv').send('a\n1\n').expect(201);
    operations = readOperations(openApiDocumentOf(test.app)).filter(({ id }) => only.test(id));
    for (const { id } of operations) refusedOnly.add(id);
  }, 60_000);
  afterAll(() => test.close());

  /** Keeps requests from deleting the fixture: a graph that is gone leaves nothing to test. */
  function idOf(operation: Operation, name: string): string {
    const harmful = operation.method === 'DELETE' || /^Metrics_(update|bind)$/.test(operation.id);
    if (harmful && name === 'table') return 'made';
    const isOthers = harmful && /^(Graphs|Metrics|ApiKeys|Users|Connections)_/.test(operation.id);
    return isOthers ? (made.get(collectionOf(operation.path))?.at(-1) ?? '999999') : fixture.idFor(operation, name);
  }

  async function send(drawn: DrawnRequest): Promise<string[]> {
    const { operation, prefix, path, query, headers, body } = drawn;
    const { method } = operation;
    // A logout ends the tokens of requests under way, so another person sends it.
    const person = operation.id === 'Auth_logout' ? 'bystander' : drawn.person;
    const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const asked = path[name] ?? idOf(operation, name);
      // The first user is the admin who sends the requests, and must stay one.
      return asked === '1' && operation.path.startsWith('/api/users') ? fixture.idFor(operation, name) : asked;
    });
    const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&');
    const target = `${prefix}${filled.slice('/api'.length)}${search === '' ? '' : `?${search}`}`;
    const answer = await probe(test, {
      method,
      path: target,
      headers: { ...asPerson(await fixture.tokenOf(person)), ...headers },
      ...(body === undefined ? {} : { body: withRealGraph(body) }),
    });
    sent++;
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status < 400) refusedOnly.delete(operation.id);
    if (answer.status === 401) fixture.forgetToken(person);
    if (answer.status === 201) remember(operation.path, answer.body);
    return answer.problems.map(problem => `${person} ${target} ${JSON.stringify(headers)} ${body ?? ''}\n  ${problem}`);
  }

  /** The examples of the document name graph 1. */
  function withRealGraph(body: string): string {
    return body.replace(/"graph_id":1\b/, `"graph_id":${fixture.graphId}`);
  }

  function remember(path: string, body: string): void {
    const { id } = JSON.parse(body) as { id?: number };
    if (id !== undefined) made.set(path, [...(made.get(path) ?? []).slice(-20), String(id)]);
  }

  it(
    'ends in a documented answer with X-Request-ID, never in a fault',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(requestTo(operations), { minLength: requestsAtOnce, maxLength: requestsAtOnce }), async drawn => {
          const problems = await Promise.all(drawn.map(send));
          if (problems.flat().length > 0) throw new Error(problems.flat().join('\n'));
        }),
        { numRuns: rounds, ...(long ? {} : { seed: 20_261_120 }), endOnFailure: true, reporter: report },
      );
      if (long || process.env.FUZZ_ONLY !== undefined)
        process.stdout.write(`fuzzer: ${sent} requests, ${JSON.stringify(statuses)}, never through: ${[...refusedOnly].join(', ')}\n`);
      // If the fixture were gone or the people locked out, nearly all answers would be refusals.
      if (only.source === '(?:)') expect(statuses['200']! + statuses['201']!).toBeGreaterThan(sent / 10);
      await test.anonymous.get('/health').expect(200);
    },
    long ? 3_600_000 : 120_000,
  );
});

/** fast-check's own report shows each request with its schemas. */
function report<T>({ failed, seed, errorInstance }: fc.RunDetails<T>): void {
  if (failed) throw new Error(`seed ${seed}: ${errorInstance instanceof Error ? errorInstance.message : String(errorInstance)}`);
}

/** `/api/metrics/{id}/binding` → `/api/metrics` */
function collectionOf(path: string): string {
  return path.split('/{')[0]!;
}

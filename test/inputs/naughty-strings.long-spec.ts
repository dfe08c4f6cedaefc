import { openApiDocumentOf } from '../../src/openapi/openapi.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { asPerson, probe, type ProbeAnswer, type ProbeRequest } from '../support/probe.js';
import { inParallel } from '../support/seeded.js';
import { describeWithShared } from '../support/shared-data.js';
import { createFixture, type Fixture } from './fixture.js';
import { naughtyStrings } from './naughty-strings.js';
import { exampleOf, type Operation, readOperations, textPlaces } from './operations.js';

/** A place in a request into which a text can be put. */
interface Slot {
  label: string;
  request(text: string): ProbeRequest | null;
}

/** Headers that the service reads, each on a route that reads it. */
const readHeaders: [operation: string, header: string][] = [
  ['Auth_me', 'authorization'],
  ['Auth_me', 'x-api-key'],
  ['Auth_me', 'x-request-id'],
  ['Auth_me', 'x-forwarded-for'],
  ['Auth_me', 'origin'],
  ['Auth_me', 'cookie'],
  ['Auth_me', 'user-agent'],
  ['Auth_login', 'content-type'],
  ['Auth_login', 'content-encoding'],
  ['Jobs_run', 'prefer'],
  ['Queries_query', 'prefer'],
  ['Runs_rejected', 'accept'],
  ['Tables_upload', 'content-type'],
  ['Tables_upload', 'content-encoding'],
];

/** The body into which a text is put at `field`. Fields that may not be sent together with `field` are left out. */
function baseBody({ id, body }: Operation, field: string, fixture: Fixture): unknown {
  if (id === 'Queries_query') {
    if (/^(question|search|cypher)/.test(field)) return {};
    if (field.startsWith('context')) return { question: '华为供应哪些产品' };
    return field.startsWith('parameters') ? { cypher: 'MATCH (n) WHERE n.公司名称 = $a RETURN n LIMIT 1' } : { search: '华为' };
  }
  if (id === 'Permissions_grant') return { role: 'viewer', ...(field === 'username' ? {} : { user_id: 1 }) };
  return fixture.withRealIds(exampleOf(body!));
}

describeWithShared('naughty strings', 'suites/blns/blns.json', () => {
  const strings = naughtyStrings();
  let test: TestApp;
  let fixture: Fixture;
  let slots: Slot[];
  beforeAll(async () => {
    test = await startTestApp();
    fixture = await createFixture(test);
    slots = readOperations(openApiDocumentOf(test.app)).flatMap(slotsOf);
  });
  afterAll(() => test.close());

  function slotsOf(operation: Operation): Slot[] {
    const { method, parameters, contentType, id } = operation;
    const path = (other: Record<string, string> = {}) =>
      operation.path.replace(/\{(\w+)\}/g, (_, name: string) => other[name] ?? fixture.idFor(operation, name));
    const body = (put = (whole: unknown) => whole, field = '') => {
      if (contentType !== 'application/json') return 'a,b\n1,x\n';
      return operation.body ? JSON.stringify(put(baseBody(operation, field, fixture))) : undefined;
    };
    const headers: Record<string, string> = operation.body ? { 'content-type': contentType } : {};
    const request = (more: Partial<ProbeRequest>): ProbeRequest => ({ method, path: path(), headers, ...more });
    const label = (what: string) => `${method} ${operation.path} ${what}`;
    return [
      ...parameters
        .filter(parameter => parameter.in === 'path')
        .map(({ name }) => ({
          label: label(`{${name}}`),
          // These texts are not sent: an empty segment, `.` and `..` change the path, and a short number may be an id whose record, such as
          // the fixture or the caller's password, would be deleted.
          request: (text: string) => (/^(\.{0,2}|\d{1,3})$/.test(text) || !text.isWellFormed() ? null : request({ path: path({ [name]: encodeURIComponent(text) }), body: body() })),
        })),
      ...parameters
        .filter(parameter => parameter.in === 'query')
        .map(({ name }) => ({
          label: label(`?${name}`),
          request: (text: string) => (text.isWellFormed() ? request({ path: `${path()}?${name}=${encodeURIComponent(text)}`, body: body() }) : null),
        })),
      ...(operation.body && contentType === 'application/json'
        ? textPlaces(operation.body).map(place => ({
            label: label(place.label),
            request: (text: string) => request({ body: body(whole => place.put(whole, text), place.label) }),
          }))
        : []),
      ...readHeaders
        .filter(([wanted]) => wanted === id)
        .map(([, header]) => ({
          label: label(`${header}:`),
          request: (text: string) => {
            const value = Buffer.from(text).toString('latin1');
            return /[\r\n\0]|[^\t\x20-\x7e\x80-\xff]/.test(value) ? null : request({ headers: { ...headers, [header]: value }, body: body() });
          },
        })),
    ];
  } // prettier-ignore

  /** Deletes the record that a request has created, so that thousands of them do not influence the test. */
  async function clean({ method, path }: ProbeRequest, answer: ProbeAnswer): Promise<void> {
    if (answer.status === 401) fixture.forgetToken('admin');
    if (method !== 'POST' || answer.status !== 201 || !/\/(graphs|metrics|users|connections)$/.test(path)) return;
    const { id } = JSON.parse(answer.body) as { id: number };
    await test.admin.delete(`${path}/${id}`).expect(204);
  }

  it(
    'are answered in every text of a request without a fault',
    async () => {
      expect(strings.length).toBeGreaterThan(2_000);
      expect(slots.length).toBeGreaterThan(100);
      // All pairs would be a million requests and take hours. So each place gets every 32nd string, and the next place the strings after
      // those.
      const pairs = Array.from({ length: slots.length * strings.length }, (_, index) => index);
      const picks = pairs.filter(pick => (pick % strings.length) % 32 === Math.floor(pick / strings.length) % 32);
      const found: string[] = [];
      const statuses: Record<string, number> = {};
      let sent = 0;
      /** The places at which some text was accepted. */
      const taken = new Set<string>();
      // Six requests at once, as many as a caller's uploads may be: two run and four wait.
      await inParallel(6, picks, async pick => {
        const slot = slots[Math.floor(pick / strings.length)]!;
        const text = strings[pick % strings.length]!;
        const request = slot.request(text);
        if (request === null || Buffer.byteLength(request.path) > 7_500) return;
        const own = request.headers ?? {};
        const credentials = 'authorization' in own || 'x-api-key' in own ? {} : asPerson(await fixture.tokenOf('admin'));
        const answer = await probe(test, { ...request, headers: { ...credentials, ...own } }).catch((error: Error) => ({ status: 0, body: '', headers: {}, problems: [error.message] }));
        sent++;
        if (sent % 10_000 === 0) process.stdout.write(`${sent} of ${picks.length} requests, ${found.length} findings ${found[0] ?? ''}\n`);
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        if (answer.status < 300) taken.add(slot.label);
        for (const problem of answer.problems) found.push(`${slot.label} ⇐ ${JSON.stringify(text).slice(0, 200)}: ${problem}`);
        if (answer.problems.length === 0) await clean(request, answer);
      });
      process.stdout.write(`naughty strings: ${slots.length} places, ${strings.length} strings, ${sent} requests, ${JSON.stringify(statuses)}\n`);
      expect(found.slice(0, 50)).toEqual([]);
      // If the places were wrong, the fixture deleted or a rate limit reached, the test would pass without testing anything.
      expect(statuses['429']).toBeUndefined();
      expect(sent).toBeGreaterThan(picks.length * 0.8);
      expect(taken.size).toBeGreaterThan(20);
      await test.anonymous.get('/health').expect(200);
    },
    1_200_000,
  ); // prettier-ignore
});

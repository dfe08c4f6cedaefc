import { type OpenAPIObject } from '@nestjs/swagger';
import { Ajv } from 'ajv';
import { openApiDocumentOf } from '../src/openapi/openapi.js';
import { startTestApp, type TestApp } from './support/app.js';

/** All parts of a document that are schemas, by their place. */
function schemasOf(part: unknown, place = ''): [place: string, schema: any][] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.entries(part).filter(([word]) => word !== 'example' && word !== 'examples');
  const isSchema = typeof (part as { type?: unknown }).type === 'string' && !('in' in part);
  return [...(isSchema ? [[place, part] as [string, any]] : []), ...inner.flatMap(([word, value]) => schemasOf(value, `${place}/${word}`))];
}

describe('the OpenAPI document', () => {
  let test: TestApp;
  let document: OpenAPIObject;
  let operations: [name: string, operation: any][];
  beforeAll(async () => {
    test = await startTestApp();
    document = openApiDocumentOf(test.app);
    operations = Object.entries(document.paths).flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => [`${method} ${path}`, operation] as [string, any]));
  }); // prettier-ignore
  afterAll(() => test.close());

  it('says of each operation in both languages what it does, and who may call it', () => {
    expect(operations.length).toBeGreaterThan(60);
    const isBilingual = (text: unknown) => typeof text === 'string' && /\p{Script=Han}.* \/ .*[a-z]/su.test(text);
    expect(operations.filter(([, { summary, description }]) => !isBilingual(description) || !summary).map(([name]) => name)).toEqual([]);
    const open = operations.filter(([, { security }]) => security.length === 0).map(([name]) => name);
    expect(open).toEqual(operations.filter(([, operation]) => operation['x-access'] === 'anyone').map(([name]) => name));
    expect(open).toEqual(expect.arrayContaining(['post /api/auth/login', 'get /api/health']));
  });

  it('begins with the login and names each part of the API', () => {
    const tags = document.tags!.map(({ name }) => name);
    expect(tags.slice(0, 6)).toEqual(['auth', 'graphs', 'warehouse', 'ingestion', 'metrics', 'queries']);
    expect([...new Set(operations.flatMap(([, operation]) => operation.tags))].sort()).toEqual([...tags].sort());
    expect(operations.find(([, operation]) => operation.tags[0] === 'auth')![0]).toBe('post /api/auth/login');
  });

  it('shows of each error an example that fits its schema', () => {
    const ajv = new Ajv({ strict: false });
    ajv.addSchema({ $id: 'document', components: document.components });
    // Ajv compiles a schema anew for each object.
    const known = new Map<string, object>();
    const one = (text: string) => known.get(text) ?? known.set(text, JSON.parse(text)).get(text)!;
    const wrong = operations.flatMap(([name, { responses }]) =>
      Object.entries<any>(responses).flatMap(([status, response]) => {
        const media = response.content?.['application/json'];
        if (Number(status) < 400 || /ReadinessResponse/.test(media?.schema.$ref)) return [];
        const schema = one(JSON.stringify(media.schema).replaceAll('"#/', '"document#/'));
        const shown = Object.values<any>(media.examples ?? {}).map(({ $ref }) => (document.components!.examples as any)[$ref.split('/').at(-1)!].value);
        return shown.length > 0 && shown.every(example => ajv.validate(schema, example)) ? [] : [`${name} ${status}`];
      }),
    );
    expect(wrong).toEqual([]);
  }); // prettier-ignore

  it('leaves generators no object of nothing, and no field of a request that only seems to be required', () => {
    const schemas = schemasOf(document.components!.schemas).concat(schemasOf(document.paths));
    expect(schemas.length).toBeGreaterThan(300);
    const empty = schemas.filter(([, { type, properties, additionalProperties, allOf }]) => type === 'object' && !(properties ?? additionalProperties ?? allOf));
    expect(empty.map(([place]) => place)).toEqual([]);
    const requests = schemas.filter(([place]) => /^\/\w+Request\/properties/.test(place));
    expect(requests.filter(([, schema]) => 'default' in schema).map(([place]) => place)).toEqual([]);
  }); // prettier-ignore

  it('names the headers that answers have', async () => {
    const { headers } = await test.admin.get('/api/graphs').expect(200);
    const described = Object.keys((document.paths['/api/graphs']!.get!.responses['200'] as { headers: object }).headers);
    const rare = ['Preference-Applied', 'X-Ignored-Fields'];
    expect(described.sort()).toEqual([...rare, 'RateLimit', 'RateLimit-Policy', 'X-Request-ID'].sort());
    for (const name of described.filter(each => !rare.includes(each))) expect(headers[name.toLowerCase()]).toBeDefined();
  });

  it('names the headers that only some answers have', () => {
    const { responses } = document.paths['/api/graphs/{id}/query']!.post! as any;
    for (const status of ['409', '422', '429', '502', '503']) {
      if (responses[status])
        expect([status, Object.keys(responses[status].headers)]).toEqual([status, expect.arrayContaining(['Retry-After'])]);
    }
    expect(responses['422'].headers['Retry-After'].$ref).toBe('#/components/headers/Retry-After');
    expect(responses['401'].headers['WWW-Authenticate']).toBeDefined();
    const created = (document.paths['/api/graphs']!.post! as any).responses['201'].headers;
    expect(Object.keys(created)).toEqual(expect.arrayContaining(['Idempotent-Replayed', 'X-Ignored-Fields']));
  });

  it('is compared with the headers of each answer', () => {
    const answer = { method: 'POST', path: '/api/graphs/1/query', status: 422, body: undefined };
    const sent = { 'x-request-id': 'a', 'retry-after': '600' };
    expect(test.check.problems({ ...answer, headers: sent })).toEqual([]);
    expect(test.check.problems({ ...answer, headers: { ...sent, location: '/' } })).toEqual([
      'POST /api/graphs/1/query → 422 has a header Location that is not described',
    ]);
  });
});

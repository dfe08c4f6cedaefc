import { type OpenAPIObject } from '@nestjs/swagger';
import { Ajv } from 'ajv';
import { cypherDifferences } from '../src/openapi/reference/cypher-differences.js';
import { cypherPage } from '../src/openapi/reference/cypher-page.js';
import { graphTables } from '../src/database/graph-tables.js';
import { openApiDocumentOf } from '../src/openapi/openapi.js';
import { client, startTestApp, type Client, type TestApp } from './support/app.js';
import { upload } from './support/ingestion.js';
import { examplesOf } from './support/swagger-examples.js';
import { everyNth } from './support/tier.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({}, { own: true });
});
afterAll(() => test.close());

/** The query string of the examples and defaults, as Swagger UI would send it. */
function queryOf(document: any, method: string, path: string): string {
  const parameters = document.paths[path][method].parameters.filter((each: any) => each.in === 'query');
  const filled = parameters.map((each: any) => [each.name, each.example ?? each.schema?.example ?? each.schema?.default]);
  return new URLSearchParams(filled.filter(([, value]: [string, unknown]) => value !== undefined)).toString();
}

describe('the examples of the OpenAPI document, sent in the order of its description to an empty database', () => {
  let document: any;
  let admin: Client;
  beforeAll(async () => {
    ({ body: document } = await client(test.url, null).get('/openapi.json').expect(200));
    admin = test.admin;
  });

  it('make a graph', async () => {
    const [[, body]] = examplesOf(document, 'post', '/api/graphs') as [[string, object]];
    expect((await admin.post('/api/graphs').send(body).expect(201)).body.id).toBe(1);
  });

  it('load a table each, under the name of the example', async () => {
    const path = '/api/warehouse/connections/{id}/tables/{table}';
    const tables = examplesOf(document, 'put', path, 'text/csv');
    expect(tables.map(([name]) => name).sort()).toEqual(['customers', 'order_lines', 'orders', 'products', 'regions', 'suppliers']);
    for (const [name, csv] of tables) {
      const target = `/api/warehouse/connections/1/tables/${name}?${queryOf(document, 'put', path)}`;
      const { body } = await admin.put(target).set('Content-Type', 'text/csv').send(csv).expect(201);
      expect(body.rows).toBeGreaterThan(2);
    }
  });

  it('validate the mapping, make a job of it and run it without a rejected row', async () => {
    const [[, validation]] = examplesOf(document, 'post', '/api/ingestion/mappings/validate') as [[string, object]];
    await admin.post('/api/ingestion/mappings/validate').send(validation).expect(200);
    const [[, job]] = examplesOf(document, 'post', '/api/ingestion/jobs') as [[string, object]];
    expect((await admin.post('/api/ingestion/jobs').send(job).expect(201)).body.id).toBe(1);
    const { body: run } = await admin.post('/api/ingestion/jobs/1/run').set('Prefer', 'wait=30').expect(200);
    expect(run.report.totals).toMatchObject({ rejected: 0, skipped: 0 });
    expect(run.report.targets.map((target: any) => target.inserted).every((inserted: number) => inserted > 0)).toBe(true);
  });

  it('draft a mapping that runs as it is', async () => {
    const [[, request]] = examplesOf(document, 'post', '/api/ingestion/mappings/suggest') as [[string, object]];
    const { body: draft } = await admin.post('/api/ingestion/mappings/suggest').send(request).expect(200);
    const graph = await admin.post('/api/graphs').send({ name: 'draft' }).expect(201);
    const job = { graph_id: graph.body.id, mapping_yaml: draft.mapping_yaml };
    const { body: made } = await admin.post('/api/ingestion/jobs').send(job).expect(201);
    const { body: run } = await admin.post(`/api/ingestion/jobs/${made.id}/run`).set('Prefer', 'wait=30').expect(200);
    expect(run.report.totals).toMatchObject({ rejected: 0, skipped: 0 });
    expect(run.report.targets.map((target: any) => target.target).sort()).toEqual(
      [
        'CUSTOMERS_REGION',
        'ORDERS_CUSTOMER',
        'ORDER_LINES',
        'PRODUCTS_SUPPLIER',
        'customers',
        'orders',
        'products',
        'regions',
        'suppliers',
      ].sort(),
    );
  });

  it('define metrics, change and bind them, and each execution has rows', async () => {
    for (const [, body] of examplesOf(document, 'post', '/api/metrics')) await admin.post('/api/metrics').send(body).expect(201);
    for (const [, body] of examplesOf(document, 'patch', '/api/metrics/{id}')) await admin.patch('/api/metrics/1').send(body).expect(200);
    for (const [, body] of examplesOf(document, 'post', '/api/metrics/parse'))
      await admin.post('/api/metrics/parse').send(body).expect(200);
    const bindings = examplesOf(document, 'put', '/api/metrics/{id}/binding');
    for (const [, body] of [...bindings, bindings[0]!]) {
      await admin.put('/api/metrics/1/binding').send(body).expect(200);
      expect((await admin.post('/api/metrics/1/execute').send({}).expect(200)).body.rows[0][0]).not.toBeNull();
    }
    for (const metric of [1, 2, 3]) {
      for (const [name, body] of examplesOf(document, 'post', '/api/metrics/{id}/execute')) {
        // The example `top` asks for products with a value above 100. Metric 2 counts orders, and no product has so many.
        if (name === 'top' && metric === 2) continue;
        const { body: answer } = await admin.post(`/api/metrics/${metric}/execute`).send(body).expect(200);
        expect([metric, name, answer.row_count > 0]).toEqual([metric, name, true]);
      }
    }
  });

  it('ask questions that have answers', async () => {
    for (const [name, body] of examplesOf(document, 'post', '/api/graphs/{id}/query')) {
      const { body: answer } = await admin.post('/api/graphs/1/query').send(body).expect(200);
      expect([name, answer.rows.length > 0]).toEqual([name, true]);
    }
    const [question, english, metric] = await Promise.all(
      ['question_zh', 'question_en', 'metric_zh'].map(async name => {
        const body = examplesOf(document, 'post', '/api/graphs/{id}/query').find(([each]) => each === name)![1];
        return (await admin.post('/api/graphs/1/query').send(body).expect(200)).body;
      }),
    );
    expect(question.rows[0].at(-1)).toBe(2);
    expect(JSON.stringify(english.rows[0])).toContain('华南电子有限公司');
    expect(metric.rows.map((row: unknown[]) => row[0]).sort()).toEqual(['Europe', '华东', '华南'].sort());
  });

  it('run every query of the page of openCypher, and refuse those that the page says are refused', async () => {
    for (const { anchor, entries } of cypherPage.sections) {
      for (const { anchor: name, example, whole = example } of everyNth(entries, 4)) {
        if (whole === undefined) continue;
        const parameters = whole.includes('$country') ? { country: '中国' } : {};
        const { status } = await admin.post('/api/graphs/1/query').send({ cypher: whole, parameters });
        const isRefused = /^(writes|unbuilt)/.test(anchor) || cypherDifferences.some(each => each.example === whole && each.isRefused);
        expect([name, status]).toEqual([name, isRefused ? 400 : 200]);
      }
    }
  });
});

describe('the cursor of a list', () => {
  // The examples above have made the first graph, its job and a run.
  let lists: string[];
  beforeAll(async () => {
    await upload(test, 't', 'id\n1\n');
    const url = 'https://hooks.example.com/runs';
    await test.admin.post('/api/ingestion/jobs/1/webhooks').send({ url }).expect(201);
    const condition = { op: '>', value: '0' };
    await test.admin.post('/api/metrics/1/watches').send({ cron: '0 0 1 1 *', condition, url }).expect(201);
    await test.pool.query(`
      INSERT INTO mirror_copies (connection_id, saved_by, status) SELECT 1, id, 'failed' FROM users WHERE is_admin;
      INSERT INTO mirror_copy_tables (copy_id, position, name, source, mode, key, replaces) VALUES (1, 0, 'copied', 'far', 'full', '{}', false)`);
    const { rows } = await test.pool.query(`SELECT id FROM ${graphTables(1).nodes} LIMIT 1`);
    const { body: document } = await test.anonymous.get('/openapi.json').expect(200);
    const paged = Object.entries<any>(document.paths).filter(([, { get }]) => get?.parameters?.some((each: any) => each.name === 'cursor'));
    lists = paged.map(([path]) => path.replace(/\{node_?id\}/i, String(rows[0].id)).replace(/\{\w+\}/g, '1'));
  });

  it('is refused on every list, by name, when the service did not make it', async () => {
    expect(lists.length).toBeGreaterThan(8);
    for (const path of lists) {
      for (const cursor of ['zzz', '0', '-1', '99999999999999999']) {
        const { body, status } = await test.admin.get(`${path}?cursor=${cursor}`);
        expect([path, cursor, status, body.detail?.errors?.[0]?.loc]).toEqual([path, cursor, 422, ['query', 'cursor']]);
      }
    }
  });

  it('ends the list beyond the last record', async () => {
    // These lists have ids as cursors. The cursor of `tables` holds a name, that of `queries` a time and an id.
    for (const path of lists.filter(each => !each.includes('tables') && !each.endsWith('/queries'))) {
      const { body } = await test.admin.get(`${path}?cursor=999999999999999`).expect(200);
      expect([path, body.next_cursor]).toEqual([path, null]);
    }
    const { body } = await test.admin
      .get(`/api/warehouse/connections/1/tables?cursor=${Buffer.from('t').toString('base64url')}`)
      .expect(200);
    expect(body.items).toEqual([]);
    const beforeAll = `/api/graphs/1/queries?cursor=${Buffer.from('0.1').toString('base64url')}`;
    expect((await test.admin.get(beforeAll).expect(200)).body).toEqual({ items: [], next_cursor: null });
  });
});

/** All schemas in a part of the document, each with its path. */
function schemasOf(part: unknown, place = ''): [place: string, schema: any][] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.entries(part).filter(([word]) => word !== 'example' && word !== 'examples');
  const isSchema = typeof (part as { type?: unknown }).type === 'string' && !('in' in part);
  return [...(isSchema ? [[place, part] as [string, any]] : []), ...inner.flatMap(([word, value]) => schemasOf(value, `${place}/${word}`))];
}

describe('the OpenAPI document', () => {
  let document: OpenAPIObject;
  let operations: [name: string, operation: any][];
  beforeAll(() => {
    document = openApiDocumentOf(test.app);
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method} ${path}`, operation] as [string, any]),
    );
  });

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
    // Ajv caches a compiled schema by object identity, so equal schemas share one object.
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

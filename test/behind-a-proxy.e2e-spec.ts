import { request as ask } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { ownPaths } from '../src/config/base-path.js';
import { startTestApp, type TestApp } from './support/app.js';
import { proxyTo } from './support/prefix-proxy.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ BASE_PATH: '/graph' });
});
afterAll(() => test.close());

describe.each([true, false])('behind a proxy at /graph that removes the path: %s', takesPathOff => {
  let proxy: Awaited<ReturnType<typeof proxyTo>>;
  beforeAll(async () => {
    proxy = await proxyTo(test.url, takesPathOff);
  });
  afterAll(() => {
    proxy.server.close();
  });

  const fetchText = async (path: string) => {
    const response = await fetch(`${proxy.url}${path}`);
    return { status: response.status, text: await response.text() };
  };

  it('tells readers of the document where to send requests, and answers there', async () => {
    const { text } = await fetchText('/graph/openapi.json');
    const { servers, paths } = JSON.parse(text) as { servers: { url: string }[]; paths: object };
    expect(servers).toEqual([{ url: '/graph' }]);
    const [login] = Object.keys(paths).filter(path => path.endsWith('/auth/login'));
    const answer = await fetch(`${proxy.url}${servers[0]!.url}${login}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'nobody', password: 'wrong-password' }),
    });
    expect(answer.status).toBe(401);
  });

  it('serves Swagger UI with everything that the page loads', async () => {
    const page = await fetchText('/graph/docs');
    const assets = [...page.text.matchAll(/(?:src|href)=["']([^"'#]+)["']/g)]
      .map(([, path]) => path!)
      .filter(path => !path.startsWith('data:'));
    expect(assets.length).toBeGreaterThan(2);
    for (const asset of assets) {
      const { pathname } = new URL(asset, `${proxy.url}/graph/docs`);
      expect({ pathname, status: (await fetchText(pathname)).status }).toEqual({ pathname, status: 200 });
    }
  });

  it('leads from the document to the pages of the languages, and from them back', async () => {
    const { text } = await fetchText('/graph/openapi.json');
    const { info, paths } = JSON.parse(text) as { info: { description: string }; paths: Record<string, Record<string, any>> };
    const described = [...info.description.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path!);
    const operations = Object.values(paths).flatMap(item => Object.values(item));
    const documented = operations.flatMap(({ externalDocs }) => externalDocs?.url ?? []);
    expect([...new Set(documented)].sort()).toEqual([...described].sort());
    expect(described).toHaveLength(3);
    for (const path of described) {
      const page = await fetchText(path);
      expect([path, page.status]).toEqual([path, 200]);
      expect([...page.text.matchAll(/href="([^#"][^"]*)"/g)].map(([, href]) => href)).toEqual(['/graph/']);
    }
  });

  it('shows links on its first page that all work', async () => {
    const { text } = await fetchText('/graph/');
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, path]) => path!);
    expect(links).toEqual(expect.arrayContaining(['/graph/docs', '/graph/docs/mapping', '/graph/docs/formulas', '/graph/docs/cypher']));
    for (const link of links) expect({ link, status: (await fetchText(link)).status }).toEqual({ link, status: 200 });
  });
});

describe('the first page and the document', () => {
  // This application starts last, because passport verifies only the tokens of the application that started last.
  let plain: TestApp;
  beforeAll(async () => {
    plain = await startTestApp();
  });
  afterAll(() => plain.close());

  it('stand beside routes none of which a BASE_PATH can hide', async () => {
    const { paths } = (await (await fetch(`${plain.url}/openapi.json`)).json()) as { paths: object };
    const first = new Set(Object.keys(paths).map(path => path.split('/')[2]));
    expect([...first].filter(segment => !ownPaths.has(segment!))).toEqual([]);
  });

  it.each(['/docs/mapping', '/docs/formulas', '/docs/cypher', '/api/docs/mapping'])(
    'answer %s without a login, under the same policy',
    async path => {
      const [page, first] = [await fetch(`${plain.url}${path}`), await fetch(`${plain.url}/`)];
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      for (const name of ['content-security-policy', 'x-content-type-options', 'x-frame-options', 'referrer-policy'])
        expect([name, page.headers.get(name)]).toEqual([name, first.headers.get(name) ?? 'missing']);
      expect(page.headers.get('content-security-policy')).not.toMatch(/script-src[^;]*unsafe/);
      expect((await fetch(`${plain.url}${path}`, { method: 'HEAD' })).status).toBe(200);
      expect((await fetch(`${plain.url}${path}`, { method: 'POST' })).status).toBe(404);
    },
  );

  it('include the JSON Schema of the mapping, for editors', async () => {
    const answer = await fetch(`${plain.url}/docs/mapping.schema.json`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const schema = (await answer.json()) as { $id: string; properties: object };
    expect(schema.$id).toMatch(/\/docs\/mapping\.schema\.json$/);
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['version', 'nodes', 'edges']));
  });

  it('answer without a base path as well, and answer no other method or path', async () => {
    const page = await fetch(`${plain.url}/`);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect((await fetch(`${plain.url}/`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${plain.url}/nowhere`)).status).toBe(404);
  });

  it('send the document compressed to clients that accept it, and the same document to all', async () => {
    const { status, headers, body } = await new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
      resolve =>
        ask(`${plain.url}/openapi.json`, { headers: { 'Accept-Encoding': 'gzip' } }, response => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }));
        }).end(),
    );
    expect([status, headers['content-encoding'], headers['vary']]).toEqual([200, 'gzip', expect.stringContaining('Accept-Encoding')]);
    const uncompressed = await fetch(`${plain.url}/openapi.json`, { headers: { 'Accept-Encoding': 'identity' } });
    expect(uncompressed.headers.get('content-encoding')).toBeNull();
    expect(JSON.parse(gunzipSync(body).toString())).toEqual(await uncompressed.json());
    expect(body.length * 4).toBeLessThan(gunzipSync(body).length);
  });
});

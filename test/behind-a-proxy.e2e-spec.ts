import { createServer, request as ask, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import path from 'node:path';
import { ownPaths } from '../src/config/base-path.js';
import { exampleMapping } from '../src/ingestion/mapping-example.js';
import { parseMapping } from '../src/ingestion/mapping/parse-mapping.js';
import { tableExamples } from '../src/warehouse/tables/table-examples.js';
import { startTestApp, type TestApp, adminPassword } from './support/app.js';
import { findChromium } from './support/chromium.js';
import { hasOpenApiTools, toolsFolder } from './support/openapi-tools.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ BASE_PATH: '/graph' });
});
afterAll(() => test.close());

/** A proxy that shows the service under /graph. It removes the path before it asks, or does not. */
async function proxyTo(url: string, takesPathOff: boolean): Promise<{ server: Server; url: string }> {
  const server = createServer((incoming, answer) => {
    const path = takesPathOff ? incoming.url!.replace(/^\/graph/, '') : incoming.url!;
    const outgoing = ask(new URL(path === '' ? '/' : path, url), { method: incoming.method, headers: incoming.headers }, response => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(outgoing);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

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

const chromium = hasOpenApiTools() ? findChromium() : null;

(chromium === null ? describe.skip : describe)('Swagger UI in a browser, behind a proxy at /graph', () => {
  let proxy: Awaited<ReturnType<typeof proxyTo>> | undefined;
  let browser: any;
  let address: string;
  beforeAll(async () => {
    proxy = await proxyTo(test.url, true);
    address = `${proxy.url}/graph/docs`;
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- it is installed apart from the service
    const playwright = require(path.join(toolsFolder, 'node_modules', 'playwright-core'));
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    browser = await playwright.chromium.launch({ executablePath: chromium, args });
  });
  afterAll(async () => {
    await browser?.close();
    proxy?.server.close();
  });

  it.each([1280, 390])('fills in the token of a login at a width of %d, and never scrolls sideways', async width => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, isMobile: width < 600 });
    const problems: string[] = [];
    page.on('pageerror', (error: Error) => problems.push(error.message));
    await page.goto(address);
    await page.waitForSelector('.opblock-tag');
    expect(await page.$$eval('.opblock-tag', (tags: any[]) => tags.slice(0, 3).map(tag => tag.dataset.tag))).toEqual(['auth', 'graphs', 'warehouse']); // prettier-ignore
    expect(await page.evaluate('innerWidth')).toBe(width);
    const isWide = () => page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
    expect(await isWide()).toBe(false);
    const login = page.locator('.opblock').first();
    await login.locator('.opblock-summary-control').click();
    await login.locator('textarea').fill(JSON.stringify({ username: 'admin', password: adminPassword }));
    await login.locator('button.execute').click();
    await login.locator('.live-responses-table').waitFor();
    expect(await login.locator('.live-responses-table .response-col_status').last().innerText()).toMatch(/^200/);
    await page.locator('.auth-wrapper .authorize.locked').waitFor();
    expect(await isWide()).toBe(false);

    const me = page.locator('#operations-auth-Auth_me');
    await me.locator('.opblock-summary-control').click();
    await me.locator('button.execute').click();
    await me.locator('.live-responses-table').waitFor();
    expect(await me.locator('.live-responses-table .microlight').first().innerText()).toContain('"username"');
    expect(await isWide()).toBe(false);
    expect(problems).toEqual([]);
    await page.close();
  });

  it('sends the mapping as YAML, as it is written', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(address);
    const execute = async (operation: string, edit?: (text: string) => string): Promise<[status: string, text: string]> => {
      const block = page.locator(operation);
      await block.locator('.opblock-summary-control').click();
      const text = block.locator('textarea').first();
      if (edit) await text.fill(edit(await text.inputValue()));
      const shown = edit ? await text.inputValue() : '';
      await block.locator('button.execute').click();
      await block.locator('.live-responses-table').waitFor();
      const status = await block.locator('.live-responses-table .response-col_status').last().innerText();
      await block.locator('.opblock-summary-control').click();
      return [status.slice(0, 3), shown];
    };
    const login = JSON.stringify({ username: 'admin', password: adminPassword });
    expect((await execute('#operations-auth-Auth_login', () => login))[0]).toBe('200');
    await page.locator('.auth-wrapper .authorize.locked').waitFor();
    for (const [table, { value }] of Object.entries(tableExamples['text/csv'])) {
      await test.admin.put(`/api/warehouse/connections/1/tables/${table}`).type('text/csv').send(value);
    }
    expect((await test.admin.post('/api/graphs').send({ name: '图' }).expect(201)).body.id).toBe(1);

    const [validated, example] = await execute('#operations-ingestion-Jobs_validate', text => text);
    expect([validated, parseMapping(example).mapping]).toEqual(['200', parseMapping(exampleMapping).mapping]);
    expect(example).not.toContain('\\n');
    const named = (text: string) => text.replace('version: 1', 'version: 1\nname: 写成 YAML');
    const [created, written] = await execute('#operations-ingestion-Jobs_create', named);
    expect(created).toBe('201');
    const { body: job } = await test.admin.get('/api/ingestion/jobs/1').expect(200);
    expect(job).toMatchObject({ name: '写成 YAML', mapping_yaml: written });
    await page.close();
  });
});

describe('the first page and the document', () => {
  // It starts last: passport verifies the tokens of the last application only.
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

import path from 'node:path';
import { exampleMapping } from '../src/ingestion/mapping-example.js';
import { parseMapping } from '../src/ingestion/mapping/parse-mapping.js';
import { tableExamples } from '../src/warehouse/tables/table-examples.js';
import { startTestApp, type TestApp, adminPassword } from './support/app.js';
import { findChromium } from './support/chromium.js';
import { hasOpenApiTools, toolsFolder } from './support/openapi-tools.js';
import { proxyTo } from './support/prefix-proxy.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ BASE_PATH: '/graph' });
});
afterAll(() => test.close());

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

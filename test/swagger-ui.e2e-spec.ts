import { execFileSync } from 'node:child_process';
import { createServer, request as ask, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { adminPassword, startTestApp, type TestApp } from './support/app.js';
import { hasOpenApiTools, toolsFolder } from './support/openapi-tools.js';

function findChromium(): string | null {
  try {
    return execFileSync('which', ['chromium']).toString().trim();
  } catch {
    if (process.env.CI === 'true') throw new Error('CI needs chromium');
    console.warn('Skipped: this test needs `chromium`.');
    return null;
  }
}

const chromium = hasOpenApiTools() ? findChromium() : null;

(chromium === null ? describe.skip : describe)('Swagger UI in a browser, behind a proxy at /graph', () => {
  let test: TestApp;
  let proxy: Server;
  let browser: any;
  let address: string;
  beforeAll(async () => {
    test = await startTestApp({ BASE_PATH: '/graph' });
    proxy = createServer((incoming, answer) => {
      const path = incoming.url!.replace(/^\/graph(?=\/)/, '');
      const outgoing = ask(new URL(path, test.url), { method: incoming.method, headers: incoming.headers }, response => {
        answer.writeHead(response.statusCode!, response.headers);
        response.pipe(answer);
      });
      incoming.pipe(outgoing);
    });
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/graph/docs`;
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- it is installed apart from the service
    const playwright = require(path.join(toolsFolder, 'node_modules', 'playwright-core'));
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    browser = await playwright.chromium.launch({ executablePath: chromium, args });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    proxy?.close();
    await test?.close();
  });

  it.each([1280, 390])(
    'fills in the token of a login at a width of %d, and never scrolls sideways',
    async width => {
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
    },
    60_000,
  );
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { referencePages } from '../src/openapi/pages.js';
import { renderReference } from '../src/openapi/reference/render-reference.js';
import { findChromium } from './support/chromium.js';

const chromium = findChromium();

/** A page that loads `page.html` in a frame of this width, opens its `details` elements, and writes its scroll and client width. */
const measure = (width: number) => `<iframe id="frame" width="${width}" height="800" src="page.html"></iframe><p id="result"></p><script>
  frame.onload = () => {
    const page = frame.contentDocument;
    for (const each of page.querySelectorAll('details')) each.open = true;
    const { scrollWidth, clientWidth } = page.documentElement;
    result.textContent = [scrollWidth, clientWidth, page.querySelectorAll('h3').length].join();
  };
</script>`;

(chromium === null ? describe.skip : describe)('the pages of the languages in a browser', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reference-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(referencePages)('$path does not scroll sideways on a phone', page => {
    writeFileSync(path.join(folder, 'page.html'), renderReference(page, ''));
    writeFileSync(path.join(folder, 'frame.html'), measure(390));
    const options = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--allow-file-access-from-files',
      '--virtual-time-budget=5000',
      '--dump-dom',
    ];
    const shown = execFileSync(chromium!, [...options, `file://${folder}/frame.html`], {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 50_000,
    });
    const [scrollWidth, clientWidth, entries] = /<p id="result">([\d,]+)</.exec(shown.toString())![1]!.split(',').map(Number);
    expect([scrollWidth, entries]).toEqual([clientWidth, page.sections.flatMap(section => section.entries).length]);
    expect(clientWidth).toBeLessThanOrEqual(390);
  });
});

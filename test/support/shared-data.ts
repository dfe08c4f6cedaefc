import { existsSync } from 'node:fs';
import path from 'node:path';

/** Data and suites that nobody here wrote, beside the repository; never committed. */
export const sharedFolder = path.resolve(__dirname, '..', '..', '..', 'shared');

/** `describe` when the folder is there; otherwise a skipped one whose title says why, and in CI one that fails. */
export function describeWithShared(title: string, needed: string, body: () => void): void {
  describeWhere(existsSync(path.join(sharedFolder, needed)), title, `../shared/${needed} is not there; put it beside the repository`, body);
}

/** A suite without what it needs is skipped at a desk. In CI it fails, or a green run would hide that it tried nothing. */
export function describeWhere(isThere: boolean, title: string, missing: string, body: () => void): void {
  if (isThere) return describe(title, body);
  const isFatal = process.env.CI === 'true';
  // Not the suite's own body, which may read what is missing while its tests are collected.
  (isFatal ? describe : describe.skip)(isFatal ? title : `${title} (skipped: ${missing})`, () => {
    it('finds what it needs', () => {
      throw new Error(missing);
    });
  });
}

import { existsSync } from 'node:fs';
import path from 'node:path';

/** Data and test suites of others, in a folder beside the repository. They are never committed. */
export const sharedFolder = path.resolve(__dirname, '..', '..', '..', 'shared');

/** `describe` if the folder exists. Otherwise a skipped one whose title gives the reason, and in CI one that fails. */
export function describeWithShared(title: string, needed: string, body: () => void): void {
  describeWhere(existsSync(path.join(sharedFolder, needed)), title, `../shared/${needed} is not there; put it beside the repository`, body);
}

/** Says that this machine lacks what a test needs, so that the caller skips the test. @throws Error in CI, which has all that tests need */
export function tellMissing(missing: string): void {
  if (process.env.CI === 'true') throw new Error(missing);
  process.stderr.write(`Skipped: ${missing}\n`);
}

/**
 * A suite without its data is skipped on a developer's machine. In CI it fails; otherwise a green run would hide that it tested
 * nothing.
 */
export function describeWhere(isThere: boolean, title: string, missing: string, body: () => void): void {
  if (isThere) return describe(title, body);
  const isFatal = process.env.CI === 'true';
  // The suite's own body is not used: it may read the missing data when Jest collects its tests.
  (isFatal ? describe : describe.skip)(isFatal ? title : `${title} (skipped: ${missing})`, () => {
    it('finds its data', () => {
      throw new Error(missing);
    });
  });
}

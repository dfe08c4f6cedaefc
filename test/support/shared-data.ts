import { existsSync } from 'node:fs';
import path from 'node:path';

/** Data and suites that nobody here wrote, beside the repository; never committed. */
export const sharedFolder = path.resolve(__dirname, '..', '..', '..', 'shared');

/** `describe` when the folder is there; otherwise a skipped one whose title says why. */
export function describeWithShared(title: string, needed: string, body: () => void): void {
  if (existsSync(path.join(sharedFolder, needed))) describe(title, body);
  else describe.skip(`${title} (skipped: ../shared/${needed} is not there; put it beside the repository)`, body);
}

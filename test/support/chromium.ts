import { execFileSync } from 'node:child_process';

/** The path of `chromium`, or null if this machine lacks it. @throws Error in CI if it is missing */
export function findChromium(): string | null {
  try {
    return execFileSync('which', ['chromium']).toString().trim();
  } catch {
    if (process.env.CI === 'true') throw new Error('CI needs chromium');
    console.warn('Skipped: this test needs `chromium`.');
    return null;
  }
}

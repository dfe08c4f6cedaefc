import { execFileSync } from 'node:child_process';

/** The path of `chromium`, or null where a test may skip for want of it. */
export function findChromium(): string | null {
  try {
    return execFileSync('which', ['chromium']).toString().trim();
  } catch {
    if (process.env.CI === 'true') throw new Error('CI needs chromium');
    console.warn('Skipped: this test needs `chromium`.');
    return null;
  }
}

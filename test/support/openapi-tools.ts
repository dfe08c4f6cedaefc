import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

export const toolsFolder = path.resolve(__dirname, '..', 'openapi-tools');

/** Whether a test that needs the tools runs. With `CI=true` it always runs, and fails without them. */
export function hasOpenApiTools(): boolean {
  const isInstalled = existsSync(path.join(toolsFolder, 'node_modules', '.package-lock.json'));
  if (!isInstalled && process.env.CI !== 'true') console.warn('Skipped: `npm run openapi:tools` installs what this test needs.');
  return isInstalled || process.env.CI === 'true';
}

/** Runs one of the tools with its telemetry switched off. @returns its standard output; rejects if the tool fails */
export async function runTool(script: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  const entry = path.join(toolsFolder, 'node_modules', script);
  return promisify(execFile)(process.execPath, [entry, ...args], { cwd: toolsFolder, env }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => Promise.reject(new Error(`${script}:\n${stdout}${stderr}`)),
  );
}

import { type ChildProcess, spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(__dirname, '..', '..');

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the script of `npm run demo`, which uploads tables, maps them, runs the job, asks questions and computes a metric. */
export function runDemo(url: string): Promise<CommandResult> {
  return ended(
    spawn(process.execPath, [path.join(root, 'examples', 'demo', 'run.mjs'), '--url', url], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

/** Runs the script of `npm run backup -- FILE` or `npm run restore -- FILE` directly, to its end. */
export function runBackupCommand(command: 'backup' | 'restore', file: string, environment: Record<string, string>): Promise<CommandResult> {
  return ended(spawnBackupCommand(command, file, environment));
}

export function spawnBackupCommand(command: 'backup' | 'restore', file: string, environment: Record<string, string>): ChildProcess {
  const { PATH, HOME } = process.env;
  const script = path.join(root, 'dist', 'src', 'backup.main.js');
  // The script runs outside the repository, so that no `.env` of a developer is read.
  return spawn(process.execPath, [script, command, file], {
    cwd: os.tmpdir(),
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export function ended(child: ChildProcess): Promise<CommandResult> {
  let [stdout, stderr] = ['', ''];
  child.stdout!.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr!.on('data', (text: Buffer) => (stderr += text.toString()));
  return new Promise(resolve => child.once('close', code => resolve({ code, stdout, stderr })));
}

// Builds only when a source is newer than the last build, so that a second start need not compile.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const stamp = path.join(root, 'dist', '.built');
const lock = path.join(root, 'dist', '.building');
const staleLockMs = 120_000;

function newestSource() {
  const folders = ['src'];
  const files = ['ormconfig.ts', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json', 'package-lock.json'];
  let newest = Math.max(...files.map(file => statSync(path.join(root, file)).mtimeMs));
  while (folders.length > 0) {
    const folder = folders.pop();
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const name = path.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(name);
      newest = Math.max(newest, statSync(path.join(root, name)).mtimeMs);
    }
  }
  return newest;
}

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Two commands started together must not write the same output, so the second waits for the first. */
function takeLock() {
  mkdirSync(path.dirname(lock), { recursive: true });
  for (;;) {
    try {
      return mkdirSync(lock);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (Date.now() - modified(lock) > staleLockMs) rmSync(lock, { recursive: true, force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

if (newestSource() > modified(stamp)) {
  takeLock();
  try {
    const source = newestSource();
    if (source > modified(stamp)) {
      // The message goes to standard error, so that standard output has only the output of the command.
      process.stderr.write('正在编译，约需一分钟 / Building, which takes about a minute\n');
      const nest = path.join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
      const { status } = spawnSync(process.execPath, [nest, 'build'], { cwd: root, stdio: 'inherit' });
      if (status !== 0) process.exitCode = status ?? 1;
      else {
        writeFileSync(stamp, '');
        // A date has whole milliseconds, a file's time has fractions. Without rounding up, every build would look stale.
        const builtFrom = new Date(Math.ceil(source));
        utimesSync(stamp, builtFrom, builtFrom);
      }
    }
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

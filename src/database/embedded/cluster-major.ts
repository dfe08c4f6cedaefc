import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The data directory was written by another major version of PostgreSQL. */
export class ClusterOfOtherMajorError extends Error {
  constructor(cluster: string, found: string, own: string) {
    super(
      `${cluster} 由 PostgreSQL ${found} 创建，而本版本内置 PostgreSQL ${own}，不能直接使用，未作任何改动；请先用原来的版本运行 npm run backup -- 文件，` +
        `再用本版本以一个新的 DATA_DIR 运行 npm run restore -- 文件 / ` +
        `${cluster} was made by PostgreSQL ${found}, and this release brings PostgreSQL ${own}, which cannot use it; nothing was changed: ` +
        'run npm run backup -- FILE with the release that made it, then npm run restore -- FILE with this one and a new DATA_DIR',
    );
  }
}

/** Refuses a cluster of another major version than `own`. @throws ClusterOfOtherMajorError */
export function requireSameMajor(cluster: string, own: string): void {
  const found = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (found !== own) throw new ClusterOfOtherMajorError(cluster, found, own);
}

import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

/** `nobody` on every Linux: it has a passwd entry, which PostgreSQL asks for, and owns nothing. */
const nobody = 65534;

/** What to spawn, and as whom where that is not the current user. */
export interface ServerCommand {
  file: string;
  args: string[];
  uid?: number;
  gid?: number;
}

/**
 * Passing closed directories, kept across the change of the user. Without `no_setuid_fixup` the kernel would drop it for
 * access(2), by which initdb looks for its own programs.
 */
const keepDirectoryAccess = ['--securebits=+no_setuid_fixup', '--inh-caps=+dac_override', '--ambient-caps=+dac_override'];

/** How to run a PostgreSQL program: PostgreSQL refuses to run as root, and must not outlive a service that was killed. */
export interface PostgresAccount {
  /** Owner of the data directory when it is not the current user. */
  uid?: number;
  command(program: string, args: string[]): ServerCommand;
}

/**
 * The command with a bound on the private memory of each of its processes; shared memory is not part of it. PostgreSQL has no such
 * bound of its own: at this one an allocation fails, the statement ends with SQLSTATE 53200, and session and server go on.
 * Elsewhere than on Linux nothing is bounded.
 */
export function withBoundedMemory({ file, args, ...owner }: ServerCommand, megabytes: number): ServerCommand {
  if (process.platform !== 'linux') return { file, args, ...owner };
  // A bound that is tighter already stays. `exec`: the process keeps its id.
  const script = `ulimit -S -d ${megabytes * 1024} 2>/dev/null; exec "$@"`;
  return { file: 'sh', args: ['-c', script, 'sh', file, ...args], ...owner };
}

/**
 * As an ordinary user PostgreSQL runs as that user; as root it runs as `nobody`. Where `nobody` cannot reach the files
 * (a project under /root) it keeps the one capability that lets it pass the closed directories.
 * `setpriv` (util-linux) also asks the kernel to stop PostgreSQL when this process dies, even by `kill -9`.
 */
export function choosePostgresAccount(paths: string[]): PostgresAccount {
  const isRoot = process.getuid?.() === 0;
  const hasSetpriv = process.platform === 'linux' && spawnSync('setpriv', ['--version']).status === 0;
  if (!hasSetpriv) {
    return isRoot
      ? { uid: nobody, command: (file, args) => ({ file, args, uid: nobody, gid: nobody }) }
      : { command: (file, args) => ({ file, args }) };
  }
  const flags = ['--pdeathsig', 'INT'];
  if (isRoot) {
    flags.push(`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups');
    if (!paths.every(isReachableByAll)) flags.push(...keepDirectoryAccess);
  }
  return {
    ...(isRoot ? { uid: nobody } : {}),
    command: (program, args) => ({ file: 'setpriv', args: [...flags, program, ...args] }),
  };
}

/** Whether every directory on the way to `target` may be passed by any user. */
function isReachableByAll(target: string): boolean {
  for (let folder = path.dirname(target); ; folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

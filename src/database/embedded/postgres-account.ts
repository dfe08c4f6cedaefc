import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

/** The uid of the user `nobody` on every Linux. The user has a passwd entry, which PostgreSQL needs, and owns nothing. */
const nobody = 65534;

/** The program to spawn, and the user to run it as, if that is not the current user. */
export interface ServerCommand {
  file: string;
  args: string[];
  uid?: number;
  gid?: number;
}

/**
 * Options of setpriv that keep the right to enter directories that are closed to other users when the user changes. Without
 * `no_setuid_fixup` the kernel would drop this right for access(2), which initdb uses to look for its own programs.
 */
const keepDirectoryAccess = ['--securebits=+no_setuid_fixup', '--inh-caps=+dac_override', '--ambient-caps=+dac_override'];

/** How to run a PostgreSQL program: PostgreSQL refuses to run as root, and must not outlive a service that was killed. */
export interface PostgresAccount {
  /** The uid that must own the data directory; undefined for the current user. */
  uid?: number;
  command(program: string, args: string[]): ServerCommand;
}

/**
 * Limits the private memory of each process that the command starts; shared memory does not count. PostgreSQL has no such limit itself. At
 * the limit an allocation fails, the statement ends with SQLSTATE 53200, and the session and the server go on. There is no limit except on
 * Linux.
 */
export function withBoundedMemory({ file, args, ...owner }: ServerCommand, megabytes: number): ServerCommand {
  if (process.platform !== 'linux') return { file, args, ...owner };
  // If a lower hard limit is already set, `ulimit` fails and that limit stays. `exec` keeps the process id.
  const script = `ulimit -S -d ${megabytes * 1024} 2>/dev/null; exec "$@"`;
  return { file: 'sh', args: ['-c', script, 'sh', file, ...args], ...owner };
}

/**
 * Chooses the account. An ordinary user runs PostgreSQL as that user; root runs it as `nobody`. If `nobody` cannot reach the files (a
 * project under /root), PostgreSQL keeps the one capability that lets it enter closed directories. `setpriv` (util-linux) also has the
 * kernel send SIGINT to PostgreSQL when this process dies, even by `kill -9`.
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

/** Whether any user may enter every directory on the path to `target`. */
function isReachableByAll(target: string): boolean {
  for (let folder = path.dirname(target); ; folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

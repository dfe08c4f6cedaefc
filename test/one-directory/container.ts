import { spawnSync } from 'node:child_process';

const flags = ['--net', '--pid', '--fork', '--ipc', '--mount', '--mount-proc', '--kill-child'];

/** Whether this user may make namespaces and mounts. Root may; inside a container, root may only with the right to. */
export const mayUnshare = process.platform === 'linux' && spawnSync('unshare', [...flags, 'true']).status === 0;

/** Ends the title of a test that needs namespaces, with the reason why it is skipped. */
export const whyNotUnshare = mayUnshare ? '' : ' (skipped: this user may not make namespaces; root may)';

/** Runs the command in the container. If a signal kills the command, the container stays, so that processes that it started live on. */
const script = `
mount --bind "$1" "$2" || exit 70
case "$3" in ro) mount -o remount,bind,ro "$2" || exit 70;; esac
shift 3
"$@"
code=$?
[ $code -lt 128 ] && exit $code
exec sleep 1000000 >/dev/null 2>&1`;

/**
 * Returns the command line that runs a command as a second container on the same volume would: with its own network, processes, shared
 * memory and mounts, and with the directory `from` mounted at `to`.
 */
export function inContainer(from: string, to: string, command: string[], access: 'rw' | 'ro' = 'rw'): [string, ...string[]] {
  return ['unshare', ...flags, 'sh', '-c', script, 'sh', from, to, access, ...command];
}

import { spawnSync } from 'node:child_process';

const flags = ['--net', '--pid', '--fork', '--ipc', '--mount', '--mount-proc', '--kill-child'];

/** Whether this machine lets the tests make namespaces and mounts: as root, and in a container only with the right to. */
export const mayUnshare = process.platform === 'linux' && spawnSync('unshare', [...flags, 'true']).status === 0;

/** The end of the title of a test that needs them. */
export const whyNotUnshare = mayUnshare ? '' : ' (skipped: this user may not make namespaces; root may)';

/** A command that a signal kills leaves its container as it is, with all that the command has started. */
const script = `
mount --bind "$1" "$2" || exit 70
case "$3" in ro) mount -o remount,bind,ro "$2" || exit 70;; esac
shift 3
"$@"
code=$?
[ $code -lt 128 ] && exit $code
exec sleep 1000000 >/dev/null 2>&1`;

/**
 * The command as a second container on the same volume runs it: in a network, with processes, shared memory and mounts of its own,
 * and with the directory `from` at the path `to`.
 */
export function inContainer(from: string, to: string, command: string[], access: 'rw' | 'ro' = 'rw'): [string, ...string[]] {
  return ['unshare', ...flags, 'sh', '-c', script, 'sh', from, to, access, ...command];
}

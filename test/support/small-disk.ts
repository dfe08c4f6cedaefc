import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describeWhere } from './shared-data.js';

/** Mounts in a namespace of its own, which ends with the command. */
const mayMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', os.tmpdir()]).status === 0;

/** `describe` if this machine may mount a small disk. Otherwise a skipped one whose title gives the reason, and in CI one that fails. */
export function describeOnSmallDisk(title: string, body: () => void): void {
  describeWhere(mayMount, title, 'no file system can be mounted here; root may, in a container only with the right to mount', body);
}

/** A file system of a few megabytes, which a test can fill. Only root can mount one. */
export class SmallDisk {
  private constructor(readonly directory: string) {}

  /** Returns null if this machine may not mount, such as in a container without the right to. @param uid the user who may write to it */
  static async mount(megabytes: number, uid: number): Promise<SmallDisk | null> {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'small-disk-'));
    await chmod(directory, 0o711);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,uid=${uid},mode=700`, 'tmpfs', directory], { stdio: 'ignore' });
      return new SmallDisk(directory);
    } catch {
      await rm(directory, { recursive: true });
      return null;
    }
  }

  /** Fills the disk, except for `leaves` bytes. */
  async fill(leaves = 0): Promise<void> {
    await this.empty();
    const { bavail, bsize } = await statfs(this.directory);
    execFileSync('fallocate', ['-l', String(bavail * bsize - leaves), this.filler]);
  }

  async empty(): Promise<void> {
    await rm(this.filler, { force: true });
  }

  async unmount(): Promise<void> {
    execFileSync('umount', ['-l', this.directory]);
    await rm(this.directory, { recursive: true });
  }

  private get filler(): string {
    return path.join(this.directory, 'filler');
  }
}

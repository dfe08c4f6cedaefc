import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { choosePostgresAccount } from './postgres-account.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { itLong } from '../../../test/support/tier.js';

const canBecomeNobody = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0;
const reason = canBecomeNobody ? '' : ' (skipped: only root can stand in for root)';

describe('choosePostgresAccount', () => {
  (canBecomeNobody ? itLong : it.skip)(
    `lets root create a cluster in a project that only root may enter, such as under /root${reason}`,
    async () => {
      const closed = mkdtempSync(path.join(os.tmpdir(), 'graph-service-closed-'));
      try {
        chmodSync(closed, 0o700);
        const native = path.join(closed, 'native');
        cpSync(await findPostgresBinaries(), native, { recursive: true, verbatimSymlinks: true });
        const cluster = path.join(closed, 'cluster');
        const account = choosePostgresAccount([path.join(native, 'bin', 'postgres'), cluster]);
        mkdirSync(cluster, { mode: 0o700 });
        chownSync(cluster, account.uid!, account.uid!);
        const { file, args } = account.command(path.join(native, 'bin', 'initdb'), [
          '-D',
          cluster,
          '--locale',
          'C',
          '--no-sync',
          '--auth',
          'trust',
        ]);
        const { status, stderr } = spawnSync(file, args, { encoding: 'utf8' });
        expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('denied') });
      } finally {
        rmSync(closed, { recursive: true, force: true });
      }
    },
  );

  it('runs PostgreSQL as nobody but root', () => {
    const { uid } = choosePostgresAccount(['/usr/bin/postgres']);
    expect(uid).toBe(process.getuid?.() === 0 ? 65534 : undefined);
  });
});

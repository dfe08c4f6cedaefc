import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isKnownDead, ownPlace, startOf } from './process-place.js';

const isLinux = process.platform === 'linux';
const reason = isLinux ? '' : ' (skipped: only Linux tells)';

describe('isKnownDead', () => {
  it('is told of a process with another start than the one that has its id', () => {
    expect(isKnownDead(ownPlace())).toBe(false);
    if (isLinux) expect(isKnownDead({ ...ownPlace(), started: '1' })).toBe(true);
  });

  it('is told of a process that has ended, and not before', async () => {
    const child = spawn('cat');
    const place = { ...ownPlace(), pid: child.pid!, started: startOf(child.pid!)! };
    expect(isKnownDead(place)).toBe(false);
    child.kill('SIGSTOP');
    expect(isKnownDead(place)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isKnownDead(place)).toBe(true);
  });

  (isLinux ? it : it.skip)(`is told of a process that has ended and whose parent does not ask${reason}`, async () => {
    const parent = spawn('sh', ['-c', 'true & echo $!; exec cat']);
    const [text] = (await once(parent.stdout, 'data')) as [Buffer];
    while (startOf(Number(text)) !== null);
    parent.stdin.end();
    await once(parent, 'exit');
  });

  it('is not told of a process of another boot or of other namespaces, whatever its id does here', () => {
    const place = { ...ownPlace(), started: '1' };
    expect(isKnownDead({ ...place, boot: 'another' })).toBe(false);
    expect(isKnownDead({ ...place, namespace: 'pid:[1] time:[1]' })).toBe(false);
  });
});

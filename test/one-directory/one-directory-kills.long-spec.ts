import { mayUnshare, whyNotUnshare } from './container.js';
import { type Contender, signal } from './contender.js';
import { ContestedDirectory } from './contested-directory.js';

const kills = 50;
let contested: ContestedDirectory;
beforeEach(async () => {
  contested = await ContestedDirectory.create();
});
afterEach(() => contested.remove());

/** Ways to end the process that has the directory. `refused` starts a contender and expects that it is refused. */
const endings: Record<string, (holder: Contender, refused: () => Promise<void>) => Promise<void> | void> = {
  'the service is killed, and its server outlives it for a moment': holder => signal(holder.pid, 'SIGKILL'),
  'all processes are killed': holder => {
    const all = [holder.pid, ...holder.server];
    for (const pid of all) signal(pid, 'SIGKILL');
  },
  'the service is killed while its server stands still': async (holder, refused) => {
    const [postmaster] = holder.server;
    signal(postmaster!, 'SIGSTOP');
    signal(holder.pid, 'SIGKILL');
    await refused();
    signal(postmaster!, 'SIGCONT');
  },
  'the service is killed while it stands still': async (holder, refused) => {
    signal(holder.pid, 'SIGSTOP');
    await refused();
    signal(holder.pid, 'SIGKILL');
  },
  'the server is killed, and then the service': holder => {
    signal(holder.server[0]!, 'SIGKILL');
    signal(holder.pid, 'SIGKILL');
  },
  'it is killed with its container': async holder => holder.remove(),
};

(mayUnshare ? it : it.skip)(
  `one data directory has one server, and loses no acknowledged row, while ${kills} holders are killed here and in another container${whyNotUnshare}`,
  async () => {
    const ways = Object.values(endings);
    let holder = await contested.takeOver('here');
    for (let kill = 0; kill < kills; kill++) {
      const other = holder.side === 'here' ? 'container' : 'here';
      await Promise.all([holder.writes(), contested.expectRefused(other)]);
      await holder.writes();
      // `kill / 2` uses each way twice in a row: once for a holder `here`, once for one in a container.
      await ways[Math.floor(kill / 2) % ways.length]!(holder, () => contested.expectRefused(other));
      const next = await contested.takeOver(other);
      // Ends what is left of the container after its service was killed.
      await holder.remove();
      holder = next;
    }
    await holder.writes();
    await holder.remove();
    expect(contested.written.size).toBeGreaterThan(kills);
    await contested.expectAllWritten();
  },
  1_200_000,
);

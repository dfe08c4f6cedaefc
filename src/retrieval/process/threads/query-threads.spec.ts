import pino from 'pino';
import { type RetrievalQuery } from '../../protocol.js';
import { CallerRestsError, QueryRefusedError } from '../../retrieval.errors.js';
import { isLong } from '../../../../test/support/tier.js';
import { QueryThreads } from './query-threads.js';

/**
 * The program of a thread. The text of a query decides what it does: it hangs, exits, fails or takes all memory (`grow`). For any other
 * text it answers with the text, after 0.1 s if the text begins with `slow`.
 */
const program = `
import { parentPort, workerData } from 'node:worker_threads';
setInterval(() => Atomics.add(workerData.beat, 0, 1), 20);
parentPort.on('message', message => {
  if (message.do === 'ping') parentPort.postMessage({ did: 'pong', id: message.id, reads: { primary: 1, replica: 0 } });
  if (message.do === 'close') parentPort.postMessage({ did: 'close' });
  if (message.do !== 'query') return;
  const { text } = JSON.parse(message.body);
  if (text === 'hang') for (;;);
  if (text === 'exit') process.exit(3);
  if (text === 'fail') throw new Error('a fault of the program');
  if (text === 'grow') for (const all = []; ; ) all.push(new Array(100_000).fill(Math.random()));
  const answer = id => parentPort.postMessage({ did: 'end', id, bytes: new TextEncoder().encode(text) });
  setTimeout(() => answer(message.id), text.startsWith('slow') ? 100 : 0);
});
parentPort.postMessage({ did: 'start' });
`;

const settings = { connections: 1, answerMaxBytes: 1_000, snapshotDirectory: null, logLevel: 'silent' as const, secrets: [] };
const alive = new AbortController().signal;

describe('the threads of queries', () => {
  let threads: QueryThreads;
  beforeEach(async () => {
    threads = await started({ mostMissed: 4 });
  });
  afterEach(() => threads.close());

  async function started({ mostMissed }: { mostMissed: number }): Promise<QueryThreads> {
    const entry = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
    const log = pino({ level: 'silent' });
    const made = new QueryThreads({ entry, count: 1, start: { ...settings, memoryMb: 64 }, mostMissed, log });
    await made.start();
    return made;
  }

  async function ask(text: string, caller = 'one'): Promise<string> {
    const query = { graph_id: 1, caller, kind: 'cypher', text } as unknown as RetrievalQuery;
    const pieces: Uint8Array[] = [];
    for await (const piece of threads.run({ query, body: JSON.stringify(query), limitBytes: 1_000, requestId: undefined }, alive))
      pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  it.each(['hang', 'exit', 'fail', ...(isLong ? ['grow'] : [])])(
    'lose one to a query that lets it %s, which alone is refused',
    async text => {
      const others = [ask('slow 1'), ask('slow 2')];
      await expect(ask(text)).rejects.toThrow(QueryRefusedError);
      expect(await Promise.all(others)).toEqual(['slow 1', 'slow 2']);
      expect(await ask('slow 1')).toBe('slow 1');
      await expect(ask(text)).rejects.toThrow(QueryRefusedError);
      expect(await threads.ping()).toEqual({ primary: 1, replica: 0 });
    },
    60_000,
  );

  it('let a caller rest whose queries have ended several, and no other', async () => {
    await expect(ask('exit')).rejects.toThrow(QueryRefusedError);
    expect(await ask('slow 1')).toBe('slow 1');
    await expect(ask('fail')).rejects.toThrow(QueryRefusedError);
    await expect(ask('slow 1')).rejects.toThrow(CallerRestsError);
    expect(await ask('slow 1', 'another')).toBe('slow 1');
  });

  it('report their reads while one hangs', async () => {
    await threads.close();
    // With so many allowed misses the hanging thread is not ended during the test.
    threads = await started({ mostMissed: 1_000_000 });
    expect(await threads.ping()).toEqual({ primary: 1, replica: 0 });
    ask('hang').catch(() => undefined);
    expect(await threads.ping()).toEqual({ primary: 1, replica: 0 });
  });
});

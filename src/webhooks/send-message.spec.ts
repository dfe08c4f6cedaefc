import { type LookupAddress } from 'node:dns';
import net, { type Socket } from 'node:net';
import { readSettings } from '../config/settings.js';
import { Egress } from '../egress/egress.js';
import { lookingUpFor } from '../egress/lookups.js';
import { pino } from 'pino';
import { type Post, postMessage } from './post-message.js';
import { PostingThread } from './posting-thread.js';
import { sendMessage } from './send-message.js';
import { listen } from '../../test/support/listen.js';

const endless = 'HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n';

describe('sending to a receiver that', () => {
  const sockets = new Set<Socket>();
  let behaviour: (socket: Socket) => void;
  const server = net.createServer(socket => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    socket.once('data', () => behaviour(socket));
  });
  let port: number;
  beforeAll(async () => {
    port = await listen(server);
  });
  beforeEach(() => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(ms => timeout(ms / 20));
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => server.close());

  const lookup = jest.fn<Promise<LookupAddress[]>, [host: string]>();
  const egress = new Egress(readSettings({ WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' }), lookup);
  const thread = new PostingThread(pino({ level: 'silent' }));
  afterAll(() => thread.end());
  const send = (host = '127.0.0.1', post: Post = postMessage) =>
    sendMessage(egress, post, `http://${host}:${port}/hook`, {}, '{}', new AbortController().signal);
  /** Writes a text every 20 ms until the other side closes the socket. */
  const repeat = (socket: Socket, text: string, first = '') => {
    socket.write(first);
    const timer = setInterval(() => socket.write(text), 20);
    socket.on('close', () => clearInterval(timer));
  };

  it.each<[string, (socket: Socket) => void, object]>([
    ['never answers', () => undefined, { answered: null, failure: 'timeout' }],
    ['dribbles its headers', socket => repeat(socket, 'HTTP/1.1 200 OK\r\nx: y'), { answered: null, failure: 'timeout' }],
    [
      'announces an answer for ever',
      socket => repeat(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(8)),
      { answered: null, failure: 'failed' },
    ],
    ['has endless headers', socket => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`), { answered: null, failure: 'failed' }],
    ['says no HTTP', socket => socket.end('SSH-2.0-x\r\n'), { answered: null, failure: 'failed' }],
    ['has taken the message and dribbles its body', socket => repeat(socket, 'x', endless), { answered: 200, failure: null }],
    [
      'has refused the message and dribbles its body',
      socket => repeat(socket, 'x', endless.replace('200', '500')),
      { answered: 500, failure: 'status' },
    ],
  ])('%s holds its place for a bounded time', async (_what, does, result) => {
    behaviour = does;
    const startedAt = performance.now();
    expect(await send()).toEqual(result);
    expect(await send('127.0.0.1', thread.post)).toEqual(result);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    for (let tries = 0; sockets.size > 0 && tries < 1_000; tries++) await new Promise(resolve => setTimeout(resolve, 20));
    expect(sockets.size).toBe(0);
  });

  it('answers with a giant body is read for some kilobytes only', async () => {
    let written = 0;
    const chunk = 'x'.repeat(64 * 1024);
    behaviour = socket => {
      socket.write(endless);
      const more = () => {
        while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
      };
      socket.on('drain', more);
      more();
    };
    expect(await send()).toEqual({ answered: 200, failure: null });
    // Beyond the bytes that are read, only the socket buffers of both sides fill up.
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  it('changes its address is refused as soon as the address is a forbidden one', async () => {
    behaviour = socket => socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    let addresses = ['127.0.0.1'];
    lookup.mockImplementation(() => Promise.resolve(addresses.map(address => ({ address, family: 4 }))));
    expect(await send('changing.test')).toEqual({ answered: 204, failure: null });
    // The name is looked up once, so the checked address is also the one of the connection.
    expect(lookup).toHaveBeenCalledTimes(1);
    for (addresses of [['169.254.169.254'], ['127.0.0.1', '169.254.169.254'], ['127.0.0.2']])
      expect(await send('changing.test')).toEqual({ answered: null, failure: 'blocked_address' });
  });

  it('has a name whose server never answers is given up in time', async () => {
    lookup.mockImplementation(() => new Promise(() => undefined));
    expect(await send('silent.test')).toEqual({ answered: null, failure: 'timeout' });
  });

  it('has a name that waits behind too many slow ones of its owner is told so, and other owners are served', async () => {
    behaviour = socket => socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    let end!: (found: LookupAddress[]) => void;
    const slow = new Promise<LookupAddress[]>(resolve => (end = resolve));
    lookup.mockImplementation(host => (host === 'slow.test' ? slow : Promise.resolve([{ address: '127.0.0.1', family: 4 }])));
    const threads = new Egress(readSettings({ WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1', UV_THREADPOOL_SIZE: '16' }), lookup);
    const sendFor = (owner: number, host: string) =>
      lookingUpFor(owner, () => sendMessage(threads, postMessage, `http://${host}:${port}/hook`, {}, '{}', new AbortController().signal));
    const under = Array.from({ length: 2 + 32 }, () => sendFor(1, 'slow.test'));
    await new Promise(setImmediate);
    expect(await sendFor(1, 'fast.test')).toEqual({ answered: null, failure: 'lookups_busy' });
    expect(await sendFor(2, 'fast.test')).toEqual({ answered: 204, failure: null });
    end([{ address: '127.0.0.1', family: 4 }]);
    await Promise.all(under);
  });
});

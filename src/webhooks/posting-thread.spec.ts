import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { listen } from '../../test/support/listen.js';
import { pino } from 'pino';
import { PostingThread, PostingThreads } from './posting-thread.js';

const certificate = (file: string): Buffer => readFileSync(path.join(__dirname, '../../test/support/certificate', file));

describe('a thread that posts messages', () => {
  const thread = new PostingThread(pino({ level: 'silent' }));
  const servers: Server[] = [];
  let silent: () => void;
  const told = new Promise<void>(resolve => (silent = resolve));
  const serve = async (server: Server): Promise<number> => {
    servers.push(server);
    return listen(server);
  };
  const post = (port: number, scheme = 'http', signal = new AbortController().signal) => {
    const addresses = [{ address: '127.0.0.1', family: 4 }];
    return thread.post({ url: `${scheme}://hook.test:${port}/hook`, headers: { 'x-a': 'b' }, body: '{}', addresses }, signal);
  };
  afterAll(async () => {
    await thread.end();
    for (const server of servers) server.close();
  });

  it('gives the status, and goes to the addresses that were checked', async () => {
    const heard: unknown[] = [];
    const port = await serve(
      createServer((request, response) => {
        heard.push([request.headers.host, request.headers['x-a'], request.method]);
        response.writeHead(202).end();
      }),
    );
    expect(await post(port)).toBe(202);
    expect(heard).toEqual([[`hook.test:${port}`, 'b', 'POST']]);
  });

  it('gives the codes of what failed', async () => {
    const tls = { key: certificate('stranger-key.pem'), cert: certificate('stranger-cert.pem') };
    const port = await serve(https.createServer(tls));
    await expect(post(port, 'https')).rejects.toMatchObject({ codes: [expect.stringMatching(/^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/)] });
    await expect(post(1)).rejects.toMatchObject({ codes: ['ECONNREFUSED'] });
  });

  it('takes a switch of protocols for an answer', async () => {
    const server = createServer();
    server.on('connection', socket =>
      socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')),
    );
    expect(await post(await serve(server))).toBe(101);
  });

  it('breaks off what takes too long, and begins anew after it has ended', async () => {
    const port = await serve(createServer(() => silent()));
    const stop = new AbortController();
    const broken = post(port, 'http', stop.signal);
    await told;
    stop.abort(new Error('late'));
    await expect(broken).rejects.toThrow('late');
    await expect(post(port, 'http', stop.signal)).rejects.toThrow('late');
    const lost = post(port);
    await thread.end();
    await expect(lost).rejects.toMatchObject({ codes: [] });
    await expect(post(1)).rejects.toMatchObject({ codes: ['ECONNREFUSED'] });
  });

  it('is one for each user, so that the end of one breaks off the messages of that user alone', async () => {
    const threads = new PostingThreads(pino({ level: 'silent' }));
    const asked: (() => void)[] = [];
    let listening: Promise<number> | undefined;
    const both = new Promise<void>(resolve => {
      const server = createServer((_, response) => {
        if (asked.push(() => response.writeHead(204).end()) === 2) resolve();
      });
      servers.push(server);
      listening = listen(server);
    });
    const port = await listening;
    const message = { url: `http://hook.test:${port}/hook`, headers: {}, body: '{}', addresses: [{ address: '127.0.0.1', family: 4 }] };
    const [ended, other] = [1, 2].map(userId => threads.of(userId)(message, new AbortController().signal));
    await both;
    await (Reflect.get(threads, 'threads') as Map<number, PostingThread>).get(1)!.end();
    await expect(ended).rejects.toMatchObject({ codes: [] });
    asked.forEach(answer => answer());
    await expect(other).resolves.toBe(204);
    await threads.onApplicationShutdown();
  });
});

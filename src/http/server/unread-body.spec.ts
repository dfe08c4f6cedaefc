import { once } from 'node:events';
import { type Server } from 'node:http';
import net, { type Socket } from 'node:net';
import type express from 'express';
import { pino } from 'pino';
import getRawBody from 'raw-body';
import { answerProtocolErrors } from './answer-protocol-errors.js';
import { BoundedHttpAdapter } from './bounded-http.adapter.js';
import { LargeAnswers } from './large-answers.js';
import { listen } from '../../../test/support/listen.js';

const large = 'a'.repeat(8 * 1_048_576);

/** Starts the service's HTTP server with a bare application. Every route answers 401 without reading the body, except for `/read`. */
async function startServer(lingerMs?: number) {
  const adapter = new BoundedHttpAdapter(
    { maxHeaderBytes: 1_000, headersTimeoutMs: 60_000, requestTimeoutMs: 60_000, maxConnections: 10, lingerMs },
    new LargeAnswers(1_000, () => ''),
  );
  const served: string[] = [];
  const app = adapter.getInstance<express.Express>();
  app.use((request, _response, next) => {
    served.push(request.url);
    // The answer comes in a later turn of the event loop, as it does after an asynchronous guard.
    setImmediate(next);
  });
  app.post('/read', async (request, response) => {
    const body = await getRawBody(request, { limit: 10_000 });
    response.json({ read: body.length });
  });
  app.use((_request, response) => void response.status(401).json({ code: 'refused' }));
  app.use((_error: unknown, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
    response.status(413).json({ code: 'too_large' });
  });
  adapter.initHttpServer();
  const server: Server = adapter.getHttpServer();
  answerProtocolErrors(server, pino({ level: 'silent' }));
  const port = await listen(server);
  return { port, served, stop: () => new Promise(resolve => (server.closeAllConnections(), server.close(resolve))) };
}

const head = (path: string, headers: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n${headers}\r\n`;

function connect(port: number) {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const received: Buffer[] = [];
  const errors: Error[] = [];
  socket.on('data', chunk => received.push(chunk)).on('error', error => errors.push(error));
  return { socket, errors, text: () => Buffer.concat(received).toString() };
}

async function whenReceived(socket: Socket, text: () => string, part: string): Promise<void> {
  while (!text().includes(part)) await once(socket, 'data');
}

describe('an answer before its body', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it('ends the connection, although the body goes on dripping', async () => {
    const short = await startServer(50);
    for (const headers of ['Content-Length: 1000000\r\n', 'Transfer-Encoding: chunked\r\n']) {
      const { socket, text } = connect(short.port);
      socket.write(head('/refuse', headers));
      await once(socket, 'end');
      expect(text()).toMatch(/^HTTP\/1\.1 401 [\s\S]*\r\nConnection: close\r\n[\s\S]*\{"code":"refused"\}$/);
      // The answer is complete, but the connection still accepts bytes for a while.
      const drip = setInterval(() => socket.write(headers.startsWith('C') ? 'a' : '1\r\na\r\n'), 5);
      await new Promise(resolve => socket.once('close', resolve));
      clearInterval(drip);
    }
    await short.stop();
  });

  it.each([
    ['was not read', '/refuse', 401],
    ['was read in part', '/read', 413],
  ])('reaches a client that sends all before it reads, when the body %s', async (_what, path, status) => {
    const { socket, errors, text } = connect(server.port);
    socket.pause();
    await new Promise(resolve => {
      socket.write(head(path, `Content-Length: ${large.length}\r\n`));
      socket.write(large, resolve);
    });
    socket.resume();
    await once(socket, 'end');
    expect(text()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    socket.end();
    await once(socket, 'close');
    expect(errors).toEqual([]);
  });

  it('keeps the connection of a body that has come', async () => {
    const { socket, text } = connect(server.port);
    socket.write(`${head('/refuse', 'Content-Length: 3\r\n')}abc`);
    await whenReceived(socket, text, 'refused');
    expect(text()).toMatch(/\r\nConnection: keep-alive\r\n/);
    socket.end();
    await once(socket, 'close');
  });

  it('is the last one: nothing that comes behind the body is served', async () => {
    const { socket, text } = connect(server.port);
    socket.write(head('/refuse', 'Content-Length: 3\r\n'));
    await once(socket, 'end');
    socket.end(`abc${head('/behind', 'Content-Length: 0\r\n')}`);
    await once(socket, 'close');
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(server.served).not.toContain('/behind');
  });

  it('comes without a 100 Continue for Expect: 100-continue', async () => {
    const { socket, text } = connect(server.port);
    socket.write(head('/refuse', 'Content-Length: 3\r\nExpect: 100-continue\r\n'));
    await once(socket, 'end');
    expect(text()).toMatch(/^HTTP\/1\.1 401 /);
    socket.end();
    await once(socket, 'close');
  });
});

describe('Expect: 100-continue', () => {
  it('is answered once, when the body begins to be read', async () => {
    const server = await startServer();
    const { socket, text } = connect(server.port);
    socket.write(head('/read', 'Content-Length: 3\r\nConnection: close\r\nExpect: 100-continue\r\n'));
    await whenReceived(socket, text, '\r\n\r\n');
    expect(text()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.end('abc');
    await once(socket, 'end');
    expect(text()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[\s\S]*\{"read":3\}$/);
    await server.stop();
  });
});

describe('a socket', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.stop());

  it('serves the requests that come at once one after another, and only a few', async () => {
    const { socket, text } = connect(server.port);
    socket.write(Array.from({ length: 2_000 }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    await once(socket, 'end');
    socket.destroy();
    expect(server.served).toEqual(Array.from({ length: server.served.length }, (_, i) => `/${i}`));
    expect(server.served.length).toBe(33);
    expect(text().match(/HTTP\/1\.1 401/g)).toHaveLength(server.served.length);
    expect(text().match(/^Connection: close/gm)).toHaveLength(1);
  });

  it('serves a few requests that come at once, and goes on', async () => {
    const { socket, text } = connect(server.port);
    for (const round of [1, 2, 3]) {
      socket.write(`GET /a HTTP/1.1\r\nHost: a\r\n\r\n${head('/read', 'Content-Length: 2\r\n')}okGET /c HTTP/1.1\r\nHost: a\r\n\r\n`);
      while (server.served.length < 3 * round || (text().match(/refused/g) ?? []).length < 2 * round) await once(socket, 'data');
    }
    expect(server.served).toEqual(['/a', '/read', '/c', '/a', '/read', '/c', '/a', '/read', '/c']);
    expect(text().match(/\{"read":2\}/g)).toHaveLength(3);
    socket.destroy();
  });

  it('refuses a body in very small chunks with an error of its own', async () => {
    const { socket, text } = connect(server.port);
    socket.write(head('/read', 'Transfer-Encoding: chunked\r\n'));
    const crumbs = '1\r\nx\r\n'.repeat(2_000);
    const writing = setInterval(() => socket.write(crumbs), 1);
    socket.once('close', () => clearInterval(writing));
    await whenReceived(socket, text, 'chunks_too_small');
    expect(text()).toMatch(/^HTTP\/1\.1 400/);
    socket.destroy();
  });

  it('does not parse what comes after its last answer', async () => {
    const { socket, text, errors } = connect(server.port);
    socket.write(head('/refuse', 'Transfer-Encoding: chunked\r\n') + '1\r\nx\r\n');
    await whenReceived(socket, text, 'refused');
    await once(socket, 'end');
    // An HTTP parser would refuse these bytes and break off the connection.
    for (let i = 0; i < 20; i++) await new Promise(resolve => socket.write('no chunk\r\n', resolve));
    socket.end();
    await once(socket, 'close');
    expect(errors).toEqual([]);
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('reads a body in small chunks', async () => {
    const { socket, text } = connect(server.port);
    socket.write(head('/read', 'Transfer-Encoding: chunked\r\n') + `1\r\nx\r\n`.repeat(900) + '0\r\n\r\n');
    await whenReceived(socket, text, '{"read":900}');
    socket.destroy();
  });
});

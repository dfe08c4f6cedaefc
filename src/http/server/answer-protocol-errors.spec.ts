import { once } from 'node:events';
import { type Server } from 'node:http';
import net from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { answerProtocolErrors } from './answer-protocol-errors.js';
import { BoundedHttpAdapter } from './bounded-http.adapter.js';
import { LargeAnswers } from './large-answers.js';
import { requestContextMiddleware } from '../../common/logging/request-context.js';
import { listen } from '../../../test/support/listen.js';

/** A bare application on the service's server, with bounds short enough for a test. */
describe('a bounded server', () => {
  let server: Server;
  let port: number;
  const bodies: string[] = [];

  beforeAll(async () => {
    const adapter = new BoundedHttpAdapter(
      { maxHeaderBytes: 1_000, headersTimeoutMs: 300, requestTimeoutMs: 600, maxConnections: 3 },
      new LargeAnswers(1_000, () => ''),
    );
    const app = adapter.getInstance<express.Express>();
    app.use(requestContextMiddleware, express.text({ type: '*/*' }));
    app.use((request, response) => {
      bodies.push(String(request.body));
      response.json({ path: request.path });
    });
    app.use((_error: unknown, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
      if (!response.headersSent) response.status(400).json({});
    });
    adapter.initHttpServer();
    server = adapter.getHttpServer();
    answerProtocolErrors(server, pino({ level: 'silent' }));
    port = await listen(server);
  });
  afterAll(() => new Promise(resolve => server.close(resolve)));

  /** Sends the bytes, keeps the socket open, and returns everything that came back before the server hung up. */
  function send(bytes: string): Promise<string> {
    return new Promise(resolve => {
      const socket = net.connect(port, '127.0.0.1');
      let received = '';
      socket.on('data', chunk => (received += chunk.toString()));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(received));
      socket.write(bytes);
    });
  }

  it.each([
    ['/api/warehouse/connections?x=1', true],
    ['/metrics', true],
    ['http://a/api/metrics/1', true],
    [`/${'a'.repeat(600)}`, true],
    ['/api/graphs', false],
  ])('answers headers that are too large for %s in the shape of its family', async (target, isLegacy) => {
    const answer = await send(`GET ${target} HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(2_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect('success' in (JSON.parse(answer.slice(answer.indexOf('{'))) as object)).toBe(isLegacy);
  });

  it.each([
    ['headers that do not end', 'GET / HTTP/1.1\r\nHost: a\r\n', ''],
    [
      'a body that does not come',
      'POST / HTTP/1.1\r\nHost: a\r\nX-Request-ID: mine\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nab',
      'mine',
    ],
  ])('answers %s with 408', async (_what, bytes, id) => {
    const answer = await send(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toMatch(new RegExp(`\r\nX-Request-ID: ${id || '[\\da-f-]{36}'}\r\n`));
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    const body = JSON.parse(answer.slice(answer.indexOf('{'))) as object;
    expect(body).toMatchObject({ detail: expect.stringContaining(' / ') as string, code: 'request_timeout' });
    // The route is known only if the headers have arrived. Without a known route the body also has the legacy field `success`.
    expect('success' in body).toBe(id === '');
  });

  it('delivers the answer to a client that is still sending', async () => {
    const answer = await send(`GET / HTTP/1.1\r\nX: ${'a'.repeat(200_000)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"code":"headers_too_large"');
  });

  it('gives up the body of a client that is gone, and goes on', async () => {
    const before = bodies.length;
    const socket = net.connect(port, '127.0.0.1');
    const begun = once(server, 'request');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nab');
    await begun;
    socket.resetAndDestroy();
    const answer = await send('GET /after HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(answer).toContain('{"path":"/after"}');
    expect(bodies.length).toBe(before + 1);
  });

  it('closes sockets beyond the limit', async () => {
    const held = Array.from({ length: 3 }, () => net.connect(port, '127.0.0.1'));
    const accepted = () => new Promise<number>(resolve => server.getConnections((_, count) => resolve(count)));
    while ((await accepted()) < held.length) await new Promise(setImmediate);
    expect(await send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('');
    for (const socket of held) socket.destroy();
  });
});

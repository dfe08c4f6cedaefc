import http, { type RequestListener } from 'node:http';
import { exchange, type Exchanged, SilenceError } from './exchange.js';
import { headers, protocolVersion } from './protocol.js';
import { RetrievalUnavailableError, RetrievalUnreachedError, RetrievalVersionError } from './retrieval.errors.js';
import { listen } from '../../test/support/listen.js';

const version = { [headers.version]: protocolVersion };

describe('an exchange', () => {
  let server: http.Server;
  let port: number;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const serve = async (listener: RequestListener) => {
    server = http.createServer(listener);
    port = await listen(server);
  };
  const call = (limitBytes?: number, timeoutMs = 5_000): Promise<Exchanged> =>
    exchange({ host: '127.0.0.1', port, agent: false, path: '/v1/query' }, { timeoutMs, ...(limitBytes ? { limitBytes } : {}) });

  it('tells the process its version, and the time and the bytes that are left', async () => {
    let sent: http.IncomingHttpHeaders = {};
    await serve((request, response) => {
      sent = request.headers;
      response.writeHead(200, version).end();
    });
    await exchange({ host: '127.0.0.1', port, agent: false }, { timeoutMs: 1_500, travelMs: 500, limitBytes: 99 });
    expect(sent).toMatchObject({ [headers.version]: String(protocolVersion), [headers.timeout]: '1000', [headers.budget]: '99' });
  });

  it.each([
    ['names no version', {}, 'unknown'],
    ['names another version', { [headers.version]: '7' }, '7'],
  ])('refuses a process that %s, whatever it answers', async (_, named, theirs) => {
    await serve((_request, response) => response.writeHead(200, named).end('{}\n[]\n{}'));
    const error = await call().catch((failure: unknown) => failure as RetrievalVersionError);
    expect(error).toBeInstanceOf(RetrievalVersionError);
    const { status, text } = error as RetrievalVersionError;
    expect(status).toBe(503);
    expect(text.en).toContain(`version ${theirs} of the protocol and the API version ${protocolVersion}`);
    expect(text.zh).toMatch(/请管理员/);
  });

  it('stops reading at the budget, even if the process does not', async () => {
    let written = 0;
    let isCut = false;
    await serve((_request, response) => {
      response.writeHead(200, version);
      response.on('close', () => (isCut = true));
      const write = (): void => {
        while (!isCut && response.write(Buffer.alloc(65_536))) written += 65_536;
      };
      response.on('drain', write);
      write();
    });
    await expect(call(1_000_000)).rejects.toMatchObject({ code: 'answer_too_large', context: { limit_bytes: 1_000_000 } });
    for (const deadline = Date.now() + 10_000; !isCut; await new Promise(resolve => setTimeout(resolve, 10)))
      expect(Date.now()).toBeLessThan(deadline);
    // The process may write more than the budget of 1 MB, because the buffers of the two sockets take the rest.
    expect(written).toBeLessThan(20_000_000);
  });

  it('gives the failure that follows the first bytes of an answer', async () => {
    await serve((_request, response) => {
      response.writeHead(200, { ...version, Trailer: headers.failure });
      response.write('{"half":');
      response.addTrailers({ [headers.failure]: 'e30=' });
      response.end();
    });
    expect(await call()).toEqual({ status: 200, bytes: Buffer.from('{"half":'), failure: 'e30=' });
  });

  it('takes an answer that is cut for none', async () => {
    await serve((_request, response) => {
      response.writeHead(200, version);
      response.write('{"half":', () => response.destroy());
    });
    const error = await call().catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(RetrievalUnavailableError);
    expect(error).not.toBeInstanceOf(RetrievalUnreachedError);
  });

  it('tells a process that never saw the request from one that lost it', async () => {
    await serve(request => request.socket.destroy());
    expect(await call().catch((failure: unknown) => failure)).not.toBeInstanceOf(RetrievalUnreachedError);
    await new Promise(resolve => server.close(resolve));
    await expect(call()).rejects.toBeInstanceOf(RetrievalUnreachedError);
  });

  it('gives up a process that stays silent', async () => {
    await serve(() => undefined);
    await expect(call(undefined, 100)).rejects.toBeInstanceOf(SilenceError);
  });
});

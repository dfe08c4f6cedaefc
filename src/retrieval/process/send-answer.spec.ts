import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { headers, type RetrievalFailure } from '../protocol.js';
import { sendFailure, sendPieces } from './send-answer.js';
import { listen } from '../../../test/support/listen.js';

const piece = Buffer.alloc(65_536, 'x');
const failure: RetrievalFailure = { status: 422, code: 'answer_too_large', text: { zh: '过大', en: 'too large' } };

describe('sending an answer', () => {
  let server: http.Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  /** Sends a request to a server that answers with `answer`. The body of the response is not read yet. */
  async function ask(answer: (response: ServerResponse) => Promise<void>): Promise<IncomingMessage> {
    server = http.createServer((_request, response) => void answer(response));
    const port = await listen(server);
    return new Promise((resolve, reject) => {
      http.get({ host: '127.0.0.1', port, agent: false }, resolve).on('error', reject);
    });
  }
  async function read(response: IncomingMessage): Promise<number> {
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length;
    return bytes;
  }
  /** Waits until nothing more is written, because the buffers of both sockets are full. Each turn moves what they can take. */
  async function untilStalled(written: () => number): Promise<void> {
    for (let before = -1; before !== written();) {
      before = written();
      for (let turn = 0; turn < 50; turn++) await nextTurn();
    }
  }
  const { signal } = new AbortController();

  it('sends a small one with its length', async () => {
    async function* pieces() {
      yield Buffer.from('{}');
      await Promise.resolve();
      yield Buffer.from('[]');
    }
    const response = await ask(sent => sendPieces(sent, pieces(), signal));
    expect(response.headers).toMatchObject({ 'content-length': '4', [headers.version]: expect.any(String) });
    expect(await read(response)).toBe(4);
  });

  it('writes a large one no faster than it is read, and loses nothing', async () => {
    const count = 2_000;
    let written = 0;
    async function* pieces() {
      for (; written < count; written++) {
        await Promise.resolve();
        yield piece;
      }
    }
    const response = await ask(sent => sendPieces(sent, pieces(), signal));
    await untilStalled(() => written);
    // The bytes written so far are in the buffers of the sockets: a few of the 131 megabytes.
    expect(written).toBeLessThan(count / 2);
    expect(await read(response)).toBe(count * piece.length);
  });

  it('gives up a reader who does not read when the time is over', async () => {
    const over = new AbortController();
    let ended: unknown = null;
    let written = 0;
    async function* pieces() {
      for (; ; written++) {
        await Promise.resolve();
        yield piece;
      }
    }
    await ask(sent => sendPieces(sent, pieces(), over.signal).catch((error: unknown) => void (ended = error)));
    await untilStalled(() => written);
    const reason = new Error('the time is over');
    over.abort(reason);
    while (ended === null) await nextTurn();
    expect(ended).toBe(reason);
  });

  it.each([
    [1, { status: 422, trailer: undefined }],
    [20, { status: 200, trailer: failure }],
  ])('reports a failure after %s pieces', async (count, { status, trailer }) => {
    async function* pieces() {
      for (let i = 0; i < count; i++) {
        await Promise.resolve();
        yield piece;
      }
      throw new Error('too large');
    }
    const response = await ask(sent => sendPieces(sent, pieces(), signal).catch(() => sendFailure(sent, failure)));
    await read(response);
    const text = response.trailers[headers.failure];
    expect([response.statusCode, text && JSON.parse(Buffer.from(text, 'base64').toString())]).toEqual([status, trailer]);
  });
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type Request, type Response } from 'express';
import { AnswerInPieces, AnswersUnreadError, LargeAnswers, StreamedAnswer } from './large-answers.js';
import { CallerGoneError } from '../call-signal.decorator.js';
import { itLong } from '../../../test/support/tier.js';

const mebibyte = 1_048_576;
/** The patience with a reader in these tests. On a busy machine an active reader may be unable to read for up to two seconds. */
const patienceMs = 2_000;
/** Far more bytes than the buffers of a socket take while nobody reads. */
const largeBytes = 40 * mebibyte;

describe('LargeAnswers', () => {
  const answers = new LargeAnswers(patienceMs, request => request.query.caller as string);
  const patient = new LargeAnswers(3_600_000, request => request.query.caller as string);
  /** Cuts a reader who has not taken 40 MiB within 0.64 s: 1 ms for each part of 64 KiB. */
  const brisk = new LargeAnswers(1, request => request.query.caller as string);
  const cut: unknown[] = [];
  const sockets: Socket[] = [];
  let server: Server;

  /** The function that writes the next streamed answer. */
  let make: StreamedAnswer['make'];
  const fail = (response: Response) => (error: Error) => {
    cut.push(error);
    if (response.headersSent) response.destroy();
    else if (error instanceof AnswersUnreadError) response.status(error.status).set(error.headers).json(error);
    else response.status(500).end();
  };

  beforeAll(async () => {
    const app = express();
    app.get('/large', (request: Request, response) => {
      const pieces = request.query.whole
        ? [Buffer.alloc(largeBytes, 'x')]
        : Array.from({ length: largeBytes / mebibyte }, () => Buffer.alloc(mebibyte, 'x'));
      answers.send(response, new AnswerInPieces('text/plain', pieces)).catch(fail(response));
    });
    app.get(['/streamed', '/patient'], (request: Request, response) => {
      const streamed = new StreamedAnswer({ 'X-Kind': 'streamed' }, make);
      (request.path === '/patient' ? patient : answers).send(response, streamed).catch(fail(response));
    });
    app.get(['/at-once', '/briskly'], (request: Request, response) => {
      response.once('prefinish', () => (request.path === '/briskly' ? brisk : answers).watch(response));
      response.end(Buffer.alloc(largeBytes, 'x'));
    });
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  const port = () => (server.address() as AddressInfo).port;
  const read = (caller: string, path = 'large', method = 'GET') => fetch(`http://127.0.0.1:${port()}/${path}?caller=${caller}`, { method });
  /** Sends a request and does not read the answer. Resolves when the answer is counted as unread. */
  async function leave(caller: string, path = 'large'): Promise<Socket> {
    const socket = net.connect(port(), '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    socket.pause();
    socket.write(`GET /${path}?caller=${caller} HTTP/1.1\r\nHost: x\r\n\r\n`);
    while (answers.unreadOf(caller) + patient.unreadOf(caller) === 0) await sleep(5);
    return socket;
  }

  it('sends all of an answer to a reader who keeps reading', async () => {
    expect((await (await read('lin')).arrayBuffer()).byteLength).toBe(largeBytes);
    expect(answers.unreadOf('lin')).toBe(0);
  });

  itLong('cuts no steady reader of one large piece, however long it takes', async () => {
    const { body } = await fetch(`http://127.0.0.1:${port()}/large?caller=yan&whole=1`);
    const began = performance.now();
    let bytes = 0;
    // The reader takes three times the patience.
    for await (const part of body!) {
      bytes += part.length;
      await sleep(began + (bytes / largeBytes) * 3 * patienceMs - performance.now());
    }
    expect([bytes, performance.now() - began > 2 * patienceMs]).toEqual([largeBytes, true]);
  });

  itLong('refuses a caller with much unread, and nobody else, until the stalled reader is cut', async () => {
    cut.length = 0;
    await leave('wei');
    const refused = await read('wei');
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      503,
      String(patienceMs / 1_000),
      expect.objectContaining({ code: 'answers_unread' }),
    ]);
    expect((await (await read('lin')).arrayBuffer()).byteLength).toBe(largeBytes);
    while (answers.unreadOf('wei') > 0) await sleep(20);
    expect(cut).toEqual([expect.any(AnswersUnreadError), expect.any(CallerGoneError)]);
    expect((await (await read('wei')).arrayBuffer()).byteLength).toBe(largeBytes);
  });

  it('forgets the answer to a reader who has gone', async () => {
    (await leave('mei')).destroy();
    while (answers.unreadOf('mei') > 0) await sleep(5);
    expect((await read('mei')).status).toBe(200);
  });

  it('counts an answer that was written at once, and cuts the next one that is too much', async () => {
    const socket = await leave('hua', 'at-once');
    expect(answers.unreadOf('hua')).toBeGreaterThanOrEqual(largeBytes);
    await expect(read('hua', 'at-once').then(answer => answer.arrayBuffer())).rejects.toThrow();
    socket.destroy();
    while (answers.unreadOf('hua') > 0) await sleep(5);
    expect((await (await read('hua', 'at-once')).arrayBuffer()).byteLength).toBe(largeBytes);
  });

  it('cuts an answer that was written at once when its reader does not take it in time', async () => {
    const socket = net.connect(port(), '127.0.0.1');
    const closed = once(
      socket.on('error', () => undefined),
      'close',
    );
    socket.write('GET /briskly?caller=bo HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    while (brisk.unreadOf('bo') > 0) await sleep(5);
    socket.resume();
    await closed;
    expect(socket.bytesRead).toBeLessThan(largeBytes);
  });

  describe('streamed answers', () => {
    /**
     * Makes the next streamed answer: 40 MiB in pieces of `bytes`, which is more than a socket's buffers take.
     * @returns `'whole'`, or the error that ended the writing
     */
    function inPieces(bytes = mebibyte): Promise<unknown> {
      return new Promise(resolve => {
        make = async write => {
          try {
            for (let left = largeBytes; left > 0; left -= bytes) await write([Buffer.alloc(bytes, 'x')]);
            resolve('whole');
          } catch (error) {
            resolve(error);
            throw error;
          }
        };
      });
    }

    it('go whole to a reader who keeps reading', async () => {
      const made = inPieces();
      const answer = await read('lin', 'streamed');
      expect([(await answer.arrayBuffer()).byteLength, answer.headers.get('x-kind'), await made]).toEqual([
        largeBytes,
        'streamed',
        'whole',
      ]);
      expect(answers.unreadOf('lin')).toBe(0);
    });

    it('are cut for a stalled reader, and their making ends', async () => {
      const made = inPieces();
      await leave('wei', 'streamed');
      expect(answers.unreadOf('wei')).toBeLessThanOrEqual(mebibyte);
      expect(await made).toBeInstanceOf(CallerGoneError);
      while (answers.unreadOf('wei') > 0) await sleep(5);
    });

    it('are refused for a piece beyond what the caller may leave unread, at the beginning and later', async () => {
      void inPieces(largeBytes);
      const socket = await leave('jun', 'patient');
      const refused = await read('jun', 'patient');
      expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ code: 'answers_unread' })]);
      make = async write => {
        await write([Buffer.from('x')]);
        await write([Buffer.alloc(largeBytes)]);
      };
      await expect(read('jun', 'patient').then(answer => answer.arrayBuffer())).rejects.toThrow();
      expect(cut.at(-1)).toBeInstanceOf(AnswersUnreadError);
      socket.destroy();
      while (patient.unreadOf('jun') > 0) await sleep(5);
    });

    it('may become an error before their first piece, and a 204 without any', async () => {
      make = () => Promise.reject(new Error('Nothing to send'));
      expect((await read('lin', 'streamed')).status).toBe(500);
      make = () => Promise.resolve();
      expect((await read('lin', 'streamed')).status).toBe(204);
      make = write => write([]);
      const empty = await read('lin', 'streamed');
      expect([empty.status, await empty.text(), empty.headers.get('x-kind')]).toEqual([200, '', 'streamed']);
    });

    it('end their making for a HEAD after the headers', async () => {
      const made = inPieces();
      const answer = await read('lin', 'patient', 'HEAD');
      expect([answer.status, answer.headers.get('x-kind')]).toEqual([200, 'streamed']);
      expect(await made).toBeInstanceOf(CallerGoneError);
    });
  });
});

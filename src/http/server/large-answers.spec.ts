import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type Request } from 'express';
import { AnswerInPieces, LargeAnswers } from './large-answers.js';
import { itLong } from '../../../test/support/tier.js';

const mebibyte = 1_048_576;
/** A busy machine may keep a reader who reads from reading for two seconds. */
const patienceMs = 2_000;
/** Far more than a socket takes without being read. */
const largeBytes = 40 * mebibyte;

describe('LargeAnswers', () => {
  const answers = new LargeAnswers(patienceMs, request => request.query.caller as string);
  const cut: unknown[] = [];
  const sockets: Socket[] = [];
  let server: Server;

  beforeAll(async () => {
    const app = express();
    app.get('/large', (request: Request, response) => {
      const pieces = request.query.whole
        ? [Buffer.alloc(largeBytes, 'x')]
        : Array.from({ length: largeBytes / mebibyte }, () => Buffer.alloc(mebibyte, 'x'));
      answers.send(response, new AnswerInPieces('text/plain', pieces)).catch((error: unknown) => {
        cut.push(error);
        response.destroy();
      });
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
  const read = (caller: string) => fetch(`http://127.0.0.1:${port()}/large?caller=${caller}`);
  /** Asks, and reads nothing. */
  async function leave(caller: string): Promise<Socket> {
    const socket = net.connect(port(), '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    socket.pause();
    socket.write(`GET /large?caller=${caller} HTTP/1.1\r\nHost: x\r\n\r\n`);
    while (answers.unreadOf(caller) === 0) await sleep(5);
    return socket;
  }

  it('sends all of an answer to whoever reads it', async () => {
    expect((await (await read('lin')).arrayBuffer()).byteLength).toBe(largeBytes);
    expect(answers.unreadOf('lin')).toBe(0);
  });

  itLong('cuts no steady reader of one large piece, however long it takes', async () => {
    const { body } = await fetch(`http://127.0.0.1:${port()}/large?caller=yan&whole=1`);
    const began = performance.now();
    let bytes = 0;
    for await (const part of body!) {
      bytes += part.length;
      await sleep(began + (bytes / largeBytes) * 3 * patienceMs - performance.now());
    }
    expect([bytes, performance.now() - began > 2 * patienceMs]).toEqual([largeBytes, true]);
  });

  itLong('refuses a caller with much unread, and nobody else, until the stalled reader is cut', async () => {
    await leave('wei');
    const refused = await read('wei');
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      503,
      String(patienceMs / 1_000),
      expect.objectContaining({ code: 'answers_unread' }),
    ]);
    expect((await (await read('lin')).arrayBuffer()).byteLength).toBe(largeBytes);
    while (answers.unreadOf('wei') > 0) await sleep(20);
    expect(cut).toEqual([expect.objectContaining({ message: 'Unread answer' })]);
    expect((await (await read('wei')).arrayBuffer()).byteLength).toBe(largeBytes);
  });

  it('forgets the answer to a reader who has gone', async () => {
    (await leave('mei')).destroy();
    while (answers.unreadOf('mei') > 0) await sleep(5);
    expect((await read('mei')).status).toBe(200);
  });
});

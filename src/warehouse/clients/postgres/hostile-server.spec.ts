import net, { Socket, type Server } from 'node:net';
import { type Egress } from '../../../egress/egress.js';
import { type WarehouseClient } from '../warehouse.client.js';
import { postgresKind } from './postgres-kind.js';
import { listen } from '../../../../test/support/listen.js';

function message(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map(part => Buffer.from(part)));
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const ready = message('Z', 'I');
const column = (oid: number): Buffer =>
  message('T', '\0\x01a\0', Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, oid >> 8, oid & 255, 255, 255, 255, 255, 255, 255, 0, 0]));
const row = (text: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(text));
  return message('D', '\0\x01', length, text);
};

describe('a server that speaks PostgreSQL in bad faith', () => {
  let server: Server;
  let client: WarehouseClient;
  let socket: Socket;

  /** Answers everything that the protocol asks for, and each statement in its own way. */
  async function serve(answer: () => void): Promise<void> {
    server = net.createServer(accepted => {
      socket = accepted;
      let isNew = true;
      accepted
        .on('error', () => undefined)
        .on('data', bytes => {
          if (isNew) accepted.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]));
          else if (bytes[0] === 'Q'.charCodeAt(0)) accepted.write(Buffer.concat([message('C', 'BEGIN\0'), ready]));
          else if (bytes.includes('SELECT')) answer();
          isNew = false;
        });
    });
    const dsn = `postgres://reader:secret@127.0.0.1:${await listen(server)}/sales?sslmode=disable`;
    const egress = { socket: () => new Socket() } as Egress;
    client = await postgresKind.open({ dsn, options: {}, egress, answerMaxBytes: 16_777_216 });
  }
  afterEach(async () => {
    socket.destroy();
    server.close();
    await client.close();
  });

  const read = () => client.query({ claim: { caller: 1 }, sql: 'SELECT a', parameters: [], timeoutMs: 2_000, maxRows: 10 });

  it('is left when it sends more rows than it was asked for (risk: a million of them hold up everybody else)', async () => {
    const flood = Buffer.concat(Array<Buffer>(5_000).fill(row('x')));
    await serve(() => {
      socket.write(Buffer.concat([message('1'), message('2'), column(25)]));
      const send = (): void => {
        while (!socket.destroyed && socket.write(flood));
        socket.once('drain', send);
      };
      send();
    });
    await expect(read()).rejects.toMatchObject({ code: 'warehouse_unavailable' });
    expect(socket.bytesWritten).toBeLessThan(12_000_000);
  });

  it.each([
    ['no document', '{bad'],
    ['a document without end', '['.repeat(50_000) + ']'.repeat(50_000)],
  ])('is refused when it sends %s', async (_what, text) => {
    await serve(() =>
      socket.write(Buffer.concat([message('1'), message('2'), column(3802), row(text), message('C', 'SELECT 1\0'), ready])),
    );
    await expect(read()).rejects.toMatchObject({ code: 'warehouse_query_failed' });
  });
});

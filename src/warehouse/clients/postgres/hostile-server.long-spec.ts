import net, { Socket, type Server } from 'node:net';
import { type Readable } from 'node:stream';
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

  /** Starts a server that follows the protocol and answers each SELECT with `answer`. It sends `begun` before its answer to BEGIN. */
  async function serve(answer: () => void, begun = Buffer.alloc(0)): Promise<void> {
    server = net.createServer(accepted => {
      socket = accepted;
      let isNew = true;
      accepted
        .on('error', () => undefined)
        .on('data', bytes => {
          if (isNew) accepted.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]));
          else if (bytes[0] === 'Q'.charCodeAt(0)) accepted.write(Buffer.concat([begun, message('C', 'BEGIN\0'), ready]));
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

  it('is left when a message is malformed, in which node-postgres would read without end', async () => {
    await serve(() => socket.write(message('E')));
    await expect(read()).rejects.toMatchObject({ code: 'warehouse_unavailable' });
  });

  it('is read as texts where its rows are of no use, for the parsers of some types take seconds', async () => {
    const timestamps = Buffer.concat([column(1184), row('1'.repeat(900_000))]);
    await serve(
      () => socket.write(Buffer.concat([message('1'), message('2'), column(25), row('x'), message('C', 'SELECT 1\0'), ready])),
      timestamps,
    );
    expect((await read()).rows).toEqual([['x']]);
  });

  it('is left when it sends without being asked', async () => {
    await serve(() => socket.write(Buffer.concat([message('1'), message('2'), column(25), row('x'), message('C', 'SELECT 1\0'), ready])));
    await read();
    const begun = socket.bytesWritten;
    const notice = message('N', `SNOTICE\0M${'x'.repeat(60_000)}\0\0`);
    const closed = new Promise(resolve => socket.once('close', resolve));
    const send = (): void => {
      while (!socket.destroyed && socket.write(notice));
    };
    socket.on('drain', send);
    send();
    await closed;
    expect(socket.bytesWritten - begun).toBeLessThan(12_000_000);
  });

  describe('in a reading', () => {
    /** The server's answer to a COPY: a CopyOutResponse for one column, then `parts`. */
    const copyOf = (...parts: Buffer[]) => Buffer.concat([message('H', Buffer.from([0, 0, 1, 0, 0])), ...parts]);
    const reading = async () => client.openReading({ claim: { caller: 1 }, timeoutMs: 500 });

    it('is left when a message of COPY is shorter than its length', async () => {
      await serve(() => undefined);
      const opened = (await reading()) as unknown as {
        checkedCopy(sql: string): Readable;
        client: { query(copy: Readable): Readable };
        close(): Promise<void>;
      };
      socket.removeAllListeners('data').on('data', () => socket.write(copyOf(message('d', 'a\n'), Buffer.from('d\0\0\0\0\0'))));
      const copy = opened.client.query(opened.checkedCopy('COPY t TO STDOUT'));
      await expect(copy.toArray()).rejects.toThrow('shorter than its length');
      await opened.close();
    });

    it('is left when it does not answer the end', async () => {
      await serve(() => undefined);
      const opened = await reading();
      socket.removeAllListeners('data').on('data', () => undefined);
      const closed = new Promise(resolve => socket.once('close', resolve));
      await opened.close();
      await closed;
    });
  });
});

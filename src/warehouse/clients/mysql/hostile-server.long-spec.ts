import { once } from 'node:events';
import net, { Socket, type Server } from 'node:net';
import fc from 'fast-check';
import { describeCause } from '../../../common/logging/describe-cause.js';
import { type Egress } from '../../../egress/egress.js';
import { type WarehouseClient } from '../warehouse.client.js';
import { mysqlKind } from './mysql-kind.js';
import { greetingOf, ok, packet, prepared, resultOf } from '../../../../test/support/mysql-wire.js';
import { listen } from '../../../../test/support/listen.js';

type Answer = (socket: Socket, command: Buffer, count: number) => void;

const claim = { caller: 1 };

const greeting = greetingOf();
const fine = ok(2);
const refusal = (errno: number): Buffer => packet(2, [255, errno & 255, errno >> 8], Buffer.from('#HY000leaked banner'));

/** A server that accepts any login and the statements that set up the session. `answer` answers all other statements. */
function afterLogin(answer: Answer): Answer {
  return (socket, command, count) => {
    if (count === 0) socket.write(fine);
    else if (command[4] === 3 && /^(SET|START)/.test(command.toString('latin1', 5).replace(/^[^A-Z]*/, ''))) socket.write(ok(1));
    else answer(socket, command, count);
  };
}

/** A bound of time for what must not end by it, also on a busy machine. */
const generousMs = 30_000;

/** A server that returns the same result for each statement. 22 is the command COM_STMT_PREPARE, 23 COM_STMT_EXECUTE. */
function giving(result: Buffer): Answer {
  return afterLogin((socket, command) => void (command[4] === 23 ? socket.write(result) : command[4] === 22 && socket.write(prepared)));
}

describe('a server that speaks MySQL in bad faith', () => {
  let server: Server | undefined;
  let client: WarehouseClient | undefined;
  const sockets = new Set<Socket>();
  const servers = new Set<Server>();
  const clients = new Set<WarehouseClient>();

  async function serve(
    answer: Answer,
    {
      greet = greeting,
      answerMaxBytes = 200_000,
      connectMs = generousMs,
    }: { greet?: Buffer | null; answerMaxBytes?: number; connectMs?: number } = {},
  ): Promise<WarehouseClient> {
    server = net.createServer(socket => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      let count = 0;
      socket.on('data', command => answer(socket, command, count++));
      if (greet) socket.write(greet);
    });
    servers.add(server);
    const dsn = `mysql://reader:secret@127.0.0.1:${await listen(server)}/sales?ssl-mode=disabled`;
    const egress = { socket: () => new Socket() } as Egress;
    client = await mysqlKind.open({ dsn, options: { connect_timeout_ms: connectMs }, egress, answerMaxBytes });
    clients.add(client);
    return client;
  }
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    for (const each of servers) each.close();
    for (const each of clients) await each.close();
    for (const all of [sockets, servers, clients]) all.clear();
  });

  const read = (from: WarehouseClient, timeoutMs = generousMs) =>
    from.query({ claim, sql: 'SELECT 1', parameters: [], timeoutMs, maxRows: 10 });
  const failures = { code: expect.stringMatching(/^(warehouse_(unavailable|timeout|query_failed)|answer_too_large)$/) };

  it('gets no file that it asks for', async () => {
    const wantsFile = packet(1, [251], Buffer.from('/etc/passwd'));
    let asked = 0;
    let sent = Buffer.alloc(0);
    const ask = (socket: Socket): void => {
      asked++;
      socket.removeAllListeners('data').on('data', given => (sent = Buffer.concat([sent, given])));
      socket.write(wantsFile);
    };
    // The server asks for a file in place of the answer to the session's set-up, then in place of the rows of a statement.
    const early = await serve((socket, _command, count) => void (count === 0 ? socket.write(fine) : ask(socket)));
    await expect(read(early)).rejects.toMatchObject({ code: 'warehouse_unavailable' });
    const late = await serve(afterLogin((socket, command) => void (command[4] === 22 ? socket.write(prepared) : ask(socket))));
    await expect(read(late)).rejects.toMatchObject({ code: 'warehouse_unavailable' });
    expect(asked).toBe(2);
    // The client may answer each request only with an empty packet of 4 bytes, which means that the file does not exist.
    expect(sent.length).toBeLessThanOrEqual(8);
  });

  it('is not told the password in place of rows', async () => {
    let heard = '';
    const asking = await serve(
      afterLogin((socket, command) => {
        heard += command.toString('latin1');
        socket.write(packet(command[3]! + 1, [254], Buffer.from('mysql_clear_password\0')));
      }),
    );
    await expect(read(asking, 200)).rejects.toMatchObject(failures);
    expect(heard).toContain('SELECT 1');
    expect(heard).not.toContain('secret');
  });

  it('is cut off when it sends more than it may', async () => {
    const flood = Buffer.alloc(1_000_000, 0xff);
    const flooding = await serve(
      afterLogin(socket => {
        // Each packet states the length 0xffffff, which means that the next packet continues it. The answer therefore never ends.
        const send = (): void => {
          while (!socket.destroyed && socket.write(flood));
          socket.once('drain', send);
        };
        send();
      }),
    );
    await expect(read(flooding, 200)).rejects.toMatchObject(failures);
    expect([...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0)).toBeLessThan(50_000_000);
  });

  it('is cut off when its login never ends', async () => {
    const silent = await serve(() => undefined, { greet: null, connectMs: 500 });
    await expect(silent.test(claim)).rejects.toMatchObject({ failure: 'TIMEOUT', stage: 'login' });
    const dripping = await serve(socket => void setInterval(() => socket.write('x'), 20).unref(), {
      greet: greeting.subarray(0, 20),
      connectMs: 500,
    });
    await expect(dripping.test(claim)).rejects.toMatchObject({ failure: 'TIMEOUT', stage: 'login' });
  });

  it('is cut off when a row ends before its values (risk: each small row takes all bytes that follow it)', async () => {
    const long = await serve(giving(Buffer.concat([resultOf([{}], [[0, 0, 253, 255, 255, 127]]), Buffer.alloc(50_000, 'x')])));
    await expect(read(long)).rejects.toMatchObject({ code: 'warehouse_unavailable' });
    const columns = Array.from({ length: 100 }, () => ({ type: 6 }));
    const short = await serve(giving(resultOf(columns, [[0], [0]])));
    await expect(read(short)).rejects.toMatchObject({ code: 'warehouse_unavailable' });
  });

  it('may be an honest one with values of few bytes', async () => {
    const rows = [Buffer.from([0, 4, 0]), Buffer.from([0, 4, 3, ...Buffer.from('中')])];
    for (const charset of [33, 45, 255, 2304]) {
      const honest = await serve(giving(resultOf([{ type: 6, charset: 63 }, { charset }], rows)));
      expect((await read(honest)).rows).toEqual([
        [null, ''],
        [null, '中'],
      ]);
    }
  });

  it('is cut off when a result has more columns or values than any of use (risk: they take far more memory than bytes)', async () => {
    const wide = await serve(giving(resultOf(Array(8_300).fill({ name: '' }), [])));
    await expect(read(wide)).rejects.toMatchObject({ code: 'warehouse_unavailable' });
    const nulls = Array<Buffer>(401).fill(Buffer.from([0, ...Array<number>(313).fill(255)]));
    const full = await serve(giving(resultOf(Array(2_500).fill({ type: 6, name: '' }), nulls)));
    const request = { claim, sql: 'SELECT 1', parameters: [], timeoutMs: generousMs, maxRows: 1_000 };
    await expect(full.query(request)).rejects.toMatchObject({ code: 'warehouse_query_failed', detail: expect.stringContaining('values') });
  });

  it('is cut off when it sends text that Node does not decode, or long text in one row (risk: seconds in one turn)', async () => {
    const text = await serve(giving(resultOf([{ charset: 28 }], [[0, 1, 97]])));
    await expect(read(text)).rejects.toMatchObject({ code: 'warehouse_unavailable' });
    const row = Buffer.concat([Buffer.from([0, 253, 64, 66, 64]), Buffer.alloc(0x404240, 'x')]);
    const long = await serve(giving(resultOf([{}], [row])), { answerMaxBytes: 16_777_216 });
    await expect(read(long)).rejects.toMatchObject({
      code: 'warehouse_query_failed',
      message: expect.stringContaining('one row is larger than 4 MiB'),
    });
    const name = await serve(giving(resultOf([{ name: 'x'.repeat(250) }, {}], [])));
    await expect(read(name)).resolves.toMatchObject({ rows: [] });
    const message = packet(1, [0, 0, 0, 2, 0, 0, 0], Buffer.alloc(70_000, 'x'));
    const talking = await serve(giving(message));
    await expect(read(talking)).rejects.toMatchObject({ code: 'answer_too_large' });
  });

  it('is cut off when it sends a result that nobody asked for', async () => {
    const result = resultOf([{ type: 1 }], []);
    const early = await serve((socket, _command, count) => void socket.write(count === 0 ? fine : result));
    await expect(read(early)).rejects.toMatchObject({ failure: 'PROTOCOL' });
    // Sets the flag SERVER_MORE_RESULTS_EXISTS in the last packet of the result.
    result[result.length - 2]! |= 8;
    const second = await serve(giving(Buffer.concat([result, ok(5)])));
    await expect(read(second)).rejects.toMatchObject({ code: 'warehouse_unavailable' });
  });

  it('does not hold up the end of a reading (risk: others wait for its place)', async () => {
    const answer = giving(resultOf([{}], []));
    let unanswered = 0;
    const silent = await serve((socket, command, count) => {
      if (/ROLLBACK|KILL/.test(command.toString('latin1'))) unanswered++;
      else answer(socket, command, count);
    });
    const reading = await silent.openReading({ claim, timeoutMs: 60_000 });
    await reading.close();
    await silent.close();
    expect(unanswered).toBe(2);
  });

  it('describes a table within the bounds of an answer when it is read (risk: a reading holds all rows of the catalogue)', async () => {
    let sent = 0;
    const answer = giving(resultOf([{}], []));
    const endless = await serve((socket, command, count) => {
      if (command[4] !== 23 || sent++ === 0) return answer(socket, command, count);
      socket.write(resultOf(Array(4).fill({}), Array(30_000).fill([0, 0, 1, 97, 1, 97, 1, 97, 1, 97])));
    });
    const reading = await endless.openReading({ claim, timeoutMs: 60_000 });
    const [error] = (await once(reading.rows({ table: 'a', columns: ['a'] }), 'error')) as [Error];
    expect(error).toMatchObject({ code: 'answer_too_large' });
    await reading.close();
  });

  it('is cut off when it answers a statement byte by byte', async () => {
    const dripping = await serve(afterLogin(socket => void setInterval(() => socket.write(Buffer.from([9])), 50).unref()));
    await expect(read(dripping, 200)).rejects.toMatchObject(failures);
  });

  it('has its words kept from users', async () => {
    for (const [errno, failure] of [
      [1040, 'TOO_MANY_CONNECTIONS'],
      [1045, 'AUTH_FAILED'],
      [1049, 'DATABASE_MISSING'],
      [3159, 'TLS_REQUIRED'],
      [9999, 'READ_FAILED'],
    ] as const) {
      // prettier-ignore
      const refusing = await serve(socket => socket.write(refusal(errno)));
      const error = await refusing.test(claim).catch((thrown: { failure: string; detail: unknown }) => thrown);
      expect(error).toMatchObject({ failure });
      expect(JSON.stringify((error as { detail: unknown }).detail)).not.toContain('leaked');
      expect(JSON.stringify(describeCause(error))).not.toContain('leaked');
    }
  });

  it('is told from one that speaks another protocol', async () => {
    const web = await serve(() => undefined, { greet: Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), connectMs: 500 });
    await expect(web.test(claim)).rejects.toMatchObject({ failure: expect.stringMatching(/PROTOCOL|TIMEOUT/) });
    await serve(() => undefined);
    server!.removeAllListeners('connection').on('connection', socket => socket.destroy());
    await expect(client!.test(claim)).rejects.toMatchObject({ failure: 'PROTOCOL' });
  });

  it('ends nothing but its own connection, whatever it sends', async () => {
    const logged = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
    const packets = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.uint8Array({ minLength: 1, maxLength: 40 })), {
      minLength: 1,
      maxLength: 6,
    });
    const answers = fc.oneof(
      bytes.map(all => Buffer.from(all)),
      packets.map(all => Buffer.concat(all.map(([sequence, body]) => packet(sequence, Buffer.from(body))))),
    );
    await fc.assert(
      fc.asyncProperty(fc.boolean(), answers, async (isLoggedIn, answer) => {
        const send: Answer = socket => socket.end(answer);
        const garbling = await serve(isLoggedIn ? afterLogin(send) : send);
        await read(garbling).then(
          () => undefined,
          (error: unknown) => expect(error).toHaveProperty('status'),
        );
        await garbling.close();
        server!.close();
      }),
      { numRuns: 150 },
    );
    logged.mockRestore();
  });
});

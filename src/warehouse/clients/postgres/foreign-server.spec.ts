import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { describeCause } from '../../../common/logging/describe-cause.js';
import { readSettings } from '../../../config/settings.js';
import { Egress } from '../../../egress/egress.js';
import { postgresKind } from './postgres-kind.js';

/** A message of PostgreSQL's protocol. */
function message(type: string, body = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const loggedIn = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const begun = Buffer.concat([message('C', Buffer.from('BEGIN\0')), message('Z', Buffer.from('I'))]);
const notice = message('N', Buffer.from(`SNOTICE\0M${'x'.repeat(10_000)}\0\0`));

/** Sends notices without end, as fast as the client reads them. */
function flood(socket: Socket): void {
  const send = (): void => {
    while (!socket.destroyed && socket.write(notice)) continue;
  };
  socket.on('drain', send);
  send();
}

describe('a server that only pretends to be PostgreSQL', () => {
  /**
   * Tests a connection to a server that replies to the client's messages with `answers`, one after the other. Returns the failure of the
   * test, the number of bytes that the server sent, and the text that it received.
   */
  async function tested(answers: ((socket: Socket) => void)[]): Promise<{ failure: unknown; sent: number; heard: string }> {
    let heard = '';
    const sockets: Socket[] = [];
    const server = net.createServer(socket => {
      sockets.push(socket.on('error', () => undefined));
      const left = [...answers];
      socket.on('data', bytes => {
        heard += bytes.toString('latin1');
        left.shift()?.(socket);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = await postgresKind.open({
      dsn: `postgres://u:pa55word@127.0.0.1:${(server.address() as AddressInfo).port}/d`,
      options: { ssl_mode: 'disable' },
      egress: new Egress(readSettings({ WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' })),
      answerMaxBytes: 1_000_000,
    });
    try {
      const failure: unknown = await client.test({ caller: 1 }).catch((error: unknown) => error);
      return { failure, sent: sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0), heard };
    } finally {
      await client.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  }
  const say = (bytes: Buffer) => (socket: Socket) => void socket.write(bytes);
  // A row that claims 32,767 values and has none.
  const broken = message('D', Buffer.from([0x7f, 0xff]));

  it.each([
    ['at the login', [say(broken)]],
    ['when a transaction begins', [say(loggedIn), say(broken)]],
    ['instead of rows', [say(loggedIn), say(begun), say(broken)]],
    ['between statements', [say(Buffer.concat([loggedIn, message('G', Buffer.alloc(3)), broken]))]],
  ])('fails the reading with a message that cannot be read %s (risk: it ends the process)', async (_when, answers) => {
    const { failure } = await tested(answers);
    expect(failure).toMatchObject({ code: 'warehouse_unavailable' });
  });

  it('is not told the password in clear text', async () => {
    const { failure, heard } = await tested([say(message('R', Buffer.from([0, 0, 0, 3])))]);
    expect(failure).toMatchObject({ failure: 'CLEAR_PASSWORD', stage: 'login' });
    expect(heard).not.toContain('pa55word');
    // A request for MD5 is answered, because the salted hash does not reveal the password.
    const md5 = await tested([say(message('R', Buffer.from([0, 0, 0, 5, 1, 2, 3, 4]))), say(loggedIn), say(broken)]);
    expect(md5.heard).toMatch(/md5[0-9a-f]{32}/);
  });

  it.each([
    ['at the login', []],
    ['in a statement', [say(loggedIn), say(begun)]],
  ])('has its words kept from the log %s', async (_when, before) => {
    const words = message('E', Buffer.from('SFATAL\0C57P01\0Mmy banner\0ttable banner\0\0'));
    const { failure } = await tested([...before, say(words)]);
    const logged = JSON.stringify(describeCause(failure));
    expect(logged).toContain('57P01');
    expect(logged).not.toContain('banner');
  });

  it.each([
    ['the login', [flood]],
    ['the beginning of a transaction', [say(loggedIn), flood]],
    ['rows', [say(loggedIn), say(begun), flood]],
  ])('is cut when it sends without end during %s', async (_when, answers) => {
    const started = performance.now();
    const { failure, sent } = await tested(answers);
    expect(failure).toBeInstanceOf(Error);
    expect(sent).toBeLessThan(20_000_000);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

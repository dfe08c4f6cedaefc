import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { gatherChunks } from './gather-chunks.js';
import { listen } from '../../../test/support/listen.js';

describe('gathering the chunks of a body', () => {
  const refuse = jest.fn<void, []>();
  const bodies: Promise<Buffer[]>[] = [];
  const server = http.createServer((request, response) => {
    gatherChunks(request, () => {
      refuse();
      request.destroy();
    });
    const body = readAll(request);
    body.catch(() => undefined);
    bodies.push(body);
    body.then(
      () => response.end(),
      () => undefined,
    );
  });
  let port: number;
  beforeAll(async () => {
    port = await listen(server);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    bodies.length = 0;
    refuse.mockClear();
  });

  const open = () => http.request({ port, host: '127.0.0.1', method: 'POST' }).on('error', () => undefined);

  it('gives all bytes in their order, in few pieces', async () => {
    const request = open();
    const sent: Buffer[] = [];
    for (let i = 0; i < 30_000; i++) {
      const chunk = Buffer.from(`${i}`.padEnd(16 + (i % 50), '.'));
      sent.push(chunk);
      if (!request.write(chunk)) await once(request, 'drain');
    }
    request.end();
    await once(request, 'response');
    const pieces = (await bodies[0])!;
    expect(Buffer.concat(pieces).equals(Buffer.concat(sent))).toBe(true);
    expect(pieces.length).toBeLessThan(3_000);
    expect(refuse).not.toHaveBeenCalled();
  });

  it('passes a small chunk on before the next has come', async () => {
    const request = open();
    request.write('first');
    const [incoming] = (await once(server, 'request')) as [IncomingMessage];
    const [first] = (await once(incoming, 'data')) as [Buffer];
    expect(first.toString()).toBe('first');
    request.end('last');
    await once(request, 'response');
    expect(Buffer.concat((await bodies[0])!).toString()).toBe('firstlast');
  });

  it('leaves a body of a known length alone', async () => {
    const request = open();
    request.end('x'.repeat(100_000));
    await once(request, 'response');
    expect(Buffer.concat((await bodies[0])!)).toHaveLength(100_000);
  });

  it('refuses chunks of a few bytes once, and never tells their end', async () => {
    const request = open();
    for (let i = 0; i < 20_000; i++) request.write('x');
    request.end();
    await new Promise(resolve => request.on('close', resolve));
    expect(refuse).toHaveBeenCalledTimes(1);
    await expect(bodies[0]).rejects.toThrow();
  });
});

async function readAll(request: IncomingMessage): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return pieces;
}

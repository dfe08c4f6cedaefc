import net from 'node:net';
import { mkdir } from 'node:fs/promises';
import pg from 'pg';
import { describeStartFailure } from './describe-start-failure.js';

describe('describeStartFailure', () => {
  it('names PORT for a port that is taken', async () => {
    const first = net.createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => first.once('listening', resolve));
    const { port } = first.address() as net.AddressInfo;
    const error = await new Promise(resolve => net.createServer().once('error', resolve).listen(port, '127.0.0.1'));
    first.close();
    expect(describeStartFailure(error)).toBe(
      `端口 ${port} 已被占用，请用 PORT 指定另一个端口 / Port ${port} is taken: set PORT to another one`,
    );
  });

  it('names DATABASE_URL for a database that does not answer', async () => {
    const error = await new pg.Client('postgresql://x@127.0.0.1:1/x').connect().catch((cause: unknown) => cause);
    expect(describeStartFailure(error)).toMatch(/DATABASE_URL \/ .*ECONNREFUSED.*: check DATABASE_URL$/);
  });

  it('names DATA_DIR for a directory that cannot be made', async () => {
    const error = await mkdir('/dev/null/data').catch((cause: unknown) => cause);
    expect(describeStartFailure(error)).toMatch(/DATA_DIR .* \/ Cannot use \/dev\/null\/data \(ENOTDIR\): set DATA_DIR/);
  });
});

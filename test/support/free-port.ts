import net from 'node:net';

/** Each Jest worker has 2,000 ports of its own. They are below 32,768, where Linux's ports for outgoing connections begin. */
const first = 10_000 + (Number(process.env.JEST_WORKER_ID ?? 1) % 10) * 2_000;
let next = Math.floor(Math.random() * 2_000);

/** Returns a port on which nothing listens, and which Linux does not use for an outgoing connection meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (next++ % 2_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

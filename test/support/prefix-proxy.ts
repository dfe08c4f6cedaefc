import { createServer, request as ask, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A proxy that serves the service under /graph. With `takesPathOff` it removes this prefix before it forwards a request. */
export async function proxyTo(url: string, takesPathOff: boolean): Promise<{ server: Server; url: string }> {
  const server = createServer((incoming, answer) => {
    const path = takesPathOff ? incoming.url!.replace(/^\/graph/, '') : incoming.url!;
    const outgoing = ask(new URL(path === '' ? '/' : path, url), { method: incoming.method, headers: incoming.headers }, response => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(outgoing);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

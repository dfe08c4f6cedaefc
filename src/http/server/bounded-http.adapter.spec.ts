import { once } from 'node:events';
import { type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Express } from 'express';
import { BoundedHttpAdapter } from './bounded-http.adapter.js';
import { LargeAnswers } from './large-answers.js';

describe('BoundedHttpAdapter', () => {
  it('makes requests and responses with the prototypes of its application, so that Express need not change them', async () => {
    const adapter = new BoundedHttpAdapter(
      { maxHeaderBytes: 8_192, headersTimeoutMs: 1_000, requestTimeoutMs: 1_000, maxConnections: 10 },
      new LargeAnswers(1_000, () => ''),
    );
    adapter.initHttpServer();
    const app = adapter.getInstance<Express>();
    app.get('/', (_request, response) => response.json({ app: response.app === app }));
    const server = adapter.getHttpServer() as Server;
    const born: unknown[] = [];
    server.prependListener('request', (request, response) => born.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      expect(await answer.json()).toEqual({ app: true });
      expect(born[0]).toBe(app.request);
      expect(born[1]).toBe(app.response);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

import http from 'node:http';
import { startTestApp, type TestApp } from './support/app.js';
import { sendRaw } from './support/raw-http.js';

const origin = 'https://app.example.com';

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/**
 * The headers for browsers: the origins that may call, and what an answer may do. Requests are sent by hand, since `fetch` sets no
 * `Origin`.
 */
describe('rules for browsers', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ CORS_ORIGINS: `${origin}, http://localhost:3000` });
  });
  afterAll(() => test.close());

  function send(method: string, path: string, headers: Record<string, string> = {}, body?: string, url = test.url): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = http.request(`${url}${path}`, { method, headers, agent: false }, response => {
        let text = '';
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: text }));
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  const preflight = (from: string, path = '/api/graphs') =>
    send('OPTIONS', path, {
      Origin: from,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization, x-evil',
    });

  describe('origins', () => {
    it.each([origin, 'http://localhost:3000'])('lets %s in', async from => {
      const { headers } = await send('GET', '/api/settings', { Origin: from });
      expect(headers['access-control-allow-origin']).toBe(from);
      expect(headers.vary).toContain('Origin');
    });

    it.each([
      'null',
      'https://app.example.com.evil.test',
      'https://evil.app.example.com',
      'https://app.example.co',
      'https://evilapp.example.com',
      'https://APP.example.com',
      'HTTPS://app.example.com',
      'https://app.example.com:443',
      'https://app.example.com:8443',
      'http://app.example.com',
      'https://app.example.com/',
      'https://app.example.com http://localhost:3000',
      'http://localhost:30000',
      'http://localhost',
      '*',
      '',
    ])('does not let %p in, and reflects nothing of it', async from => {
      for (const answer of [await send('GET', '/api/settings', { Origin: from }), await preflight(from)]) {
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
        expect(answer.headers.vary).toContain('Origin');
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      }
    });

    it.each([
      ['401', 'GET', '/api/auth/me', undefined, 401],
      ['404', 'GET', '/api/nowhere', undefined, 404],
      ['400 of the body parser', 'POST', '/api/auth/login', '{', 400],
      ['422', 'POST', '/api/auth/login', '{"username":1,"password":2}', 422],
      ['400 of the path', 'GET', '/api/graphs/%FF', undefined, 400],
    ])('may read a %s too, with its request id', async (_, method, path, body, status) => {
      const answer = await send(method, path, { Origin: origin, 'Content-Type': 'application/json' }, body);
      expect(answer.status).toBe(status);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers['access-control-expose-headers']).toContain('X-Request-ID');
      expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
      expect(answer.headers['x-request-id']).toBeDefined();
    });

    it('may ask in advance without credentials, for the headers that the API reads and no others', async () => {
      const answer = await preflight(origin, '/api/graphs/1/query');
      expect(answer.status).toBe(204);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers['access-control-allow-methods']).toBe('GET,HEAD,POST,PUT,PATCH,DELETE');
      expect(answer.headers['access-control-allow-headers']).toContain('Authorization');
      expect(answer.headers['access-control-allow-headers']).not.toContain('x-evil');
      expect(answer.headers['access-control-max-age']).toBe('600');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    });

    it('are all refused when none is configured', async () => {
      const closed = await startTestApp();
      try {
        const answer = await send('GET', '/api/settings', { Origin: origin }, undefined, closed.url);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
        const asked = await send(
          'OPTIONS',
          '/api/settings',
          { Origin: origin, 'Access-Control-Request-Method': 'GET' },
          undefined,
          closed.url,
        );
        expect(asked.status).toBe(404);
      } finally {
        await closed.close();
      }
    });
  });

  it('counts no preflight against any limit', async () => {
    const limited = await startTestApp({ CORS_ORIGINS: origin, RATE_LIMIT_SCALE: '1' });
    try {
      const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
      // More than the 300 that an address without credentials has in a minute.
      for (let asked = 0; asked < 320; asked++) {
        const { status } = await send('OPTIONS', '/api/graphs/1/query', headers, undefined, limited.url);
        if (status !== 204) throw new Error(`Preflight ${asked} was answered with ${status}`);
      }
      const login = await send(
        'POST', '/api/auth/login', { Origin: origin, 'Content-Type': 'application/json' }, '{"username":"nobody","password":"wrong"}', limited.url,
      ); // prettier-ignore
      expect(login.status).toBe(401);
    } finally {
      await limited.close();
    }
  });

  describe('answers', () => {
    it.each([
      ['an answer', '/api/settings'],
      ['an error', '/api/auth/me'],
      ['an unknown route', '/api/nowhere'],
      ['the API document', '/openapi.json'],
      ['a path without the prefix', '/settings'],
    ])('%s may not be stored, sniffed, framed or run', async (_, path) => {
      const { headers } = await send('GET', path);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      });
      expect(headers['x-powered-by']).toBeUndefined();
      expect(headers.etag).toBeUndefined();
    });

    it('of Swagger UI run only its own scripts, and it needs no others', async () => {
      const page = await send('GET', '/docs');
      expect(page.status).toBe(200);
      const policy = page.headers['content-security-policy']!;
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toMatch(/unsafe-eval|upgrade-insecure-requests|script-src[^;]*unsafe-inline/);
      // Every script comes from this origin. None stands in the page or in an attribute.
      const scripts = [...page.body.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];
      expect(scripts.length).toBeGreaterThan(0);
      for (const [, attributes, text] of scripts) {
        expect(text!.trim()).toBe('');
        const source = /src=['"]([^'"]+)['"]/.exec(attributes!)![1]!;
        expect(source).not.toMatch(/^(https?:)?\/\//);
        const script = await send('GET', new URL(source, 'http://x/docs').pathname);
        expect(script.status).toBe(200);
        expect(script.headers['content-type']).toContain('javascript');
      }
      expect(page.body).not.toMatch(/ on\w+=["']|javascript:/i);
      for (const [, source] of page.body.matchAll(/<link[^>]+href=["']([^"']+)["']/g)) expect(source).not.toMatch(/^(https?:)?\/\//);
    });

    it('of Swagger UI keep no token in the browser in production', async () => {
      const initialised = async (url: string) => (await send('GET', '/docs/swagger-ui-init.js', {}, undefined, url)).body;
      expect(await initialised(test.url)).toMatch(/"persistAuthorization": true/);
      const production = await startTestApp({ NODE_ENV: 'production' });
      try {
        expect(await initialised(production.url)).toMatch(/"persistAuthorization": false/);
      } finally {
        await production.close();
      }
    });
  });

  it.each([
    ['431', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(9_000)}\r\n\r\n`, 431],
    ['400 of the parser', 'NONSENSE\r\n\r\n', 400],
    ['refused CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
  ])('give a %s, which no route answers, the same headers as any other answer', async (_, bytes, status) => {
    const usual = (await send('GET', '/api/nowhere')).headers;
    const [answer] = (await sendRaw(test.url, bytes)).responses;
    expect(answer!.status).toBe(status);
    const fixed = Object.entries(usual).filter(
      ([name]) => !/^(x-request-id|date|content-length|connection|keep-alive|vary|ratelimit.*|access-control-.*)$/.test(name),
    );
    expect(fixed.map(([name]) => name)).toEqual(
      expect.arrayContaining(['content-security-policy', 'x-content-type-options', 'cache-control']),
    );
    expect(answer!.headers).toMatchObject(Object.fromEntries(fixed));
    expect(answer!.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  });
});

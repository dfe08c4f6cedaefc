import { scrubber } from './scrub-secrets.js';

const jwt = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIiwidHYiOjB9.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

describe('scrubbing a log line', () => {
  it.each([
    ['a token', `got ${jwt} from`, jwt],
    ['an API key', 'got gsk_Ab3dEf9h_0123456789abcdefghijABCDEFGHIJ from', '0123456789abcdefghijABCDEFGHIJ'],
    ['a bearer header', 'Authorization: Bearer abc.def.ghi-jkl', 'abc.def.ghi-jkl'],
    ['basic credentials', 'Basic dXNlcjpodW50ZXIy', 'dXNlcjpodW50ZXIy'],
    ['a password in a URL', 'cannot reach postgresql://app:hunter2@db.internal/x', 'hunter2'],
    ['a password of JSON', '{"body":{"password":"hunter2"}}', 'hunter2'],
    ['a password of JSON inside of JSON', String.raw`{"msg":"Unexpected token in {\"password\":\"hunter2\"}"}`, 'hunter2'],
    ['a password of a query string', '/login?user=a&password=hunter2&x=1', 'hunter2'],
    ['a password of a connection string', "host=db password='hunter2' user=app", 'hunter2'],
    ['a cookie', 'Cookie: session=hunter2', 'hunter2'],
    ['a raw key', 'raw_key: hunter2', 'hunter2'],
  ])('hides %s', (_, line, secret) => {
    expect(line).toContain(secret);
    expect(scrubber([])(line)).not.toContain(secret);
  });

  it('hides the secrets of the environment anywhere in a line, also escaped', () => {
    const scrub = scrubber(['correct horse', 'quo"ted\\secret', 'abc']);
    expect(scrub('the correct horse and abc')).toBe('the [secret] and abc');
    expect(scrub(JSON.stringify({ text: 'a quo"ted\\secret' }))).toBe('{"text":"a [secret]"}');
  });

  it('leaves ordinary lines as they are, and every line valid JSON', () => {
    const lines = [
      { level: 30, request_id: 'a-b', method: 'PUT', path: '/auth/password', status: 200, ms: 1.5 },
      { code: 'password_change_required', bucket: 'password', tokens: 3 },
      { sql: 'SELECT u.password_hash, token_version FROM users u WHERE id = $1' },
    ];
    for (const line of lines) expect(scrubber([])(JSON.stringify(line))).toBe(JSON.stringify(line));
    for (const text of ['password="x', 'token:\\"', 'a:b@//x:y@z', `"Bearer ${jwt}"`, 'secret=\\u0000\\n']) {
      expect(() => JSON.parse(scrubber([])(JSON.stringify({ text })))).not.toThrow();
    }
  });

  it.each([['//'], ['//a:'], ['eyJ'], ['gsk_'], ['password='], ['Bearer '], ['token" : "'], ['a'], ['eyJaaaaaaaa.']])(
    'takes time in proportion to the length of a line of %j',
    part => {
      const scrub = scrubber(['a secret of the environment']);
      const line = part.repeat(Math.ceil(200_000 / part.length));
      const startedAt = performance.now();
      scrub(line);
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    },
  );
});

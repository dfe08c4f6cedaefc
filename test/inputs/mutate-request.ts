const json = 'Content-Type: application/json\r\n';
const body = '{"username":"admin","password":"wrong-wrong"}';

/** Valid requests of each kind that Node's HTTP parser distinguishes: with and without a body, chunked, with many headers, pipelined. */
const originals = [
  'GET /health HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /api/graphs?limit=5&cursor=x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a.b.c\r\nAccept: */*\r\n\r\n',
  `POST /api/auth/login HTTP/1.1\r\nHost: a\r\n${json}Content-Length: ${body.length}\r\n\r\n${body}`,
  `POST /api/auth/login HTTP/1.1\r\nHost: a\r\n${json}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  `PUT /api/warehouse/connections/1/tables/t HTTP/1.1\r\nHost: a\r\nContent-Type: text/csv\r\nContent-Length: 8\r\n\r\na,b\n1,2\n`,
  `POST /metrics/parse HTTP/1.1\r\nHost: a\r\n${json}X-API-Key: gsk_a_b\r\nContent-Length: 15\r\n\r\n{"formula":"1"}`,
  'HEAD /api/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'OPTIONS /api/graphs HTTP/1.1\r\nHost: a\r\nOrigin: https://b.example\r\nAccess-Control-Request-Method: PUT\r\n\r\n',
  `POST /api/auth/login HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n${json}Content-Length: ${body.length}\r\n\r\n${body}`,
  'GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /api/nowhere HTTP/1.1\r\nHost: a\r\n\r\n',
];

/** Fragments that often cause errors in parsers. They are inserted, or replace a part of the request. */
const fragments = [
  '\r', '\n', '\r\n', '\r\n\r\n', '\0', '\t', ' ', ':', ';', ',', '%', '%00', '%FF', '\xff', '\xef\xbb\xbf', '\x7f', '../', '//', '?', '#', '&', '"', '{', '}', '[',
  'HTTP/0.9', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'Host: b\r\n', 'Content-Length: 5\r\n', 'Content-Length: -1\r\n', 'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: gzip, chunked\r\n', 'Content-Encoding: gzip\r\n', 'Connection: Upgrade\r\nUpgrade: h2c\r\n', 'Expect: x\r\n',
  'X-Request-ID: \x80\r\n', 'Cookie: a\r\n', ' folded\r\n', 'Trailer: x\r\n', 'Authorization: Bearer  x\r\n', '0\r\n\r\n', 'ffffffffffffffff\r\n', '1;a="b\r\n', 'FOO', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'CONNECT a:1', 'http://x/', 'a'.repeat(3_000),
]; // prettier-ignore

/** Changes one of the valid requests in one to four places. */
export function mutate(random: () => number): Buffer {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  let text = pick(originals);
  for (let times = 1 + Math.floor(random() * 4); times > 0; times--) {
    const at = Math.floor(random() * (text.length + 1));
    const length = Math.floor(random() ** 3 * 40);
    switch (Math.floor(random() * 6)) {
      case 0:
        text = text.slice(0, at) + text.slice(at + length);
        break;
      case 1:
        text = text.slice(0, at) + pick(fragments) + text.slice(at);
        break;
      case 2:
        text = text.slice(0, at) + pick(fragments) + text.slice(at + length);
        break;
      case 3:
        text = text.slice(0, at) + String.fromCharCode(Math.floor(random() * 256)) + text.slice(at + 1);
        break;
      case 4:
        text = text.slice(0, at) + text.slice(at, at + length).repeat(2) + text.slice(at + length);
        break;
      default:
        text = text.slice(0, at);
    }
  }
  return Buffer.from(text, 'latin1');
}

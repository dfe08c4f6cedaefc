import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import https from 'node:https';
import {
  answer,
  checkOnline,
  dataPath,
  html,
  type Outcome,
  server,
  silence,
  target,
  useDataDirectory,
  useLicenseServer,
} from '../../../test/support/licence-checks.js';
import { type Answering } from '../../../test/support/licensor.js';
import { listen } from '../../../test/support/listen.js';
import { everyNth } from '../../../test/support/tier.js';

useDataDirectory();
useLicenseServer();

describe('an answer that is not a licence answer', () => {
  const status = (code: number, headers = {}) => answer({ status: code, headers });
  const cases: [string, Answering, Outcome][] = [
    ...[201, 202, 204, 400, 401, 402, 403, 404, 422, 429, 500, 502, 503, 504].map(
      code => [`status ${code}, signed and VALID`, status(code), 'server_status'] as [string, Answering, Outcome],
    ),
    ...[301, 302, 303, 307, 308].map((code): [string, Answering, Outcome] => [
      `status ${code} to a place that would answer well`,
      (response, asked) =>
        asked.path === '/elsewhere'
          ? answer()(response, asked)
          : answer({ status: code, headers: { Location: `http://${asked.headers.host}/elsewhere` } })(response, asked),
      'server_redirect',
    ]),
    ['a page in HTML with status 200', html, 'answer_not_json'],
    [
      'a page in HTML that says it is JSON',
      response => response.writeHead(200, { 'Content-Type': 'application/json' }).end('<h1>'),
      'answer_unsigned',
    ],
    ['signed and VALID, but as text/html', answer({ type: 'text/html' }), 'answer_not_json'],
    ['signed and VALID, without a content type', answer({ headers: { 'Content-Type': undefined } }), 'answer_not_json'],
    ['signed and VALID, as jsonp', answer({ type: 'application/jsonp' }), 'answer_not_json'],
    ['signed, but cut JSON', answer({ body: '{"meta":{"valid":true,"code":"VALID"' }), 'answer_malformed'],
    ['signed, but empty', answer({ body: '' }), 'answer_malformed'],
    ['signed, but null', answer({ body: 'null' }), 'answer_malformed'],
    ['signed, but a list', answer({ body: '[]' }), 'answer_malformed'],
    ['signed, but broken UTF-8', answer({ body: Buffer.from([0x7b, 0xff, 0x7d]) }), 'answer_malformed'],
    ['signed, but of 64 KiB and a byte', answer({ body: ' '.repeat(65_537) }), 'answer_too_large'],
    ['a body without end', response => void response.writeHead(200).write('x'.repeat(200_000)), 'answer_too_large'],
    ['silence', silence, 'server_timeout'],
    ['a head and then silence', response => response.writeHead(200, { 'Content-Length': 100 }).flushHeaders(), 'server_timeout'],
    [
      'a byte now and then',
      response => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(drip));
      },
      'server_timeout',
    ],
    ['a connection cut before the head', response => void response.destroy(), 'answer_broken'],
    [
      'a connection cut in the body',
      response => {
        response.writeHead(200, { 'Content-Length': 100 }).write('{', () => response.destroy());
      },
      'answer_broken',
    ],
    ['no HTTP', response => void response.socket!.end('220 smtp.example.com ESMTP\r\n'), 'answer_broken'],
  ];
  it.each(everyNth(cases, 3))('%s', async (_title, answering, expected) => {
    server.answering = answering;
    expect((await checkOnline()).outcome).toBe(expected);
    expect(server.asked).toHaveLength(1);
    expect(await readdir(dataPath())).toEqual([]);
  });

  const openssl = spawnSync('openssl', ['version']).status === 0;
  (openssl ? it : it.skip)('a server with a certificate of its own making (skipped without openssl on the path)', async () => {
    const [keyFile, certFile] = [dataPath('tls.key'), dataPath('tls.crt')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-out', certFile, '-days', '1', ...subject]);
    const reached: string[] = [];
    const secure = https.createServer({ key: await readFile(keyFile), cert: await readFile(certFile) }, (request, response) => {
      reached.push(request.url!);
      response.end();
    });
    const port = await listen(secure);
    const { outcome, message } = await checkOnline({ licenseUrl: `https://localhost:${port}${target}` });
    expect(outcome).toBe('answer_broken');
    expect(message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(reached).toEqual([]);
    await new Promise(resolve => secure.close(resolve));
  });

  it('a server behind https that does not speak it', async () => {
    expect((await checkOnline({ licenseUrl: `https://127.0.0.1:${server.port}${target}` })).outcome).toBe('answer_broken');
  });
});

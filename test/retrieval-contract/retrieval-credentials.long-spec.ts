import { type Settings } from '../../src/config/settings.js';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type ApiError } from '../../src/common/errors/api-error.js';
import { exchange } from '../../src/retrieval/exchange.js';
import { headers, protocolVersion, type RetrievalQuery } from '../../src/retrieval/protocol.js';
import { RemoteRetrieval } from '../../src/retrieval/remote-retrieval.js';
import { RetrievalClient } from '../../src/retrieval/retrieval.client.js';
import { peersOf, type RetrievalPlace } from '../../src/retrieval/retrieval.module.js';
import { sign } from '../../src/retrieval/signature.js';
import { type TlsMaterial } from '../../src/retrieval/tls-material.js';
import { type ClonedDatabase, cloneDatabase } from '../support/database.js';
import { DeployedRetrieval, refusedStart, retrievalKey, tlsFiles, tlsOf } from '../support/retrieval-process.js';

const query: RetrievalQuery = { graph_id: 1, caller: '1', kind: 'search', text: 'x', limit: 1, timeout_ms: 5_000, today: '2026-01-01' };
const sent = { [headers.version]: String(protocolVersion), [headers.timeout]: '5000', [headers.budget]: '65536' };
const otherKey = 'another key for retrieval processes of 32 bytes';

let database: ClonedDatabase;
const started: DeployedRetrieval[] = [];
const start = async (environment: Record<string, string>): Promise<DeployedRetrieval> => {
  const process = await DeployedRetrieval.start({ DATABASE_RETRIEVAL_URL: database.access.retrieval, ...environment });
  started.push(process);
  return process;
};
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => {
  for (const process of started) await process.kill();
  await database.drop();
});

/**
 * Calls the process with these credentials. Returns the state that the client's health check finds, and the error code of a query for a
 * graph that does not exist.
 */
async function heard(place: Extract<RetrievalPlace, { urls: readonly string[] }>): Promise<[string[], string]> {
  const client = new RetrievalClient(peersOf(place), { answerMaxBytes: 65_536 } as Settings);
  try {
    const { code } = await client.query(query).then(
      () => ({ code: 'answered' }),
      (error: ApiError) => error,
    );
    return [await client.check(1_000), code];
  } finally {
    client.onApplicationShutdown();
  }
}

describe('a process with a key', () => {
  it('takes only calls that are signed with it, each once', async () => {
    const { url } = await start({ RETRIEVAL_KEY: retrievalKey });
    expect(await heard({ urls: [url], key: retrievalKey })).toEqual([['ok'], 'graph_not_found']);
    // The query answers `retrieval_unavailable`: an error about credentials would make users of the API believe that theirs are wrong.
    expect(await heard({ urls: [url], key: otherKey })).toEqual([['refused'], 'retrieval_unavailable']);
    expect(await heard({ urls: [url] })).toEqual([['refused'], 'retrieval_unavailable']);

    const body = JSON.stringify(query);
    const signature = () => sign(retrievalKey, { method: 'POST', path: '/v1/query', body: Buffer.from(body) });
    const send = async (signed: string, text: string) => {
      const response = await fetch(`${url}/v1/query`, { method: 'POST', headers: { ...sent, [headers.signature]: signed }, body: text });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    expect(await send(signature(), body.replace('"graph_id":1', '"graph_id":2'))).toEqual([401, 'retrieval_credentials']);
    const once = signature();
    expect(await send(once, body)).toEqual([404, 'graph_not_found']);
    expect(await send(once, body)).toEqual([401, 'retrieval_credentials']);
  });

  it('reads no body of a stranger (risk: bodies that never end fill its memory)', async () => {
    const { url } = await start({ RETRIEVAL_KEY: retrievalKey });
    const forged = sign(otherKey, { method: 'POST', path: '/v1/query', body: Buffer.alloc(0) });
    const request = http.request(`${url}/v1/query`, {
      method: 'POST',
      headers: { ...sent, [headers.signature]: forged, 'content-length': 2_000_000 },
    });
    request.on('error', () => undefined).flushHeaders();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(401);
    request.destroy();
  });

  it('never logs it', async () => {
    const process = await start({ RETRIEVAL_KEY: retrievalKey, LOG_LEVEL: 'debug' });
    await heard({ urls: [process.url], key: retrievalKey });
    await heard({ urls: [process.url], key: otherKey });
    await process.kill('SIGTERM');
    expect(process.output).toContain('listening');
    expect(process.output).not.toContain(retrievalKey);
    expect(process.output).not.toContain(otherKey);
  });
});

describe('a process with certificates', () => {
  const files = { RETRIEVAL_TLS_CERT: tlsFiles.process.cert, RETRIEVAL_TLS_KEY: tlsFiles.process.key };

  it('takes only callers with a certificate of its authority', async () => {
    const { url } = await start({ ...files, RETRIEVAL_TLS_CA: tlsFiles.process.ca });
    const { ca } = tlsOf('api') as Required<TlsMaterial>;
    expect(await heard({ urls: [url], tls: tlsOf('api') })).toEqual([['ok'], 'graph_not_found']);
    expect(await heard({ urls: [url], tls: tlsOf('stranger') })).toEqual([['refused'], 'retrieval_unavailable']);
    expect(await heard({ urls: [url], tls: { ca } })).toEqual([['refused'], 'retrieval_unavailable']);
  });

  it('is not spoken to if its own certificate is of another authority, or of another host', async () => {
    const { url } = await start({ ...files, RETRIEVAL_TLS_CA: tlsFiles.process.ca });
    const { cert, key } = tlsOf('api') as Required<TlsMaterial>;
    expect(await heard({ urls: [url], tls: { cert, key } })).toEqual([['unavailable'], 'retrieval_unavailable']);
    expect(await heard({ urls: [url], tls: { cert, key, ca: tlsOf('stranger').cert! } })).toEqual([
      ['unavailable'],
      'retrieval_unavailable',
    ]);
    expect(await heard({ urls: [url.replace('127.0.0.1', '127.0.0.2')], tls: tlsOf('api') })).toEqual([
      ['unavailable'],
      'retrieval_unavailable',
    ]);
  });

  it('may ask for signatures instead', async () => {
    const { url } = await start({ ...files, RETRIEVAL_KEY: retrievalKey });
    const tls = { ca: tlsOf('api').ca! };
    expect(await heard({ urls: [url], tls, key: retrievalKey })).toEqual([['ok'], 'graph_not_found']);
    expect(await heard({ urls: [url], tls, key: otherKey })).toEqual([['refused'], 'retrieval_unavailable']);
  });
});

it.each<[string, Record<string, string>, string]>([
  ['listens for other machines and asks nobody for credentials', { RETRIEVAL_LISTEN: '0.0.0.0:0' }, 'RETRIEVAL_LISTEN'],
  ['has a key of a few letters', { RETRIEVAL_KEY: 'short' }, 'RETRIEVAL_KEY'],
  ['cannot read its certificate', { RETRIEVAL_TLS_CERT: '/nowhere/c.pem', RETRIEVAL_TLS_KEY: tlsFiles.api.key }, 'RETRIEVAL_TLS_CERT'],
  ['is given another file as certificate', { RETRIEVAL_TLS_CERT: __filename, RETRIEVAL_TLS_KEY: tlsFiles.api.key }, 'RETRIEVAL_TLS_CERT'],
])('a process does not start that %s', async (_, environment, name) => {
  const { code, output } = await refusedStart({ DATABASE_RETRIEVAL_URL: database.access.retrieval, ...environment });
  expect([code, output]).toEqual([1, expect.stringMatching(new RegExp(`^${name}: .+ / .+\n$`))]);
});

describe('a process that speaks another version', () => {
  let theirs: http.Server;
  let url: string;
  beforeAll(async () => {
    theirs = http.createServer((_request, response) =>
      response.writeHead(200, { [headers.version]: protocolVersion + 1 }).end('{}\n[]\n{}'),
    );
    await new Promise<void>(resolve => theirs.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(theirs.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    theirs.closeAllConnections();
    theirs.close();
  });

  it('answers nothing, and both versions are named', async () => {
    expect(await heard({ urls: [url] })).toEqual([['other_version'], 'retrieval_version']);
    const address = await new RemoteRetrieval(url).address();
    const refused = exchange({ ...address, agent: false }, { timeoutMs: 1_000 });
    await expect(refused).rejects.toThrow(`version ${protocolVersion + 1} of the protocol and the API version ${protocolVersion}`);
  });

  it('is left out while another one speaks ours', async () => {
    const right = await start({});
    for (const urls of [[url, right.url], [right.url, url]]) expect((await heard({ urls }))[1]).toBe('graph_not_found'); // prettier-ignore
  });
});

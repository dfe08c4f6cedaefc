import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Settings } from '../config/settings.js';
import { headers, protocolVersion, type RetrievalQuery } from './protocol.js';
import { RetrievalClient } from './retrieval.client.js';
import { peersOf } from './retrieval.module.js';
import { rankProcesses } from './rank-processes.js';
import { RemoteRetrieval } from './remote-retrieval.js';

/** A retrieval process that answers every query but `kill`, which ends the process. */
class FakeProcess {
  readonly texts: string[] = [];
  private server: http.Server | null = null;
  private port = 0;
  isSilent = false;
  /** The failure that it answers with, if any. */
  failure: { status: number; code: string } | null = null;

  static async start(): Promise<FakeProcess> {
    const process = new FakeProcess();
    await process.startAgain();
    return process;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get isAlive(): boolean {
    return this.server !== null;
  }

  async startAgain(): Promise<void> {
    const server = http.createServer((request, response) => void this.answer(request, response));
    await new Promise<void>(resolve => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  die(): void {
    this.server?.closeAllConnections();
    this.server?.close();
    this.server = null;
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    response.setHeader(headers.version, protocolVersion);
    if (request.url === '/v1/health') return void response.end('{}');
    const { text } = JSON.parse(body) as RetrievalQuery;
    this.texts.push(text);
    if (text === 'kill') return this.die();
    if (this.isSilent) return;
    if (this.failure) {
      response.writeHead(this.failure.status).end(JSON.stringify({ ...this.failure, text: { zh: '失败', en: 'failure' } }));
    } else response.end(`${JSON.stringify({ graph_version: 1, text: this.url })}\n[]\n{}`);
  }
}

const graphId = 1;
const query = (text: string, timeout_ms = 20_000): RetrievalQuery => ({
  graph_id: graphId,
  caller: '1',
  kind: 'cypher',
  text,
  limit: 1,
  timeout_ms,
  today: '2026-01-01',
});

describe('a client of several processes', () => {
  let client: RetrievalClient;
  /** The processes in the order in which the client tries them for the graph. */
  let ranked: FakeProcess[];
  async function serve(count: number): Promise<void> {
    const processes = await Promise.all(Array.from({ length: count }, () => FakeProcess.start()));
    client = new RetrievalClient(peersOf({ urls: processes.map(({ url }) => url) }), { answerMaxBytes: 65_536 } as Settings);
    ranked = rankProcesses(
      graphId,
      processes.map(process => ({ name: new RemoteRetrieval(process.url).name, process })),
    ).map(({ process }) => process);
  }
  afterEach(() => {
    client.onApplicationShutdown();
    for (const process of ranked) process.die();
  });
  const codeOf = (text: string, timeoutMs?: number) =>
    client.query(query(text, timeoutMs)).then(
      ({ text: answeredBy }) => String(answeredBy),
      (error: { code: string }) => error.code,
    );
  const alive = () => ranked.map(({ isAlive }) => isAlive);

  it('asks the first of the order, the next while that one is down, and the first again', async () => {
    await serve(3);
    expect(await codeOf('a')).toBe(ranked[0]!.url);
    ranked[0]!.die();
    expect(await codeOf('b')).toBe(ranked[1]!.url);
    await ranked[0]!.startAgain();
    expect(await codeOf('c')).toBe(ranked[1]!.url);
    await client.check(1_000);
    expect(await codeOf('d')).toBe(ranked[0]!.url);
  });

  it.each([
    ['service_stopping', 503],
    ['database_unavailable', 500],
    ['replica_behind', 503],
  ])('asks the next process when one answers %s, once', async (code, status) => {
    await serve(3);
    for (const process of ranked.slice(0, 2)) process.failure = { status, code };
    expect(await codeOf('a')).toBe(code);
    expect(ranked[2]!.texts).toEqual([]);
    await client.check(1_000);
    ranked[1]!.failure = null;
    expect(await codeOf('b')).toBe(ranked[1]!.url);
  });

  it.each([
    ['retrieval_busy', 503],
    ['retrieval_failed', 500],
    ['query_timeout', 400],
  ])('passes %s on as the answer', async (code, status) => {
    await serve(2);
    ranked[0]!.failure = { status, code };
    expect(await codeOf('a')).toBe(code);
    expect(ranked[1]!.texts).toEqual([]);
  });

  it('does not let a query that ends processes end more than two of three, and refuses it from then on', async () => {
    await serve(3);
    expect(await codeOf('kill')).toBe('retrieval_unavailable');
    expect(alive()).toEqual([false, false, true]);
    expect(await codeOf('kill')).toBe('query_refused');
    expect(await codeOf('a')).toBe(ranked[2]!.url);
  });

  it('does not let such a query end the last of two processes, unless the other has come back', async () => {
    await serve(2);
    expect(await codeOf('kill', 1_000)).toBe('retrieval_unavailable');
    expect(alive()).toEqual([false, true]);
    expect(await codeOf('a')).toBe(ranked[1]!.url);
  });

  it('sends the queries that were under way at a death to another process', async () => {
    await serve(3);
    const [first, second] = ranked as [FakeProcess, FakeProcess];
    first.isSilent = true;
    const others = ['a', 'b', 'c'].map(text => codeOf(text));
    while (first.texts.length < 3) await new Promise(resolve => setTimeout(resolve, 5));
    first.die();
    expect(await Promise.all(others)).toEqual([second.url, second.url, second.url]);
    expect([...second.texts].sort()).toEqual(['a', 'b', 'c']);
  });
});

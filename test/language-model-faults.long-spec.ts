import { type ServerResponse } from 'node:http';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { ingest, upload } from './support/ingestion.js';
import { ModelServer, type Reply } from './support/model-server.js';

const mapping =
  'version: 1\nnodes: [{id: c, label: 客户, table: customers, key: [id], display: name, columns: [{column: id, type: int}, {column: name}]}]';
const question = '有多少个客户？';
const sentence = JSON.stringify({ text: '共有 3 个客户。', rows: [1] });
const event = (content: string): string => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const whole = JSON.stringify({ choices: [{ message: { content: sentence } }] });
const events = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };

/** Sends the text byte by byte, again and again, until the client closes the connection. */
function drip(response: ServerResponse, text: string): void {
  const bytes = Buffer.from(text);
  let at = 0;
  const timer = setInterval(() => response.write(bytes.subarray(at % bytes.length, (at++ % bytes.length) + 1)), 5);
  response.on('close', () => clearInterval(timer));
}

const faults: [title: string, reply: (response: ServerResponse) => void, fault: string][] = [
  ['closes without an answer', response => response.socket!.destroy(), 'unreachable'],
  ['resets the connection', response => response.socket!.resetAndDestroy(), 'unreachable'],
  ['sends its head and then nothing', response => response.writeHead(200, json).flushHeaders(), 'timeout'],
  ['sends the head of events and then nothing', response => response.writeHead(200, events).flushHeaders(), 'timeout'],
  ['drips', response => drip(response.writeHead(200, json), ' '), 'timeout'],
  ['drips events', response => drip(response.writeHead(200, events), event('一')), 'timeout'],
  ['drips comments between events', response => drip(response.writeHead(200, events), ': wait\n\n'), 'timeout'],
  ['drips an error', response => drip(response.writeHead(503, json), 'x'), 'timeout'],
  [
    'closes in the middle of its answer',
    response => response.writeHead(200, { ...json, 'content-length': whole.length + 500 }).write(whole, () => response.socket!.destroy()),
    'unreachable',
  ],
  [
    'closes in the middle of chunks',
    response => response.writeHead(200, json).write(whole, () => response.socket!.destroy()),
    'unreachable',
  ],
  [
    'closes after a whole sentence',
    response => response.writeHead(200, events).write(event(`${sentence}\n`), () => response.socket!.destroy()),
    'unreachable',
  ],
  ['ends its events after a whole sentence', response => void response.writeHead(200, events).end(event(`${sentence}\n`)), 'nonsense'],
  ['speaks no HTTP', response => response.socket!.end('SSH-2.0-OpenSSH_9.2\r\n'), 'unreachable'],
  ['says that it sends gzip and does not', response => void response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(whole), 'unreachable'],
]; // prettier-ignore

describe('a language model that fails in the middle', () => {
  let model: ModelServer;
  let test: TestApp;
  let admin: Client;
  let graphId: number;

  beforeAll(async () => {
    model = await ModelServer.start();
    test = await startTestApp({ LLM_BASE_URL: model.url, LLM_MODEL: 'scripted', LLM_TIMEOUT_MS: '600', LOG_LEVEL: 'silent' });
    admin = test.admin;
    await upload(test, 'customers', 'id,name\n1,Alfreds\n2,Bolido\n3,Chop\n');
    ({ graphId } = await ingest(test, mapping));
    // This starts the retrieval process.
    await ask({ answer: 'none' });
  });
  afterAll(async () => {
    await test?.close();
    await model?.stop();
  });
  const answering = (reply: Reply) => (model.reply = () => reply);

  let nonce = 0;
  const ask = async (more: object = {}, status = 200) =>
    (await admin.post(`/api/graphs/${graphId}/query`).send({ question, limit: 1000 + nonce++, ...more }).expect(status)).body; // prettier-ignore
  async function listen(): Promise<{ type: string; data: any }[]> {
    const response = await fetch(`${test.url}/api/graphs/${graphId}/query/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${admin.token}` },
      body: JSON.stringify({ question, limit: 1000 + nonce++ }),
    });
    const parts = (await response.text()).split('\n\n').filter(part => part !== '');
    return parts.map(part => /^event: (\w+)\ndata: (.*)$/s.exec(part)!).map(([, type, data]) => ({ type: type!, data: JSON.parse(data!) }));
  }
  /** A promise for each answer that the model has begun, which resolves when the answer's connection closes. */
  let over: Promise<unknown>[] = [];
  const watched = (reply: (response: ServerResponse) => void) => (response: ServerResponse) => {
    over.push(new Promise(resolve => response.once('close', resolve)));
    reply(response);
  };

  it.each(faults)('costs its sentence only if it %s, in bounded time, and holds no connection', async (_, reply, fault) => {
    answering(watched(reply));
    const asked = performance.now();
    const { answer, rows, warnings } = await ask();
    expect([answer.mode, rows]).toEqual(['extractive', [[3]]]);
    expect(warnings).toEqual([expect.stringContaining('未使用语言模型')]);
    expect(await ask({ answer: 'llm' }, 500)).toMatchObject({ code: 'language_model_failed', context: { fault } });
    const heard = await listen();
    const end = heard.at(-1)!;
    // The sentences that were streamed before the fault are not part of the answer.
    expect([end.type, end.data.answer.mode, end.data.rows]).toEqual(['end', 'extractive', [[3]]]);
    expect(performance.now() - asked).toBeLessThan(10_000);
    await Promise.all(over);
    // A good answer comes between two faults, because after five failures in a row the calls to the model pause.
    answering(sentence);
    expect((await ask()).answer.mode).toBe('llm');
  });

  it('is let go if it hangs and its caller leaves', async () => {
    const hanging = new Promise<ServerResponse>(resolve => answering(resolve));
    const gone = new AbortController();
    const left = fetch(`${test.url}/api/graphs/${graphId}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${admin.token}` },
      body: JSON.stringify({ question, limit: 1000 + nonce++ }),
      signal: gone.signal,
    }).catch((error: Error) => error.name);
    const response = await hanging;
    const closed = new Promise(resolve => response.once('close', resolve));
    gone.abort();
    expect(await left).toBe('AbortError');
    await closed;
  });

  it('holds up no search if it drips to many, and the rest are told in bounded time', async () => {
    over = [];
    answering(watched(response => drip(response.writeHead(200, events), event('一'))));
    const waiting = Array.from({ length: 12 }, () => admin.post(`/api/graphs/${graphId}/query`).send({ question, limit: 1000 + nonce++ }));
    const asked = performance.now();
    const all = Promise.all(waiting.map(request => request.then(({ status, body }) => [status, body.answer?.mode ?? body.code])));
    await admin.post(`/api/graphs/${graphId}/query`).send({ search: 'Alfreds' }).expect(200);
    for (const [status, mode] of await all) expect([[200, 'extractive'], [503, 'language_model_busy']]).toContainEqual([status, mode]); // prettier-ignore
    expect(performance.now() - asked).toBeLessThan(20_000);
    expect(over.length).toBeGreaterThan(0);
    await Promise.all(over);
  });
});

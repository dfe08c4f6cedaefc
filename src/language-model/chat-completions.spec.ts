import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Completion, completeChat } from './chat-completions.js';

const events = 'text/event-stream';
const json = 'application/json';

describe('a model endpoint that sends', () => {
  let server: http.Server;

  /** Asks an endpoint whose response `answer` writes. If `answer` does not end the response, the response stays open. */
  async function ask(type: string, answer: (response: ServerResponse) => void): Promise<Completion> {
    server = http.createServer((request, response) => {
      request.resume().on('end', () => answer(response.writeHead(200, { 'content-type': type })));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return completeChat({ baseUrl, model: 'any', apiKey: undefined }, [], new AbortController().signal);
  }
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const nonsense = { code: 'language_model_failed', fault: 'nonsense' };
  const event = (content: string): string => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

  it('events in any pieces gives its text', async () => {
    const sent = Buffer.from(`${event('三')}${event(' boats')}data: [DONE]\n\n`);
    const { text } = await ask(events, response => {
      const send = (at: number): void => {
        if (at < sent.length) response.write(sent.subarray(at, at + 3), () => send(at + 3));
        else response.end();
      };
      send(0);
    });
    expect(text).toBe('三 boats');
  });

  it.each([
    ['a line that grows past 64 KB', events, `${event('a')}data: ${'x'.repeat(70_000)}`],
    ['a whole line of more than 64 KB', events, `data: ${'x'.repeat(70_000)}\n`],
    ['a line of brackets', events, `data: ${'['.repeat(1_000)}\n`],
    ['4 MB of events', events, `: wait\n`.repeat(700_000)],
    ['1 MB that is not in events', json, '['.repeat(1_100_000)],
  ])('%s is left before it ends', async (_what, type, sent) => {
    await expect(ask(type, response => void response.write(sent))).rejects.toMatchObject(nonsense);
  });

  it('brackets instead of an answer is refused', async () => {
    await expect(ask(json, response => void response.end('['.repeat(1_000_000)))).rejects.toMatchObject(nonsense);
  });
});

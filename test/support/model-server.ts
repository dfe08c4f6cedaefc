import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo } from 'node:net';

interface Call {
  headers: IncomingHttpHeaders;
  /** The messages of the chat, the system's first. */
  messages: { role: string; content: string }[];
}

/** What the model answers: a text, a status and a body, or null for nothing at all. */
export type Reply = string | { status: number; body: string } | null;

/** A server with the API of OpenAI, whose model says what the test tells it to. */
export class ModelServer {
  readonly calls: Call[] = [];
  /** Decides the reply to each call. */
  reply: (call: Call) => Reply = () => 'nothing';

  private constructor(private readonly server: http.Server) {}

  static async start(): Promise<ModelServer> {
    const server = http.createServer();
    const model = new ModelServer(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as Pick<Call, 'messages'>;
        const call = { headers: request.headers, messages };
        model.calls.push(call);
        const reply = model.reply(call);
        if (reply === null) return;
        const { status, body } = typeof reply === 'string' ? { status: 200, body: completion(reply) } : reply;
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }
}

function completion(content: string): string {
  return JSON.stringify({ choices: [{ message: { role: 'assistant', content } }], usage: { prompt_tokens: 40, completion_tokens: 7 } });
}

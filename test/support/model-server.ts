import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo } from 'node:net';

interface Call {
  headers: IncomingHttpHeaders;
  /** The messages of the chat. The first one is that of the system. */
  messages: { role: string; content: string }[];
}

/** Reply of the model: the text of a completion, a status with a body, a function that answers by itself, or null to never answer. */
export type Reply = string | { status: number; body: string } | ((response: http.ServerResponse) => void) | null;

/** A server with the API of OpenAI. The test decides what its model replies. */
export class ModelServer {
  readonly calls: Call[] = [];
  /** Decides the reply to each call. */
  reply: (call: Call) => Reply = () => 'nothing';
  /** Whether the server supports streamed completions. */
  streams = true;
  /** The last line of a streamed completion is sent once this promise is resolved. */
  lastLine: Promise<void> = Promise.resolve();

  private constructor(private readonly server: http.Server) {}

  static async start(): Promise<ModelServer> {
    const server = http.createServer();
    const model = new ModelServer(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { messages, stream } = JSON.parse(Buffer.concat(chunks).toString()) as Pick<Call, 'messages'> & { stream?: boolean };
        const call = { headers: request.headers, messages };
        model.calls.push(call);
        const reply = model.reply(call);
        if (reply === null) return;
        if (typeof reply === 'function') {
          reply(response);
          return;
        }
        if (stream === true && model.streams && typeof reply === 'string') {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          void model.send(reply, response);
          return;
        }
        const { status, body } = typeof reply === 'string' ? { status: 200, body: completion(reply) } : reply;
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return model;
  }

  /** Streams a completion in pieces of seven characters, so that lines arrive in parts. */
  private async send(text: string, response: http.ServerResponse): Promise<void> {
    const last = text.lastIndexOf('\n') + 1;
    for (const part of [text.slice(0, last), text.slice(last)]) {
      if (part === text.slice(last)) await this.lastLine;
      for (const piece of part.match(/[\s\S]{1,7}/g) ?? [])
        response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: piece } }] })}\n\n`);
    }
    response.end(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 40, completion_tokens: 7 } })}\n\ndata: [DONE]\n\n`);
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

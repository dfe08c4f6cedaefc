// A REST client that prints every request, its answer (shortened), and a line of progress for long work.

import { setTimeout as sleep } from 'node:timers/promises';

import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

const shownChars = 1200;

const isTerminal = process.stdout.isTTY === true;

/** Escape codes are for terminals; a file gets plain text. */
export const style = {
  bold: text => (isTerminal ? `\x1b[1m${text}\x1b[0m` : text),
  dim: text => (isTerminal ? `\x1b[2m${text}\x1b[0m` : text),
  title: text => (isTerminal ? `\x1b[36m${text}\x1b[0m` : text),
};

export class DemoClient {
  /** Requests carry the API key if there is one, else the token once `token` is set. */
  constructor(url, apiKey) {
    this.url = url;
    this.apiKey = apiKey;
    this.token = undefined;
  }

  /** Sends one request and prints both sides; an unexpected status ends the demo with the answer in full. */
  async call(method, path, body, { expect = [200, 201, 202, 204], headers = {}, show = body } = {}) {
    console.log(`\n${style.bold(`${method} ${path}`)}`);
    if (show !== undefined) console.log(indent(typeof show === 'string' ? show : JSON.stringify(show, null, 2)));
    const startedAt = performance.now();
    const response = await this.send(method, path, body, headers);
    const text = await response.text();
    const answer = text === '' ? undefined : JSON.parse(text);
    console.log(style.dim(`← ${response.status} in ${Math.round(performance.now() - startedAt)} ms`));
    if (answer !== undefined) console.log(indent(shorten(JSON.stringify(answer, hideToken, 2))));
    if (!expect.includes(response.status)) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return { status: response.status, body: answer };
  }

  /** Yields the data of each server-sent event until the server ends the stream. */
  async *events(path) {
    console.log(`\n${style.bold(`GET ${path}`)}`);
    const response = await this.send('GET', path);
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
    const lines = createInterface({ input: Readable.fromWeb(response.body) });
    for await (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length));
  }

  async send(method, path, body, headers = {}) {
    const streamed = body !== undefined && (typeof body === 'string' || Symbol.asyncIterator in body);
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': streamed ? 'text/csv' : 'application/json' }),
          ...(this.apiKey ? { 'x-api-key': this.apiKey } : this.token ? { authorization: `Bearer ${this.token}` } : {}),
          ...headers,
        },
        body: body === undefined ? undefined : streamed ? body : JSON.stringify(body),
        duplex: 'half',
      });
      const repeatable = body === undefined || !(Symbol.asyncIterator in Object(body));
      if (response.status !== 429 || !repeatable) return response;
      const seconds = Number(response.headers.get('retry-after'));
      console.log(`  429: 等待 ${seconds} 秒 / waiting ${seconds} s, as Retry-After says`);
      await sleep(seconds * 1000);
    } catch (error) {
      throw new Error(
        `没有服务在 ${this.url} 监听：请先 npm start，或用 npm run demo -- --url http://… 指明地址 / Nothing answers at ${this.url}: run npm start first, or say where with npm run demo -- --url http://…`,
        {
          cause: error,
        },
      );
    }
    return this.send(method, path, body, headers);
  }
}

/** Shows one line that is overwritten while work goes on; prints plain lines if the output is not a terminal. */
export function progress(text) {
  if (isTerminal) process.stdout.write(`\r\x1b[K  ${text}`);
  else console.log(`  ${text}`);
}

export function endProgress() {
  if (isTerminal) process.stdout.write('\n');
}

function hideToken(name, value) {
  return name === 'token' || name === 'raw_key' ? `${String(value).slice(0, 12)}…` : value;
}

function shorten(text) {
  if (text.length <= shownChars) return text;
  return `${text.slice(0, text.lastIndexOf('\n', shownChars))}\n… (${text.length - shownChars} more characters)`;
}

function indent(text) {
  return text.replace(/^/gm, '  ');
}

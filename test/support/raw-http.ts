import net from 'node:net';

/** One response, read from its bytes. Header names are in lower case. */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface RawExchange {
  responses: RawResponse[];
  /** The bytes after the last complete response. They are malformed or were cut off. */
  rest: string;
}

/** Long enough for any answer of an idle service. */
const patienceMs = 1_500;

/** Sends a login and resolves once it is answered. Logins of one user are answered in turn, so earlier ones are answered by then. */
async function whenLaterOnesAreAnswered(url: string): Promise<void> {
  const body = JSON.stringify({ username: 'admin', password: 'wrong-wrong' });
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  await fetch(`${url}/api/auth/login`, request)
    .then(answer => answer.text())
    .catch(() => undefined);
}

/**
 * Sends bytes over a new socket and reads the responses. Ends the connection after the first complete response. Without one, it waits until
 * a login that was sent later is answered, and then ends the connection: the server then knows that no more bytes of the request come.
 * @param options.lingerMs keeps reading for this long after each response, for requests that are sent one after the other
 */
export async function sendRaw(url: string, bytes: string | Buffer, { lingerMs = 0 } = {}): Promise<RawExchange> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const received = () => readResponses(Buffer.concat(chunks));
    let timer = setTimeout(() => void whenLaterOnesAreAnswered(url).then(() => socket.end()), patienceMs);
    const giveUp = setTimeout(() => {
      socket.destroy();
      reject(new Error(`The server neither answered nor hung up: ${JSON.stringify(bytes.toString('latin1'))}`));
    }, 60_000);
    socket.on('data', chunk => {
      chunks.push(chunk);
      if (received().responses.length === 0) return;
      clearTimeout(timer);
      timer = setTimeout(() => socket.end(), lingerMs);
    });
    socket.on('end', () => socket.end());
    // A server resets the connection of a client that is still sending, after it has answered.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      clearTimeout(giveUp);
      resolve(received());
    });
    socket.write(bytes);
  });
}

function readResponses(bytes: Buffer): RawExchange {
  const responses: RawResponse[] = [];
  let rest = bytes.toString('latin1');
  for (;;) {
    const match = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest);
    if (!match) break;
    const headers = Object.fromEntries(
      (match[2] ?? '')
        .split('\r\n')
        .filter(line => line !== '')
        .map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const behind = rest.slice(match[0].length);
    const status = Number(match[1]);
    if (status === 100) {
      rest = behind;
      continue;
    }
    const body = readBody(headers, behind);
    if (body === null) break;
    responses.push({ status, headers, body: Buffer.from(body.text, 'latin1').toString('utf8') });
    rest = behind.slice(body.length);
  }
  return { responses, rest };
}

/** Reads the body after the headers. Returns null while it is incomplete. */
function readBody(headers: Record<string, string>, behind: string): { text: string; length: number } | null {
  if (headers['transfer-encoding'] === 'chunked') {
    let text = '';
    let position = 0;
    for (;;) {
      const size = /^([\da-f]+)\r\n/i.exec(behind.slice(position));
      if (!size) return null;
      const length = Number.parseInt(size[1]!, 16);
      position += size[0].length;
      if (behind.length < position + length + 2) return null;
      text += behind.slice(position, position + length);
      position += length + 2;
      if (length === 0) return { text, length: position };
    }
  }
  const length = Number(headers['content-length'] ?? 0);
  return behind.length < length ? null : { text: behind.slice(0, length), length };
}

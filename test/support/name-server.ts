import { spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import os from 'node:os';
import path from 'node:path';

const address = '127.0.0.53';
const port = 53;
const types = { a: 1, aaaa: 28 };

/** Whether a test may give a process another name server. Root may; inside a container, root may only with the right to mount. */
export const mayName = process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

/** A name server whose answers a test decides. They have a lifetime of 0, so the service must ask again each time. */
export class NameServer {
  /** Returns the addresses of a name at the time of a question. Names without an entry do not exist. */
  readonly names = new Map<string, () => string[]>();
  private readonly socket: Socket = createSocket('udp4');
  /** The addresses of the last answer. The system asks for IPv4 and then at once for IPv6: both answers come from one call. */
  private asked: string[] = [];

  private constructor(private readonly folder: string) {
    this.socket.on('message', (question, { port: to, address: at }) => this.socket.send(this.answer(question), to, at));
  }

  static async start(): Promise<NameServer> {
    const server = new NameServer(await mkdtemp(path.join(os.tmpdir(), 'name-server-')));
    await writeFile(server.file, `nameserver ${address}\noptions timeout:1 attempts:2\n`);
    server.socket.bind(port, address);
    await once(server.socket, 'listening');
    return server;
  }

  /** A command prefix. It executes the command after it with this server in `/etc/resolv.conf`. */
  get through(): readonly string[] {
    return ['unshare', '--mount', 'sh', '-c', 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"', 'sh', this.file];
  }

  async stop(): Promise<void> {
    this.socket.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private get file(): string {
    return path.join(this.folder, 'resolv.conf');
  }

  /** Answers a question in the format of https://www.rfc-editor.org/rfc/rfc1035#section-4 */
  private answer(question: Buffer): Buffer {
    const labels: string[] = [];
    let at = 12;
    for (; question[at] !== 0; at += 1 + question[at]!) labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!));
    const [type, end] = [question.readUInt16BE(at + 1), at + 5];
    const addresses = type === types.a || type === types.aaaa ? this.names.get(labels.join('.').toLowerCase()) : undefined;
    const found = type === types.a ? (this.asked = addresses?.() ?? []) : this.asked;
    const data = found.filter(each => isIPv6(each) === (type === types.aaaa)).map(bytesOf);
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2);
    [1, data.length, 0, 0].forEach((count, index) => head.writeUInt16BE(count, 4 + 2 * index));
    const records = data.map(bytes => {
      const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
      return Buffer.concat([record, bytes]);
    });
    return Buffer.concat([head, question.subarray(12, end), ...records]);
  }
}

function bytesOf(text: string): Buffer {
  if (!isIPv6(text)) return Buffer.from(text.split('.').map(Number));
  const [left = '', right = ''] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::');
  const groups = (half: string): number[] => (half === '' ? [] : half.split(':').map(group => Number.parseInt(group, 16)));
  const [first, last] = [groups(left), groups(right)];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap(group => [group >> 8, group & 255]));
}

import { type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import pg, { type ClientBase } from 'pg';
import { withholdText } from '../../../common/logging/withhold-text.js';
import { isBusy } from '../../../database/sever-connection.js';
import { ClearPasswordError } from '../connection-failure.js';
import { WholeMessages } from './whole-messages.js';

/** More than the messages of any login. */
const loginMaxBytes = 1_048_576;
/** More than a connection hears in its life while it has asked for nothing: changes of settings, and the reason of its end. */
const unaskedMaxBytes = 1_048_576;

interface WireConnection {
  stream: Socket;
  attachListeners(stream: Socket): void;
  on(event: 'errorMessage', listener: (error: Error) => void): void;
  prependListener: WireConnection['on'];
}

export interface GuardedClientConfig extends pg.ClientConfig {
  /** Called when TLS has begun and the certificate fits. */
  onEncrypted?: () => void;
}

/**
 * A client for servers that nobody here has chosen. A message that is malformed, or that node-postgres cannot read, ends the
 * connection: node-postgres throws inside of an event of the socket, which would end the process.
 */
export class GuardedClient extends pg.Client {
  private isLoggedIn = false;
  private received = 0;
  private limitBytes = Infinity;
  private unasked = 0;

  constructor(config?: GuardedClientConfig) {
    super(config);
    this.once('connect', () => (this.isLoggedIn = true));
    const { wire } = this;
    wire.prependListener('errorMessage', withholdText);
    const attach = wire.attachListeners.bind(wire);
    wire.attachListeners = stream => {
      attach(stream);
      if (stream instanceof TLSSocket) stream.once('secureConnect', () => config?.onEncrypted?.());
      const read = stream.listeners('data').at(-1) as (chunk: Buffer) => void;
      stream.off('data', read).on('data', this.guarded(stream, read));
    };
    // node-postgres gives it to whoever asks. SCRAM and MD5 tell no listener the password.
    type Asked = { _handleAuthCleartextPassword: (message: unknown) => void };
    const withPassword = this as unknown as Asked;
    const giveInClear = (pg.Client.prototype as unknown as Asked)._handleAuthCleartextPassword;
    withPassword._handleAuthCleartextPassword = message => {
      if (wire.stream instanceof TLSSocket) giveInClear.call(this, message);
      else wire.stream.destroy(new ClearPasswordError());
    };
  }

  private get wire(): WireConnection {
    return (this as unknown as { connection: WireConnection }).connection;
  }

  /** From now on the server may send so many bytes, but for the rows of COPY, which pass by here. Beyond them the connection is cut. */
  allow(bytes: number): void {
    this.received = 0;
    this.limitBytes = bytes;
  }

  private guarded(stream: Socket, read: (chunk: Buffer) => void): (chunk: Buffer) => void {
    const messages = new WholeMessages();
    return chunk => {
      if (stream.destroyed) return;
      this.received += chunk.length;
      if (!this.isLoggedIn && this.received > loginMaxBytes) return void stream.destroy(new Error('The login takes too many bytes'));
      if (this.received > this.limitBytes) return void stream.destroy(new Error('The server sends too many bytes beside its rows'));
      if (this.isLoggedIn && !isBusy(this)) this.unasked += chunk.length;
      if (this.unasked > unaskedMaxBytes) return void stream.destroy(new Error('The server sends too many bytes that nobody asked for'));
      try {
        const whole = messages.take(chunk);
        if (whole.length > 0) read(whole);
      } catch (error) {
        stream.destroy(error as Error);
      }
    };
  }
}

/** Limits what a server that nobody here has chosen may send beside the rows of COPY. */
export function allowBesideRows(client: ClientBase, bytes: number): void {
  if (client instanceof GuardedClient) client.allow(bytes);
}

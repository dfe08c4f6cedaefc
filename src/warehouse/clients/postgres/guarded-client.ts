import { type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import pg, { type ClientBase } from 'pg';
import { withholdText } from '../../../common/logging/withhold-text.js';
import { isBusy } from '../../../database/sever-connection.js';
import { ClearPasswordError } from '../connection-failure.js';
import { WholeMessages } from './whole-messages.js';

/** The most bytes that a server may send during a login; an honest server sends far fewer. */
const loginMaxBytes = 1_048_576;
/**
 * The most bytes that an idle connection may receive during its life. An honest server sends far fewer: changed settings, and the reason
 * why it closes the connection.
 */
const unaskedMaxBytes = 1_048_576;

interface WireConnection {
  stream: Socket;
  attachListeners(stream: Socket): void;
  on(event: 'errorMessage', listener: (error: Error) => void): void;
  prependListener: WireConnection['on'];
}

export interface GuardedClientConfig extends pg.ClientConfig {
  /** Called after the TLS handshake, when the certificate has been verified if the options demand it. */
  onEncrypted?: () => void;
}

/**
 * A client for servers that the operator of the service did not choose. A message that is malformed, or that node-postgres cannot read,
 * ends the connection. Without this guard node-postgres would throw inside of a socket event, which would end the process.
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
    // node-postgres sends the password in clear text to any server that asks for it. Here it is sent over TLS only. SCRAM and MD5 do not
    // reveal the password on the network.
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

  /**
   * Lets the server send at most `bytes` from now on. Beyond that the connection is cut. Rows of COPY do not count, because they do not
   * pass through this client.
   */
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

/** Limits the bytes that a user's server may send besides the rows of COPY. Other clients are not limited. */
export function allowBesideRows(client: ClientBase, bytes: number): void {
  if (client instanceof GuardedClient) client.allow(bytes);
}

import http from 'node:http';
import https from 'node:https';
import { type Socket } from 'node:net';
import { type Duplex } from 'node:stream';
import { type Egress } from '../../../egress/egress.js';
import { boundPeer } from '../../../egress/peers.js';
import { type Reached } from '../connection-failure.js';
import { tellStages } from '../connection-stage.js';

export interface CheckedAgentOptions {
  egress: Egress;
  port: number;
  tls: 'off' | 'encrypt' | 'verify';
  connectMs: number;
  reached?: Reached;
}

type Created = (error: Error | null, socket: Duplex) => void;
type Add = (request: http.ClientRequest, ...rest: unknown[]) => void;
type Create = (options: { host: string }, created?: Created) => Duplex | null | undefined;

/**
 * An HTTP agent that connects only to checked addresses, and within a time limit. Each connection serves one request, so none can be stale.
 */
export function checkedAgent({ egress, port, tls, connectMs, reached }: CheckedAgentOptions): http.Agent {
  const options = { keepAlive: false, lookup: egress.lookup(port), autoSelectFamily: true };
  const agent = tls === 'off' ? new http.Agent(options) : new https.Agent({ ...options, rejectUnauthorized: tls === 'verify' });
  const holder = agent as unknown as { createConnection: Create; addRequest: Add };
  const add = holder.addRequest.bind(agent);
  holder.addRequest = (request, ...rest) => {
    boundPeer(request);
    add(request, ...rest);
  };
  const connect = holder.createConnection.bind(agent);
  holder.createConnection = (request, created) => {
    // Node calls no lookup for a host that is an address, so such a host is checked here. The URL class has already normalized other
    // spellings of addresses, such as 127.1.
    egress.check(request.host, port).then(
      () => {
        const socket = connect(request) as Socket;
        if (reached) tellStages(socket, request.host, tls === 'off' ? 'login' : 'tls', reached);
        const late = setTimeout(() => socket.destroy(Object.assign(new Error('No connection in time'), { code: 'ETIMEDOUT' })), connectMs);
        const settle = (): void => clearTimeout(late);
        socket.once(tls === 'off' ? 'connect' : 'secureConnect', settle).once('close', settle);
        created!(null, socket);
      },
      (refusal: Error) => created!(refusal, undefined as unknown as Duplex),
    );
    return undefined;
  };
  return agent;
}

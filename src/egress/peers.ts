import { type ClientRequest } from 'node:http';
import tls from 'node:tls';
import { gatherChunks } from '../common/turns/gather-chunks.js';

/**
 * A server chooses the group of a Diffie-Hellman exchange over integers (TLS 1.2, DHE), and one of 10,000 bits costs the client a
 * second of its event loop. Servers that know no exchange over elliptic curves are hardly found.
 */
tls.DEFAULT_CIPHERS = `${tls.DEFAULT_CIPHERS}:!DHE`;

const mostAnnouncements = 16;

/** Breaks the connection to a server that announces its answer (1xx) again and again, or sends it in chunks of a few bytes. */
export function boundPeer(request: ClientRequest): void {
  let seen = 0;
  request.on('information', () => {
    if (++seen > mostAnnouncements) request.destroy(new Error(`More than ${mostAnnouncements} announcements of an answer`));
  });
  request.prependOnceListener('response', response => {
    gatherChunks(response, () => response.socket.destroy());
  });
}

import { type ClientRequest } from 'node:http';
import tls from 'node:tls';
import { gatherChunks } from '../common/turns/gather-chunks.js';

/**
 * Switches off the DHE ciphers of TLS 1.2. With DHE the server chooses the group of the Diffie-Hellman exchange over integers, and a group
 * of 10,000 bits costs the client's event loop a second. Servers without an exchange over elliptic curves are rare.
 */
tls.DEFAULT_CIPHERS = `${tls.DEFAULT_CIPHERS}:!DHE`;

const mostAnnouncements = 16;

/**
 * Closes the connection to a server that sends informational responses (1xx) again and again, or sends its answer in chunks of a few bytes.
 */
export function boundPeer(request: ClientRequest): void {
  let seen = 0;
  request.on('information', () => {
    if (++seen > mostAnnouncements) request.destroy(new Error(`More than ${mostAnnouncements} announcements of an answer`));
  });
  request.prependOnceListener('response', response => {
    gatherChunks(response, () => response.socket.destroy());
  });
}

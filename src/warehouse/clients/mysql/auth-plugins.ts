import { TLSSocket } from 'node:tls';
import type mysql2 from 'mysql2';
import { type AuthPlugin, type Connection } from 'mysql2';
import { ClearPasswordError } from '../connection-failure.js';

/** Message of a server that cannot verify the hashed answer of `caching_sha2_password` and asks for the password itself. */
const wantsPassword = Buffer.from([4]);

/**
 * Plugins for login methods in which the server learns the password. The password is sent over TLS only. mysql2's own plugins would also
 * encrypt the password with a public key that the server sends, and so reveal it to any server.
 * https://dev.mysql.com/doc/refman/8.4/en/caching-sha2-pluggable-authentication.html
 */
export function authPlugins(driver: Pick<typeof mysql2, 'authPlugins'>): Record<string, AuthPlugin> {
  const caching = driver.authPlugins.caching_sha2_password();
  return {
    mysql_clear_password: tell,
    sha256_password: tell,
    caching_sha2_password: context => {
      const answer = caching(context);
      return data => (wantsPassword.equals(data) ? tell(context)() : answer(data));
    },
  };
}

const tell =
  ({ connection }: { connection: Connection }) =>
  (): Buffer => {
    if (!isEncrypted(connection)) throw new ClearPasswordError();
    return Buffer.from(`${connection.config.password ?? ''}\0`);
  };

/** Whether TLS is established, and the certificate verified if the options demand it. A server may ask for the password earlier. */
function isEncrypted({ stream }: Connection): boolean {
  return stream instanceof TLSSocket && !(stream as TLSSocket & { secureConnecting: boolean }).secureConnecting && !stream.destroyed;
}

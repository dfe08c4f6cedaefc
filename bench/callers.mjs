// Makes many users with a token and a key each, so that the limiter is measured as in real use: many callers, each far below its limit.
import { createHmac, randomUUID } from 'node:crypto';
import pg from 'pg';
import { createApiKey } from '../dist/src/api-keys/api-key-format.js';
import { tokenAudience, tokenIssuer } from '../dist/src/access/token-key.js';

/** The service's `JWT_SECRET_KEY`. The bench signs tokens with it, because a login is slow on purpose: it hashes the password. */
export const tokenSecret = 'bench-secret-of-at-least-32-bytes';

/** Inserts the users into the database. Returns one token of each user (`tokens`) and one API key of each user (`keys`). */
export async function createCallers(databaseUrl, count) {
  const keys = Array.from({ length: count }, () => createApiKey());
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: users } = await client.query(
      "INSERT INTO users (username, password_hash) SELECT 'bench-' || n, '' FROM generate_series(1, $1) n RETURNING id",
      [count],
    );
    await client.query(
      `INSERT INTO api_keys (user_id, name, public_id, secret_hash, rate_limit, expires_at, last_used_at)
       SELECT u, 'bench', p, s, 600, now() + interval '1 day', now() FROM unnest($1::int[], $2::text[], $3::bytea[]) AS given (u, p, s)`,
      [users.map(({ id }) => id), keys.map(({ publicId }) => publicId), keys.map(({ secretHash }) => secretHash)],
    );
    return { tokens: users.map(({ id }) => signToken(id)), keys: keys.map(({ rawKey }) => rawKey) };
  } finally {
    await client.end();
  }
}

function signToken(userId) {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { sub: String(userId), tv: 1, jti: randomUUID(), iat, exp: iat + 3600, iss: tokenIssuer, aud: tokenAudience };
  const signed = [{ alg: 'HS256', typ: 'JWT' }, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${createHmac('sha256', tokenSecret).update(signed).digest('base64url')}`;
}

import { createHmac } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { createApiKey } from '../../src/api-keys/api-key-format.js';
import { TokenKey } from '../../src/access/token-key.js';
import { type TestApp } from '../support/app.js';
import { type Row, type Rule } from './access-table.js';

/** The meaning of a credential: it is invalid (401), or it stands for a person with a role on the graph of the request. */
export type Standing =
  | { valid: false }
  | {
      valid: true;
      role: 'none' | 'viewer' | 'editor' | 'manager' | 'owner';
      admin?: boolean;
      pending?: boolean;
      key?: 'this graph' | 'another graph';
      permission?: 'tables:write';
      /** The right that the user has on the mirror. */
      connection?: 'read' | 'write';
    };

export interface CredentialState {
  name: string;
  /** Makes the credential, and the rows in the database that it needs. */
  headers: () => Record<string, string> | Promise<Record<string, string>>;
  standing: Standing;
  /** True if the credential needs a grant to everyone, which the test must delete after the request. */
  opensToEveryone?: true;
  /** True if the credential is the owner's token, sent in another form. */
  isForm?: true;
}

/**
 * With `npm test` a credential is tried on only every nth route; returns n. An open route shows when no credential is sent. A wrong role
 * shows with the roles next to the required one. A wrong rule for keys shows with the key of a user who has all the rights that the rule
 * requires. All other properties of a credential are checked before the route's own rule, so few routes are enough for them.
 */
export function everyHowManyRoutes({ rule, keys }: Row, { name, standing, isForm }: CredentialState): number {
  if (name === 'nothing') return 1;
  if (!standing.valid || isForm) return 16;
  if (standing.connection ?? standing.permission) return rule === 'reader' || rule === 'writer' || keys === 'tables:write' ? 1 : 16;
  if (standing.key) return standing.key === 'this graph' && (standing.role === 'owner' || (standing.admin && rule === 'admin')) ? 1 : 4;
  const steps = (ruleRank[rule] ?? 0) - roleRank[standing.role];
  return standing.admin || standing.pending || steps === 0 || steps === 1 ? 1 : 4;
}

const roleRank = { none: 0, viewer: 1, editor: 2, manager: 3, owner: 4 };
const ruleRank: Partial<Record<Rule, number>> = { viewer: 1, editor: 2, manager: 3, owner: 4 };

/** The expected status: 401, 403, or 'pass' for any other status, which the route itself decides. */
export function expected({ rule, keys }: Row, standing: Standing): 401 | 403 | 'pass' {
  if (rule === 'public') return 'pass';
  if (!standing.valid) return 401;
  if (standing.pending && rule !== 'pending') return 403;
  if (standing.key && !keys) return 403;
  const mayRead = standing.admin === true || standing.connection !== undefined;
  const mayWrite = standing.admin === true || standing.connection === 'write';
  if (standing.key && keys === 'tables:write') return standing.permission === keys && mayWrite ? 'pass' : 403;
  if (rule === 'reader') return mayRead ? 'pass' : 403;
  if (rule === 'writer') return mayWrite ? 'pass' : 403;
  if (rule === 'any' || rule === 'pending') return 'pass';
  if (rule === 'admin') return standing.admin ? 'pass' : 403;
  if (standing.key === 'another graph') return 403;
  const rank = standing.admin ? roleRank.owner : roleRank[standing.role];
  return rank >= ruleRank[rule]! ? 'pass' : 403;
}

/**
 * Makes a credential of each state, using the ids and versions in the database now. The test makes the credentials again after a request
 * that may have changed an id or a version.
 */
export async function credentialStates(test: TestApp, graphId: number, otherGraphId: number): Promise<CredentialState[]> {
  const tokens = test.app.get(JwtService);
  const { rows } = await test.pool.query('SELECT id, username, token_version FROM users');
  const users = new Map(rows.map(user => [user.username as string, user as { id: number; token_version: number }]));
  const claims = (name: string) => ({ sub: String(users.get(name)!.id), tv: users.get(name)!.token_version, jti: 'x' });
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const as = (name: string) => bearer(tokens.sign(claims(name)));
  const key =
    (name: string, graph: number, more = '') =>
    async () => {
      const { rawKey, publicId, secretHash } = createApiKey();
      const inserted = await test.pool.query(
        `WITH key AS (INSERT INTO api_keys (user_id, name, public_id, secret_hash, rate_limit, expires_at)
           VALUES ($1, 'k', $2, $3, 600, now() + interval '1 day') RETURNING id)
         INSERT INTO api_key_graphs SELECT id, $4 FROM key RETURNING api_key_id AS id`,
        [users.get(name)!.id, publicId, secretHash, graph],
      );
      if (more) await test.pool.query(`UPDATE api_keys SET ${more} WHERE id = $1`, [inserted.rows[0].id]);
      return { 'X-API-Key': rawKey };
    };
  const tablesWrite = "permissions = '{tables:write}'";
  const openToEveryone = (canWrite: boolean) =>
    test.pool.query('INSERT INTO connection_grants (connection_id, can_write) VALUES (1, $1)', [canWrite]);
  const invalid: Standing = { valid: false };
  const good = tokens.sign(claims('owner'));
  const [header, payload, signature] = good.split('.') as [string, string, string];
  const plain = { issuer: 'graph-service', audience: 'graph-service' };
  const forged = () => new JwtService({ secret: 'x'.repeat(32) }).sign(claims('owner'), { ...plain, expiresIn: 60 });
  const key256 = test.app.get(TokenKey).object;
  const expired = () =>
    new JwtService({ secretOrKeyProvider: () => key256 }).sign({ ...claims('owner'), exp: Math.floor(Date.now() / 1000) - 1 }, plain);
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  const nowS = Math.floor(Date.now() / 1000);
  const whole = { ...claims('owner'), iat: nowS, exp: nowS + 60, iss: plain.issuer, aud: plain.audience };
  // These tokens are signed by hand: the library adds missing claims and signs only objects.
  const handSigned = (content: unknown) => {
    const text = `${header}.${Buffer.from(JSON.stringify(content)).toString('base64url')}`;
    return bearer(`${text}.${createHmac('sha256', key256).update(text).digest('base64url')}`);
  };
  const without = (claim: keyof typeof whole) => handSigned({ ...whole, [claim]: undefined });

  return [
    { name: 'nothing', headers: () => ({}), standing: invalid },
    { name: 'an empty bearer', headers: () => ({ Authorization: 'Bearer ' }), standing: invalid },
    { name: 'junk', headers: () => bearer('junk'), standing: invalid },
    { name: 'another scheme', headers: () => ({ Authorization: `Basic ${good}` }), standing: invalid },
    { name: 'lower-case bearer', headers: () => ({ Authorization: `bearer ${good}` }), standing: { valid: true, role: 'owner' }, isForm: true },
    { name: 'two spaces', headers: () => ({ Authorization: `Bearer  ${good}` }), standing: invalid },
    { name: 'another signer', headers: () => bearer(forged()), standing: invalid },
    { name: 'no signature', headers: () => bearer(`${none}.${payload}.`), standing: invalid },
    { name: 'a changed payload', headers: () => bearer(`${header}.${Buffer.from(JSON.stringify({ ...claims('admin') })).toString('base64url')}.${signature}`), standing: invalid },
    { name: 'expired', headers: () => bearer(expired()), standing: invalid },
    { name: 'another audience', headers: () => bearer(tokens.sign(claims('owner'), { audience: 'elsewhere' })), standing: invalid },
    { name: 'a token version of the wrong type', headers: () => bearer(tokens.sign({ ...claims('owner'), tv: String(claims('owner').tv) })), standing: invalid },
    { name: 'a subject that is no id', headers: () => bearer(tokens.sign({ ...claims('owner'), sub: 'owner' })), standing: invalid },
    { name: 'a whole token signed by hand', headers: () => handSigned(whole), standing: { valid: true, role: 'owner' }, isForm: true },
    { name: 'no subject', headers: () => without('sub'), standing: invalid },
    { name: 'no token version', headers: () => without('tv'), standing: invalid },
    { name: 'no token id', headers: () => without('jti'), standing: invalid },
    { name: 'no time of issue', headers: () => without('iat'), standing: invalid },
    { name: 'no expiry', headers: () => without('exp'), standing: invalid },
    { name: 'an expiry that is a text', headers: () => handSigned({ ...whole, exp: String(whole.exp) }), standing: invalid },
    { name: 'no issuer', headers: () => without('iss'), standing: invalid },
    { name: 'another issuer', headers: () => handSigned({ ...whole, iss: 'elsewhere' }), standing: invalid },
    { name: 'no audience', headers: () => without('aud'), standing: invalid },
    { name: 'a subject beyond 32 bits', headers: () => handSigned({ ...whole, sub: '2147483648' }), standing: invalid },
    { name: 'a payload that is a text', headers: () => handSigned('hello'), standing: invalid },
    { name: 'a payload that is a list', headers: () => handSigned([]), standing: invalid },
    { name: 'an earlier token version', headers: () => bearer(tokens.sign({ ...claims('owner'), tv: claims('owner').tv - 1 })), standing: invalid },
    { name: 'a deleted user', headers: () => bearer(tokens.sign({ ...claims('owner'), sub: '99999' })), standing: invalid },
    { name: 'a disabled user', headers: () => as('disabled'), standing: invalid },
    { name: 'a user who must change the password', headers: () => as('pending'), standing: { valid: true, role: 'owner', pending: true } },
    { name: 'a stranger', headers: () => as('stranger'), standing: { valid: true, role: 'none' } },
    { name: 'a viewer', headers: () => as('viewer'), standing: { valid: true, role: 'viewer' } },
    { name: 'an editor', headers: () => as('editor'), standing: { valid: true, role: 'editor' } },
    { name: 'a manager', headers: () => as('manager'), standing: { valid: true, role: 'manager' } },
    { name: 'the owner', headers: () => as('owner'), standing: { valid: true, role: 'owner' } },
    { name: 'an admin', headers: () => as('admin'), standing: { valid: true, role: 'none', admin: true } },
    { name: 'a key of the owner', headers: key('owner', graphId), standing: { valid: true, role: 'owner', key: 'this graph' } },
    { name: 'a key of a viewer', headers: key('viewer', graphId), standing: { valid: true, role: 'viewer', key: 'this graph' } },
    { name: 'a key of an admin', headers: key('admin', graphId), standing: { valid: true, role: 'none', admin: true, key: 'this graph' } },
    { name: 'a key of a stranger', headers: key('stranger', graphId), standing: { valid: true, role: 'none', key: 'this graph' } },
    { name: 'a key for another graph', headers: key('owner', otherGraphId), standing: { valid: true, role: 'owner', key: 'another graph' } },
    { name: 'a user granted read', headers: () => as('granted-read'), standing: { valid: true, role: 'none', connection: 'read' } },
    { name: 'a user granted write', headers: () => as('granted-write'), standing: { valid: true, role: 'none', connection: 'write' } },
    { name: 'a stranger while everyone may read', headers: async () => { await openToEveryone(false); return as('stranger'); }, standing: { valid: true, role: 'none', connection: 'read' }, opensToEveryone: true },
    { name: 'a stranger while everyone may write', headers: async () => { await openToEveryone(true); return as('stranger'); }, standing: { valid: true, role: 'none', connection: 'write' }, opensToEveryone: true },
    { name: 'a user granted read while everyone may write', headers: async () => { await openToEveryone(true); return as('granted-read'); }, standing: { valid: true, role: 'none', connection: 'write' }, opensToEveryone: true },
    { name: 'a disabled user while everyone may write', headers: async () => { await openToEveryone(true); return as('disabled'); }, standing: invalid, opensToEveryone: true },
    { name: 'a key of a user granted write', headers: key('granted-write', graphId), standing: { valid: true, role: 'none', key: 'this graph', connection: 'write' } },
    { name: 'a key with tables:write of a user granted write', headers: key('granted-write', graphId, tablesWrite), standing: { valid: true, role: 'none', key: 'this graph', permission: 'tables:write', connection: 'write' } },
    { name: 'a key with tables:write of a user granted read', headers: key('granted-read', graphId, tablesWrite), standing: { valid: true, role: 'none', key: 'this graph', permission: 'tables:write', connection: 'read' } },
    { name: 'a key with tables:write of a stranger', headers: key('stranger', graphId, tablesWrite), standing: { valid: true, role: 'none', key: 'this graph', permission: 'tables:write' } },
    { name: 'a key with tables:write of an admin', headers: key('admin', graphId, tablesWrite), standing: { valid: true, role: 'none', admin: true, key: 'this graph', permission: 'tables:write' } },
    { name: 'a key with tables:write for another graph', headers: key('owner', otherGraphId, tablesWrite), standing: { valid: true, role: 'owner', key: 'another graph', permission: 'tables:write' } },
    { name: 'a revoked key', headers: key('owner', graphId, 'revoked_at = now()'), standing: invalid },
    { name: 'an expired key', headers: key('owner', graphId, 'expires_at = now()'), standing: invalid },
    { name: 'a key with a wrong secret', headers: key('owner', graphId, "secret_hash = sha256('another')"), standing: invalid },
    { name: 'a key of a disabled user', headers: key('disabled', graphId), standing: invalid },
    { name: 'a key of a user who must change the password', headers: key('pending', graphId), standing: invalid },
    { name: 'a junk key', headers: () => ({ 'X-API-Key': 'gsk_junk' }), standing: invalid },
    { name: 'a token and a key', headers: async () => ({ ...as('owner'), ...(await key('owner', graphId)()) }), standing: invalid },
    { name: 'a broken token and a good key', headers: async () => ({ ...bearer('a.b.c'), ...(await key('owner', graphId)()) }), standing: invalid },
    { name: 'an empty Authorization and a good key', headers: async () => ({ Authorization: '', ...(await key('owner', graphId)()) }), standing: invalid },
    { name: 'a good token and a junk key', headers: () => ({ ...as('owner'), 'X-API-Key': 'gsk_junk' }), standing: invalid },
  ]; // prettier-ignore
}

import { createHash, hkdfSync } from 'node:crypto';
import pg from 'pg';

/** The roles with which the service logs in. The owner of the database only prepares the database. */
export const roles = ['records', 'retrieval', 'mirror'] as const;
export type Role = (typeof roles)[number];

/** URLs of roles that an operator sets; the URLs of other roles are derived from the owner's. */
export type GivenUrls = Partial<Record<Role, string | undefined>>;

const longestNameBytes = 63;

/**
 * How the service reaches its database, with one login for each kind of work: `records` reads and writes the service's own tables and owns
 * the tables of graphs and of the mirror, `retrieval` reads graphs, and `mirror` reads the mirror.
 */
export class DatabaseAccess {
  constructor(
    readonly records: string,
    readonly retrieval: string,
    readonly mirror: string,
  ) {}

  /** Takes the given URLs, and derives the missing ones from the owner's URL. Makes no connection. */
  static of(ownerUrl: string, given: GivenUrls = {}): DatabaseAccess {
    const url = (role: Role): string => given[role] ?? deriveUrl(ownerUrl, role);
    return new DatabaseAccess(url('records'), url('retrieval'), url('mirror'));
  }

  /** The same logins on another database of the same server, which must be a copy of this database. */
  on(database: string): DatabaseAccess {
    const moved = (url: string): string => url.replace(/^([^@]*@[^/]*\/)[^?]*/, `$1${encodeURIComponent(database)}`);
    return new DatabaseAccess(moved(this.records), moved(this.retrieval), moved(this.mirror));
  }

  nameOf(role: Role): string {
    return loginOf(this[role]).name;
  }
}

/** The login that node-postgres would use for a URL. */
export function loginOf(url: string): { name: string; password: string; database: string } {
  const { user, password, database } = new pg.Client(url);
  return { name: user ?? '', password: typeof password === 'string' ? password : '', database: database ?? '' };
}

/**
 * Derives the URL of a role of the same database. The role's name contains the database's name, so that deployments on one server do not
 * clash. The role's password comes from the owner's, so that processes with the same `DATABASE_URL` agree on it without talking. If the
 * owner has no password (the server trusts it), the roles have none either.
 */
export function deriveUrl(ownerUrl: string, role: string): string {
  const { password, database } = loginOf(ownerUrl);
  const name = roleName(database, role);
  const secret =
    password === '' ? '' : `:${Buffer.from(hkdfSync('sha256', password, '', `graph-service ${name}`, 32)).toString('base64url')}`;
  // eslint-disable-next-line regexp/no-super-linear-backtracking -- The operator writes it.
  const [, scheme, place, parameters] = /^(postgres(?:ql)?:\/\/)(?:[^/?#]*@)?([^?]*)(.*)$/s.exec(ownerUrl)!;
  // Parameters named user or password would override the login before the host.
  const kept = parameters!.slice(1).split('&').filter(each => each !== '' && !/^(user|password)=/.test(each)); // prettier-ignore
  return `${scheme}${encodeURIComponent(name)}${secret}@${place}${kept.length === 0 ? '' : `?${kept.join('&')}`}`;
}

/** Adds the login of `other` to a URL, unless the URL names a user. */
export function withLoginOf(url: string, other: string): string {
  // eslint-disable-next-line regexp/no-super-linear-backtracking -- The operator writes it.
  const [, scheme, user, rest] = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?(.*)$/s.exec(url)!;
  // A socket in the parameters leaves an empty part before the host: `postgresql://@/graph?host=/run/postgresql`.
  if ((user !== undefined && user !== '@') || /[?&]user=/.test(url)) return url;
  const { name, password } = loginOf(other);
  return `${scheme}${encodeURIComponent(name)}${password === '' ? '' : `:${encodeURIComponent(password)}`}@${rest}`;
}

/** The name of a role: `graph_<database>_<role>`. PostgreSQL would cut a long name, so it is cut here, with a hash that keeps it unique. */
export function roleName(database: string, role: string): string {
  const name = `graph_${database}_${role}`;
  if (Buffer.byteLength(name) <= longestNameBytes) return name;
  const hash = createHash('sha256').update(database).digest('hex').slice(0, 12);
  let kept = database;
  while (Buffer.byteLength(`graph_${kept}_${hash}_${role}`) > longestNameBytes) kept = [...kept].slice(0, -1).join('');
  return `graph_${kept}_${hash}_${role}`;
}

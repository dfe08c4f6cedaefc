import { createHash, hkdfSync } from 'node:crypto';
import pg from 'pg';

/** The logins that the service works with. The owner of the database only prepares it. */
export const roles = ['records', 'retrieval', 'mirror'] as const;
export type Role = (typeof roles)[number];

/** URLs that an operator sets in place of the derived ones. */
export type GivenUrls = Partial<Record<Role, string | undefined>>;

const longestNameBytes = 63;

/**
 * How the service reaches its database, one login for each kind of work: `records` reads and writes the service's own tables and
 * owns those of graphs and of the mirror, `retrieval` reads graphs, `mirror` reads the mirror.
 */
export class DatabaseAccess {
  constructor(
    readonly records: string,
    readonly retrieval: string,
    readonly mirror: string,
  ) {}

  /** Takes the given URLs, and derives the others from the owner's. Makes no connection. */
  static of(ownerUrl: string, given: GivenUrls = {}): DatabaseAccess {
    const url = (role: Role): string => given[role] ?? deriveUrl(ownerUrl, role);
    return new DatabaseAccess(url('records'), url('retrieval'), url('mirror'));
  }

  /** The same logins on another database that was made from this one. */
  on(database: string): DatabaseAccess {
    const moved = (url: string): string => url.replace(/^([^@]*@[^/]*\/)[^?]*/, `$1${encodeURIComponent(database)}`);
    return new DatabaseAccess(moved(this.records), moved(this.retrieval), moved(this.mirror));
  }

  nameOf(role: Role): string {
    return loginOf(this[role]).name;
  }
}

/** Reads the login from a URL, as node-postgres does. */
export function loginOf(url: string): { name: string; password: string; database: string } {
  const { user, password, database } = new pg.Client(url);
  return { name: user ?? '', password: typeof password === 'string' ? password : '', database: database ?? '' };
}

/**
 * Derives the URL of a role of the same database. The name comes from the database, so that deployments on one server do not clash.
 * The password comes from the owner's, so that processes with the same `DATABASE_URL` agree without talking. If the owner has no
 * password (the server trusts it), neither have the roles.
 */
export function deriveUrl(ownerUrl: string, role: string): string {
  const { password, database } = loginOf(ownerUrl);
  const name = roleName(database, role);
  const secret =
    password === '' ? '' : `:${Buffer.from(hkdfSync('sha256', password, '', `graph-service ${name}`, 32)).toString('base64url')}`;
  // eslint-disable-next-line regexp/no-super-linear-backtracking -- The operator writes it.
  const [, scheme, place, parameters] = /^(postgres(?:ql)?:\/\/)(?:[^/?#]*@)?([^?]*)(.*)$/s.exec(ownerUrl)!;
  // Parameters of these names would override the part before the host.
  const kept = parameters!.slice(1).split('&').filter(each => each !== '' && !/^(user|password)=/.test(each)); // prettier-ignore
  return `${scheme}${encodeURIComponent(name)}${secret}@${place}${kept.length === 0 ? '' : `?${kept.join('&')}`}`;
}

/** Adds the login of another URL to one that names no user. */
export function withLoginOf(url: string, other: string): string {
  // eslint-disable-next-line regexp/no-super-linear-backtracking -- The operator writes it.
  const [, scheme, user, rest] = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?(.*)$/s.exec(url)!;
  // A socket in the parameters leaves an empty part before the host: `postgresql://@/graph?host=/run/postgresql`.
  if ((user !== undefined && user !== '@') || /[?&]user=/.test(url)) return url;
  const { name, password } = loginOf(other);
  return `${scheme}${encodeURIComponent(name)}${password === '' ? '' : `:${encodeURIComponent(password)}`}@${rest}`;
}

/** `graph_<database>_<role>`. PostgreSQL would cut a long name, so it is cut here, with a hash that keeps it unique. */
export function roleName(database: string, role: string): string {
  const name = `graph_${database}_${role}`;
  if (Buffer.byteLength(name) <= longestNameBytes) return name;
  const hash = createHash('sha256').update(database).digest('hex').slice(0, 12);
  let kept = database;
  while (Buffer.byteLength(`graph_${kept}_${hash}_${role}`) > longestNameBytes) kept = [...kept].slice(0, -1).join('');
  return `graph_${kept}_${hash}_${role}`;
}

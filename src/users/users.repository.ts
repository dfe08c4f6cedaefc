import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type PoolClient } from 'pg';
import { IsNull, MoreThan, Repository } from 'typeorm';
import { type GraphRole } from '../access/access.decorator.js';
import { type GraphStanding } from '../access/graph-standing.js';
import { BatchedLookup } from '../database/batched-lookup.js';
import { ServicePool } from '../database/service-pool.js';
import { User } from './user.entity.js';
import { normalName, writtenName } from './username.js';
import { LastAdminError, TokenEndedError, UsernameTakenError, UserNotFoundError, UserOwnsGraphsError } from './users.errors.js';

export interface NewUser {
  username: string;
  passwordHash: string;
  isAdmin: boolean;
  mustChangePassword: boolean;
}

export interface UserChanges {
  isAdmin?: boolean | undefined;
  disabled?: boolean | undefined;
}

/** The state of an account that every request checks. */
export interface AccountState {
  id: number;
  username: string;
  is_admin: boolean;
  must_change_password: boolean;
  token_version: number;
  disabled: boolean;
}

/** An account with its relation to one graph. */
export interface AccountInGraph extends AccountState {
  standing: GraphStanding;
}

type AccountInGraphRow = AccountState & { graph_id: number; owner_id: number | null; role: GraphRole | null };

const pairKey = (userId: number, graphId: number): string => `${userId} ${graphId}`;

@Injectable()
export class UsersRepository {
  private readonly accountStates = new BatchedLookup<number, AccountState>(
    ids => this.readAccountStates(ids),
    account => account.id,
  );
  private readonly accountsInGraphs = new BatchedLookup<string, AccountInGraph>(
    pairs => this.readAccountsInGraphs(pairs),
    ({ id, standing }) => pairKey(id, standing.graphId),
  );

  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly pool: ServicePool,
  ) {}

  findById(id: number): Promise<User | null> {
    return this.users.findOneBy({ id });
  }

  /**
   * Finds a user by name: first by the name as given, since old names may not be in Unicode normal form KC, then by the normal form of the
   * name.
   */
  async findByUsername(username: string): Promise<User | null> {
    const normal = writtenName(username);
    const found = await this.users.findOneBy({ username });
    return found ?? (normal === username ? null : this.users.findOneBy({ username: normal }));
  }

  /** The state of an account, read on every request that carries a token. */
  findAccountState(id: number): Promise<AccountState | null> {
    return this.accountStates.get(id);
  }

  /**
   * The state of an account and its standing in one graph. Requests about a graph read both in one statement, instead of calling
   * `findAccountState`.
   */
  findAccountInGraph(id: number, graphId: number): Promise<AccountInGraph | null> {
    return this.accountsInGraphs.get(pairKey(id, graphId));
  }

  /**
   * Gives a normal name to each user without one: users older than the column, and users made by an older release that runs beside this
   * release. When several users share a normal name, the first user gets it. The other users get the name with a mark, and still log in by
   * their old name.
   * @returns the names that had to be marked
   */
  async fillNormalNames(): Promise<string[]> {
    if (!(await this.users.existsBy({ normalName: IsNull() }))) return [];
    return this.pool.transaction(async client => {
      // Without the lock a new user could take one of the normal names meanwhile.
      await client.query('LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE');
      const { rows: users } = await client.query<{ id: number; username: string }>(
        'SELECT id, username FROM users WHERE normal_name IS NULL',
      );
      const { rows } = await client.query<{ username: string }>(
        `WITH named AS (
           SELECT id, name, row_number() OVER (PARTITION BY name ORDER BY id) > 1
                  OR EXISTS (SELECT FROM users holder WHERE holder.normal_name = name) AS is_taken
           FROM unnest($1::int[], $2::text[]) AS given(id, name)),
         filled AS (
           UPDATE users SET normal_name = CASE WHEN is_taken THEN name || '#' || users.id ELSE name END
           FROM named WHERE users.id = named.id RETURNING username, is_taken)
         SELECT username FROM filled WHERE is_taken ORDER BY username`,
        [users.map(({ id }) => id), users.map(({ username }) => normalName(username))],
      );
      return rows.map(({ username }) => username);
    });
  }

  /** @throws UsernameTakenError when a user has the name, or a name that differs only in case or in the encoding of its letters. */
  async create(client: PoolClient, { username, passwordHash, isAdmin, mustChangePassword }: NewUser): Promise<number> {
    const { rows } = await client.query<{ id: number }>(
      // A marked name (see `fillNormalNames`) also reserves the name without the mark, even when the first holder of that name is gone.
      `INSERT INTO users (username, normal_name, password_hash, is_admin, must_change_password)
       SELECT $1, $5, $2, $3, $4 WHERE NOT EXISTS (SELECT FROM users WHERE split_part(normal_name, '#', 1) = $5)
       ON CONFLICT DO NOTHING RETURNING id`,
      [username, passwordHash, isAdmin, mustChangePassword, normalName(username)],
    );
    if (!rows[0]) throw new UsernameTakenError(username);
    return rows[0].id;
  }

  /**
   * Inserts the first admin unless the database has an admin. Several instances may start on one empty database: the first to insert wins,
   * and the others find its row.
   * @returns the id of the new admin, null if there is an admin
   */
  async createFirstAdmin(client: PoolClient, username: string, passwordHash: string): Promise<number | null> {
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO users (username, normal_name, password_hash, is_admin, must_change_password)
       SELECT $1, $3, $2, true, true WHERE NOT EXISTS (SELECT FROM users WHERE is_admin)
       ON CONFLICT DO NOTHING RETURNING id`,
      [username, passwordHash, normalName(username)],
    );
    return rows[0]?.id ?? null;
  }

  async existsAdmin(): Promise<boolean> {
    return this.users.existsBy({ isAdmin: true });
  }

  /**
   * Sets the password, clears the flag that asks for a change, and ends every earlier token. Returns the new token version.
   * @throws TokenEndedError when `tokenVersion` has ended: by a reset, a logout, another change, or because the user was disabled.
   */
  async changePassword(client: PoolClient, id: number, tokenVersion: number, passwordHash: string): Promise<number> {
    const { rows } = await client.query<{ token_version: number }>(
      `UPDATE users SET password_hash = $3, must_change_password = false, token_version = token_version + 1
       WHERE id = $1 AND token_version = $2 RETURNING token_version`,
      [id, tokenVersion, passwordHash],
    );
    if (!rows[0]) throw new TokenEndedError();
    return rows[0].token_version;
  }

  async endTokens(client: PoolClient, id: number): Promise<void> {
    await client.query('UPDATE users SET token_version = token_version + 1 WHERE id = $1', [id]);
  }

  list(afterId: number, limit: number): Promise<User[]> {
    return this.users.find({ where: { id: MoreThan(afterId) }, order: { id: 'ASC' }, take: limit });
  }

  /**
   * Changes a user and ends the user's tokens, so that nobody keeps rights that were taken away.
   * @throws UserNotFoundError, LastAdminError
   */
  change(client: PoolClient, id: number, { isAdmin, disabled }: UserChanges): Promise<void> {
    return this.keepingAnAdmin(
      client,
      id,
      `UPDATE users SET is_admin = coalesce($2, is_admin), token_version = token_version + 1,
         disabled_at = CASE $3::boolean WHEN true THEN coalesce(disabled_at, now()) WHEN false THEN NULL ELSE disabled_at END
       WHERE id = $1`,
      [isAdmin ?? null, disabled ?? null],
    );
  }

  /** @throws UserNotFoundError */
  async resetPassword(client: PoolClient, id: number, passwordHash: string): Promise<void> {
    const { rowCount } = await client.query(
      `UPDATE users SET password_hash = $2, must_change_password = true, token_version = token_version + 1 WHERE id = $1`,
      [id, passwordHash],
    );
    if (rowCount === 0) throw new UserNotFoundError(id);
  }

  /** Replaces the hash of the same password, made with another cost, unless the password was changed meanwhile. */
  async rehash(id: number, oldHash: string, passwordHash: string): Promise<void> {
    await this.pool.query('UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2', [id, oldHash, passwordHash]);
  }

  /** @throws UserNotFoundError, UserOwnsGraphsError, LastAdminError */
  async delete(client: PoolClient, id: number): Promise<void> {
    const { rows } = await client.query<{ id: number }>('SELECT id FROM graphs WHERE owner_id = $1 ORDER BY id LIMIT 100', [id]);
    if (rows.length > 0) throw new UserOwnsGraphsError(rows.map(graph => graph.id));
    await this.keepingAnAdmin(client, id, 'DELETE FROM users WHERE id = $1', []);
  }

  private async readAccountStates(ids: number[]): Promise<AccountState[]> {
    const { rows } = await this.pool.query<AccountState>({
      name: 'account-states',
      text: `SELECT id, username, is_admin, must_change_password, token_version, disabled_at IS NOT NULL AS disabled
             FROM users WHERE id = ANY ($1::int[])`,
      values: [ids],
    });
    return rows;
  }

  private async readAccountsInGraphs(pairs: string[]): Promise<AccountInGraph[]> {
    const ids = pairs.map(pair => pair.split(' ').map(Number));
    const { rows } = await this.pool.query<AccountInGraphRow>({
      name: 'accounts-in-graphs',
      text: `SELECT u.id, u.username, u.is_admin, u.must_change_password, u.token_version, u.disabled_at IS NOT NULL AS disabled,
                    asked.graph_id, g.owner_id, m.role
             FROM unnest($1::int[], $2::int[]) AS asked (user_id, graph_id) JOIN users u ON u.id = asked.user_id
             LEFT JOIN graphs g ON g.id = asked.graph_id LEFT JOIN graph_members m ON m.graph_id = g.id AND m.user_id = u.id`,
      values: [ids.map(([user]) => user), ids.map(([, graph]) => graph)],
    });
    return rows.map(({ graph_id: graphId, owner_id: ownerId, role, ...account }) => ({ ...account, standing: { graphId, ownerId, role } }));
  }

  /** Changes a user unless no active admin would be left. Concurrent changes of this sort wait for each other. */
  private async keepingAnAdmin(client: PoolClient, id: number, sql: string, values: unknown[]): Promise<void> {
    await client.query('SELECT FROM users WHERE is_admin ORDER BY id FOR UPDATE');
    const { rowCount } = await client.query(sql, [id, ...values]);
    if (rowCount === 0) throw new UserNotFoundError(id);
    const { rows } = await client.query<{ left: boolean }>(
      'SELECT EXISTS (SELECT FROM users WHERE is_admin AND disabled_at IS NULL) AS left',
    );
    if (!rows[0]!.left) throw new LastAdminError();
  }
}

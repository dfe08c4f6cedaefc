import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { mapInTurns } from '../common/turns/pace.js';
import { AuditService } from '../audit/audit.service.js';
import { type Principal } from '../access/principal.js';
import { afterId, page, type Page, type PageQuery } from '../http/paging/page.js';
import { graphTables, measureTables } from '../database/graph-tables.js';
import { Quotas } from '../database/quotas.js';
import { Settings } from '../config/settings.js';
import { type StorageRoom } from '../database/storage-room.js';
import { GraphAccessService } from './graph-access.service.js';
import {
  type CreateGraphRequest,
  type GraphResponse,
  type GraphSchemaResponse,
  type NeighborResponse,
  type NodeResponse,
  toGraphResponse,
  toGraphSchemaResponse,
  toNeighborResponse,
  toNodeResponse,
  type UpdateGraphRequest,
} from './graphs.dto.js';
import { GraphNotFoundError, NodeNotFoundError } from './graphs.errors.js';
import { graphRoom } from './graph-room.js';
import { GraphsRepository, type NodeRow } from './graphs.repository.js';

@Injectable()
export class GraphsService {
  constructor(
    private readonly graphs: GraphsRepository,
    private readonly access: GraphAccessService,
    private readonly audit: AuditService,
    private readonly quotas: Quotas,
    private readonly settings: Settings,
  ) {}

  async list(principal: Principal, { limit, cursor }: PageQuery): Promise<Page<GraphResponse>> {
    const rows = await this.graphs.list(principal, await this.access.listVisible(principal), afterId(cursor), limit + 1);
    return page(rows.map(toGraphResponse), limit, graph => graph.id);
  }

  async get(principal: Principal, id: number): Promise<GraphResponse> {
    const row = await this.graphs.find(principal, id);
    if (!row) throw new GraphNotFoundError();
    return toGraphResponse(row);
  }

  /** @throws QuotaReachedError */
  async create(principal: Principal, { name, description }: CreateGraphRequest): Promise<GraphResponse> {
    const id = await this.audit.recordWith(
      async client => {
        await this.quotas.ask(client, 'graphs', principal.userId, principal);
        return this.graphs.create(client, { name, description: description ?? null, ownerId: principal.userId });
      },
      id => ({ action: 'graph.created', actor: principal, target: 'graph', targetId: id, context: { name } }),
    );
    return this.get(principal, id);
  }

  async update(principal: Principal, id: number, changes: UpdateGraphRequest): Promise<GraphResponse> {
    const changed = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (changed.length > 0)
      await this.audit.recordWith(
        client => this.graphs.update(client, id, changes),
        () => ({ action: 'graph.changed', actor: principal, target: 'graph', targetId: id, context: { changed } }),
      );
    return this.get(principal, id);
  }

  /** The bytes that a run may still add to a graph, as known before the run begins. Other runs may use them up before the run ends. */
  async roomFor(id: number): Promise<StorageRoom> {
    return graphRoom(await this.graphs.storageUse(id), this.settings);
  }

  /**
   * Checks that a changed graph and the other graphs of its owner stay within the owner's bound on bytes. Call it in the transaction that
   * has changed the graph, before the graph's version is raised. Other runs on graphs of this owner wait at the same check until the
   * transaction ends, so the check is exact. A graph that is no larger than after its last run always passes.
   * @throws StorageFullError
   */
  async requireRoom(client: PoolClient, id: number): Promise<void> {
    await this.graphs.lockStorage(client, id);
    const room = graphRoom(await this.graphs.storageUse(id, client), this.settings);
    room.require(await measureTables(client, graphTables(id)));
  }

  /**
   * Raises the version of a graph. Call it in the transaction that changes the graph: once this transaction commits, answers for an earlier
   * version count as outdated.
   * @returns the new version; null when the graph is gone
   */
  raiseVersion(client: PoolClient, id: number): Promise<number | null> {
    return this.graphs.raiseVersion(client, id);
  }

  /** The version of a graph as the transaction of `client` sees it. Null when the graph is gone. */
  versionSeen(client: PoolClient, id: number): Promise<number | null> {
    return this.graphs.versionSeen(client, id);
  }

  async delete(principal: Principal, id: number): Promise<void> {
    await this.audit.recordWith(
      client => this.graphs.delete(client, id),
      () => ({ action: 'graph.deleted', actor: principal, target: 'graph', targetId: id }),
    );
    await this.graphs.dropOrphans();
  }

  async schema(id: number): Promise<GraphSchemaResponse> {
    return toGraphSchemaResponse(await this.graphs.listElements(id));
  }

  /** @throws NodeNotFoundError; AnswerTooLargeError */
  async node(graphId: number, nodeId: string): Promise<NodeResponse> {
    return toNodeResponse(await this.getNode(graphId, nodeId));
  }

  /**
   * A page of the edges of a node, with the nodes at their other ends.
   * @throws NodeNotFoundError; AnswerTooLargeError if the node, or the edges of the page together, are too large
   */
  async neighbors(graphId: number, nodeId: string, { limit, cursor }: PageQuery): Promise<Page<NeighborResponse>> {
    await this.getNode(graphId, nodeId);
    const rows = await this.graphs.listNeighbors(graphId, nodeId, afterId(cursor, Number.MAX_SAFE_INTEGER), limit + 1);
    return page(await mapInTurns(rows, toNeighborResponse), limit, neighbor => neighbor.edge_id);
  }

  /**
   * Finds a node by id. Node ids have 64 bits and are opaque to clients.
   * @throws NodeNotFoundError, also for an id that is not a number of 1 to 18 digits.
   */
  private async getNode(graphId: number, nodeId: string): Promise<NodeRow> {
    const row = /^\d{1,18}$/.test(nodeId) ? await this.graphs.findNode(graphId, nodeId) : null;
    if (!row) throw new NodeNotFoundError();
    return row;
  }
}

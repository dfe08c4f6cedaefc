import { type ExecutionContext, Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { SchemaError } from '../common/errors/api-error.js';
import { Settings } from '../config/settings.js';
import { afterId, type Page, pageOfRows, type PageQuery } from '../http/paging/page.js';
import { fieldText } from '../http/validation/body-text.js';
import { parseCypher } from '../cypher/syntax/parse-cypher.js';
import { type ExactQueryRequest, type QueryRequest, type QueryResponse } from './queries.dto.js';
import { IneffectiveOptionsError } from './queries.errors.js';
import { type Patience, QueriesService } from './queries.service.js';
import { type QueryStateResponse } from './query-state.dto.js';
import { readQueryRequest } from './read-query-request.js';
import {
  type ChangeSavedQueryRequest,
  type CreateSavedQueryRequest,
  type RunSavedQueryRequest,
  type SavedQueryResponse,
  toSavedQueryResponse,
} from './saved-queries.dto.js';
import { SavedQueriesRepository } from './saved-queries.repository.js';

const maxRequestCharacters = 50_000;

/** Queries that a user has saved under a name. Each belongs to its user alone: other users of the graph do not see it. */
@Injectable()
export class SavedQueriesService {
  constructor(
    private readonly saved: SavedQueriesRepository,
    private readonly queries: QueriesService,
    private readonly settings: Settings,
  ) {}

  /** Saves a query. @throws the errors of a query request that breaks its schema; SavedQueryNameTakenError, TooManySavedQueriesError */
  async create(
    { userId }: Principal,
    graphId: number,
    { name, description = '', request }: CreateSavedQueryRequest,
    requestText: string | null,
  ): Promise<SavedQueryResponse> {
    const checked = this.check(exact(request, requestText));
    return toSavedQueryResponse(await this.saved.create(graphId, userId, { name, description, request: checked }));
  }

  async list({ userId }: Principal, graphId: number, { limit, cursor }: PageQuery): Promise<Page<SavedQueryResponse>> {
    return pageOfRows(await this.saved.list(graphId, userId, afterId(cursor), limit), row => row.id, toSavedQueryResponse);
  }

  /** Reads a saved query of the user. @throws SavedQueryNotFoundError */
  async get({ userId }: Principal, graphId: number, id: number): Promise<SavedQueryResponse> {
    return toSavedQueryResponse(await this.saved.get(graphId, userId, id));
  }

  /** Changes only the fields that are given. @throws SavedQueryNotFoundError, and the errors of `create` */
  async change(
    { userId }: Principal,
    graphId: number,
    id: number,
    body: ChangeSavedQueryRequest,
    requestText: string | null,
  ): Promise<SavedQueryResponse> {
    const { name, description } = body;
    const request = body.request && this.check(exact(body.request, requestText));
    return toSavedQueryResponse(await this.saved.change(graphId, userId, id, { name, description, request }));
  }

  /** Deletes a saved query of the user. @throws SavedQueryNotFoundError */
  delete({ userId }: Principal, graphId: number, id: number): Promise<void> {
    return this.saved.delete(graphId, userId, id);
  }

  /**
   * Runs the saved query. A given parameter replaces the saved one with the same name; other saved parameters stay.
   * @throws SavedQueryNotFoundError, and the errors of `QueriesService.query`
   */
  async run(
    principal: Principal,
    graphId: number,
    id: number,
    { parameters }: RunSavedQueryRequest,
    parametersText: string | null,
    call: ExecutionContext,
    patience: Patience,
  ): Promise<QueryResponse | QueryStateResponse> {
    const { request } = await this.saved.get(graphId, principal.userId, id);
    if (parameters && request.cypher == null)
      throw new IneffectiveOptionsError([{ name: 'parameters', zh: '只用于 cypher', en: 'has an effect with cypher only' }]);
    const asked = parameters ? withParameters(request, parameters, parametersText) : request;
    return this.queries.query(principal, graphId, asked, call, patience);
  }

  /** Checks a request and the syntax of its Cypher text as running the query would, so that a broken query is refused when it is saved. */
  private check(request: ExactQueryRequest): ExactQueryRequest {
    try {
      const { kind, text } = readQueryRequest(request, this.settings.queryMaxTimeoutMs);
      if (kind === 'cypher') parseCypher(text);
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      throw new SchemaError(error.problems.map(problem => ({ ...problem, loc: ['body', 'request', ...problem.loc.slice(1)] })));
    }
    if (JSON.stringify(request).length <= maxRequestCharacters) return request;
    const text = { zh: `至多 ${maxRequestCharacters} 个字符`, en: `may have ${maxRequestCharacters} characters at most` };
    throw new SchemaError([{ loc: ['body', 'request'], text, type: 'too_long' }]);
  }
}

function exact(request: QueryRequest, requestText: string | null): ExactQueryRequest {
  return { ...request, parametersText: requestText === null ? null : fieldText(requestText, 'parameters') };
}

/**
 * The saved request with other parameters. Their JSON text is appended to that of the saved parameters: if a name occurs twice in a JSON
 * object, the last entry counts.
 */
function withParameters(request: ExactQueryRequest, parameters: Record<string, unknown>, text: string | null): ExactQueryRequest {
  const entries = [request.parametersText ?? JSON.stringify(request.parameters ?? {}), text ?? JSON.stringify(parameters)]
    .map(object => object.trim().slice(1, -1).trim())
    .filter(inner => inner !== '');
  return { ...request, parameters: { ...request.parameters, ...parameters }, parametersText: `{${entries.join(', ')}}` };
}

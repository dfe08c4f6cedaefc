import { parseExactJson } from '../common/json/parse-exact-json.js';
import { HttpStatus } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { type Response } from 'express';
import { mapInTurns } from '../common/turns/pace.js';
import { invalidCursor, type Page, PageQuery } from '../http/paging/page.js';
import { preferenceApplied } from '../http/server/preferences.js';
import { type QueryKind } from '../retrieval/protocol.js';
import { type ExactQueryRequest, QueryRequest, type QueryResponse } from './queries.dto.js';
import { type QueryRun, queryStatuses, type QueryStatus } from './query-runs.repository.js';

export const queryKinds = ['question', 'search', 'cypher'] as const;

export class ListQueriesQuery extends PageQuery {
  @ApiPropertyOptional({ enum: queryStatuses, example: 'succeeded' })
  @IsOptional()
  @IsIn(queryStatuses)
  status?: QueryStatus;

  @ApiPropertyOptional({ enum: queryKinds })
  @IsOptional()
  @IsIn(queryKinds)
  kind?: QueryKind;
}

class QueryErrorResponse {
  @ApiProperty({ example: 422, description: '同一请求本会得到的状态码 / the status that the same request would have got' })
  status: number;

  @ApiProperty({ type: Number, nullable: true, example: null, description: '之后可重试的秒数 / the seconds after which a retry may help' })
  retry_after_s: number | null;

  @ApiProperty({
    type: Object,
    example: { detail: '查询过大 / The query is too large', code: 'query_too_large' },
    description: '同一请求本会得到的错误 / the error that the same request would have got',
  })
  body: Record<string, unknown>;
}

/** The state of a query, without its answer. */
export class QueryStateResponse {
  @ApiProperty({ example: 17 })
  query_id: number;

  @ApiProperty({ example: 1 })
  graph_id: number;

  @ApiProperty({ enum: queryKinds, example: 'cypher' })
  kind: QueryKind;

  @ApiProperty({
    type: Object,
    example: { cypher: 'MATCH (n) RETURN count(*) AS n' },
    description:
      '所提交的请求；已存答案只有决定答案的字段；管理者取消的他人查询则为空 / the request as sent; of a stored answer what decides it; empty for the query of another user that a manager cancels',
  })
  request: QueryRequest;

  @ApiPropertyOptional({
    example: true,
    description:
      '仅在列表中：请求超过 10,000 字节，只列出其文本的开头 / In lists only: the request is larger than 10,000 bytes, and only the beginning of its text is shown',
  })
  is_request_cut?: true;

  @ApiProperty({
    enum: queryStatuses,
    example: 'running',
    description:
      'queued：目前没有位置，或其进程已停止，将自动继续 / queued: there is no place for it now, or its process has stopped; it goes on by itself',
  })
  status: QueryStatus;

  @ApiProperty({ type: QueryErrorResponse, nullable: true })
  error: QueryErrorResponse | null;

  @ApiProperty({ example: 1250, description: '至今或至结束的毫秒数 / milliseconds until now, or until its end' })
  elapsed_ms: number;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  ended_at: string | null;

  @ApiProperty({ example: '/api/graphs/1/queries/17', description: '答案所在 / where its answer is' })
  location: string;
}

export function toQueryState(run: QueryRun): QueryStateResponse {
  const { id, graph_id, kind, request, status, error, elapsed_ms } = run;
  return {
    query_id: id,
    graph_id,
    kind,
    request: asSent(request),
    ...(run.is_request_cut && { is_request_cut: true as const }),
    status,
    error,
    elapsed_ms: Math.max(0, elapsed_ms),
    created_at: run.created_at.toISOString(),
    ended_at: run.ended_at?.toISOString() ?? null,
    location: placeOf(graph_id, id),
  };
}

export function placeOf(graphId: number, queryId: number): string {
  return `/api/graphs/${graphId}/queries/${queryId}`;
}

/** Sets the status of a response with a query's answer or state: 202 while the query is under way, otherwise 200. */
export function answerWithQuery<T extends QueryResponse | QueryStateResponse>(response: Response, answer: T): T {
  response.status(isUnderWay(answer) ? HttpStatus.ACCEPTED : HttpStatus.OK);
  return answer;
}

/**
 * Sets the status of a response to a request that submits a query, and the query's URL in `Location` if the query goes on.
 * @param isAsynchronous whether the caller preferred `respond-async`
 */
export function answerSubmitted<T extends QueryResponse | QueryStateResponse>(response: Response, answer: T, isAsynchronous: boolean): T {
  if (isAsynchronous && 'location' in answer) preferenceApplied(response, 'respond-async');
  if ('location' in answer) response.location(answer.location);
  return answerWithQuery(response, answer);
}

export function isUnderWay({ status }: { status: string }): boolean {
  return status === 'queued' || status === 'running';
}

/** A page of queries in a list. Its cursor is the creation time and the id of the last query. */
export async function pageOfStates(runs: QueryRun[], limit: number): Promise<Page<QueryStateResponse>> {
  const items = runs.slice(0, limit);
  const last = items.at(-1);
  const cursor = runs.length > limit && last ? Buffer.from(`${last.created_at.getTime()}.${last.id}`).toString('base64url') : null;
  return { items: await mapInTurns(items, toQueryState), next_cursor: cursor };
}

/**
 * Reads the cursor of a list of queries: the creation time and id after which the page begins; null for the first page.
 * @throws SchemaError for a cursor that this service did not make
 */
export function readListCursor(cursor: string | undefined): { createdAt: Date; id: number } | null {
  if (cursor === undefined) return null;
  const match = /^(\d{1,15})\.(\d{1,9}|1\d{9}|20\d{8})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match) throw invalidCursor();
  return { createdAt: new Date(Number(match[1])), id: Number(match[2]) };
}

/**
 * The request as the caller sent it, without fields that are null. Numbers in its parameters that a JSON number would round are texts, as
 * in answers.
 */
export function asSent({ parametersText, ...request }: ExactQueryRequest): QueryRequest {
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null)) as QueryRequest;
  return given.parameters && parametersText != null
    ? { ...given, parameters: parseExactJson(parametersText) as Record<string, unknown> }
    : given;
}

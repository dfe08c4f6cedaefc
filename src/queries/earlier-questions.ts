import { Injectable } from '@nestjs/common';
import { SchemaError } from '../common/errors/api-error.js';
import { type EarlierQuestion } from '../questions/linking/follow-up.js';
import { type EntityNode } from '../questions/linking/meaning.js';
import { type RetrievalAnswer } from '../retrieval/protocol.js';
import { AnswerStore } from './answer-store.js';
import { QueriesRepository } from './queries.repository.js';
import { type QueryContext } from './queries.dto.js';

/** Maximum nodes of an earlier answer that are read. A pronoun cannot refer to more. */
const mostFound = 200;

/** Reads the earlier question to which a follow-up question refers. */
@Injectable()
export class EarlierQuestions {
  constructor(
    private readonly queries: QueriesRepository,
    private readonly store: AnswerStore,
  ) {}

  /**
   * Reads the earlier question, with the nodes of its stored answer if an id is given.
   * @throws SchemaError when the graph has no stored answer to a question with this id
   */
  async read(graphId: number, { question, query_id: id }: QueryContext): Promise<EarlierQuestion> {
    if (id == null) return { text: question ?? '', found: null, meant: null };
    const asked = this.store.findPendingById(graphId, id) ?? (await this.queries.findById(graphId, id));
    if (asked?.kind !== 'question') throw notFound();
    const { answer } = asked;
    const { text, limit } = JSON.parse(asked.request) as { text: string; limit: number };
    return { text: answer.plan.read_as ?? text, found: nodesOf(answer, limit), meant: answer.plan.meant ?? null };
  }
}

/**
 * The nodes in the first column of an answer. Null if that column has no nodes, if the answer may be cut, or if there are more than
 * `mostFound`.
 */
function nodesOf({ plan, columns, rows }: RetrievalAnswer, limit: number): EntityNode[] | null {
  if (plan.kind !== 'cypher' || columns[0]?.type !== 'node' || rows.length >= limit) return null;
  const nodes = new Map(rows.map(row => [(row[0] as EntityNode).id, row[0] as EntityNode]));
  return nodes.size > mostFound ? null : [...nodes.values()].map(({ id, label }) => ({ id, label }));
}

function notFound(): SchemaError {
  return new SchemaError([
    {
      loc: ['body', 'context', 'query_id'],
      text: {
        zh: '图中没有这个问题的已存答案（指标的答案不保存，过期的答案会移除）；请改用 context.question',
        en: 'must be the query_id of a stored answer to a question on this graph; answers of metrics are not stored, and others not for ever: give the question in context.question instead',
      },
      type: 'query_not_found',
    },
  ]);
}

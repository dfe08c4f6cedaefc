import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { ApiError } from '../common/errors/api-error.js';
import { logToken } from '../common/logging/log.js';
import { propertiesRead } from '../cypher/plan/properties-read.js';
import { parseCypher } from '../cypher/syntax/parse-cypher.js';
import { GraphsService } from '../graphs/graphs.service.js';
import { type ChatMessage } from '../language-model/chat-completions.js';
import { LanguageModelBusyError, LanguageModelError, modelFaults } from '../language-model/language-model.errors.js';
import { LanguageModel, type ModelCall } from '../language-model/language-model.service.js';
import { planMessages, type ProposedPlan, readProposedPlan, type SchemaForModel } from '../questions/planning/model-plan.js';
import { jsonObjectsIn } from '../questions/wording/json-objects-in.js';
import { mostSentences, readWording, rowsForModel, type WordedSentence, wordingMessages } from '../questions/wording/model-wording.js';
import { type LargeAnswer, type ModelPart, type QueryPlan, type RetrievalAnswer } from '../retrieval/protocol.js';
import { isLargeAnswer } from '../retrieval/read-answer.js';
import { type Bilingual } from '../text/bilingual.js';
import { Lines } from '../text/lines.js';
import { inNormalForm } from '../text/normal-form.js';
import { type GraphQuery } from './read-query-request.js';

/** Runs a Cypher query as the caller. @throws the refusals of retrieval */
type RunCypher = (cypher: string) => Promise<RetrievalAnswer | LargeAnswer>;

/** Receives parts of an answer while the answer is being made. */
export interface AnswerWatcher {
  /** Receives the answer with its rows, before its sentences are written. */
  answer(answer: RetrievalAnswer): void;
  sentence(sentence: WordedSentence): void;
}

/** Maximum queries that the model may propose for a question. A query that fails is given back to the model once. */
const proposals = 2;
/** Codes of refusals that explain the mistake in a query without quoting any value that the query read. The model gets their texts. */
const mendable: ReadonlySet<string> = new Set([
  'cypher_syntax_error',
  'cypher_not_supported',
  'cypher_read_only',
  'cypher_parameter_missing',
]);
/** Codes of failures while a query runs. Their texts may contain values, so the model learns only that the query failed. */
const failing: ReadonlySet<string> = new Set(['cypher_value_error', 'query_too_much_work', 'query_too_large', 'answer_too_large']);

export const pausedWarning: Bilingual = {
  zh: `未使用语言模型：${modelFaults.paused.zh}`,
  en: `The language model was not used: ${modelFaults.paused.en}`,
};

/**
 * Lets a language model take part in answers to questions: it proposes a query for a question that was not understood, and words the rows
 * as sentences. The model sees the schema of the graph, the question and the rows of the answer, all of which the caller may see. It sees
 * no sensitive property. The answer reports failures of the model.
 */
@Injectable()
export class ModelAnswers {
  constructor(
    private readonly model: LanguageModel,
    private readonly graphs: GraphsService,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  get isConfigured(): boolean {
    return this.model.identity !== null;
  }

  /**
   * Whether a query is answered without the model for now, although the model would take part in its answer. A query with `answer: 'llm'`
   * gets the model's failure instead.
   */
  isPausedFor(query: GraphQuery): boolean {
    return query.answer === 'auto' && this.model.isPaused && this.identityFor(query) !== null;
  }

  /** Identity of the model that takes part in the answer to a query; null if the model takes no part. */
  identityFor({ kind, answer }: GraphQuery): object | null {
    return kind === 'question' && (answer === 'auto' || answer === 'llm') ? this.model.identity : null;
  }

  /**
   * Asks the model to propose a query for a question that was not understood. If no proposed query can be run, the answer stays the
   * refusal.
   */
  async read(
    graphId: number,
    { text: question }: GraphQuery,
    today: string,
    refused: RetrievalAnswer,
    run: RunCypher,
    call: ModelCall,
  ): Promise<RetrievalAnswer | LargeAnswer> {
    const part = this.newPart();
    try {
      const schema = await this.schemaOf(graphId);
      let failed: { cypher: string; reason: string } | undefined;
      for (let attempt = 0; attempt < proposals; attempt++) {
        const text = await this.ask(planMessages(question, schema.shown, today, failed), part, call);
        const plan = readProposedPlan(jsonObjectsIn(text).at(-1));
        if (plan === undefined) throw new LanguageModelError('nonsense', undefined, true);
        if (plan === null) break;
        const tried = await tryPlan(plan, run);
        if ('answer' in tried) return { ...withReading(tried.answer, plan, part, refused), model: part };
        failed = { cypher: plan.cypher, reason: tried.reason };
      }
      return { ...refused, model: part };
    } catch (error) {
      return this.withFault(refused, part, error, call);
    }
  }

  /**
   * Asks the model to put the rows of an answer into sentences. The plain sentence stays if the model fails, or if the rows support none of
   * its sentences.
   */
  async word(
    graphId: number,
    answer: RetrievalAnswer | LargeAnswer,
    { text: question, limit }: GraphQuery,
    call: ModelCall,
    watcher?: AnswerWatcher,
  ): Promise<RetrievalAnswer | LargeAnswer> {
    if (isLargeAnswer(answer))
      return withWarning(answer, { zh: '答案过大，未发给语言模型', en: 'The answer is too large to be sent to the language model' });
    if (answer.plan.kind === 'search' || answer.rows.length === 0 || answer.model?.fault) return answer;
    watcher?.answer(answer);
    const part = answer.model ?? this.newPart();
    try {
      const { withheld, columns } = await this.schemaOf(graphId);
      if (mayShow(answer.plan, new Set([...withheld, ...columns])))
        return withWarning(answer, {
          zh: '答案可能含有标为 sensitive 的列，未发给语言模型',
          en: 'The answer may hold columns that are marked as sensitive, so it was not sent to the language model',
        });
      const shown = rowsForModel(answer.columns.map(({ name }) => name), answer.rows, { limit, withheld }); // prettier-ignore
      const text = await this.ask(wordingMessages(question, shown, answer.language), part, call, watcher && sentencesOf(watcher, line => readWording(line, question, shown).sentences)); // prettier-ignore
      const { sentences, dropped } = readWording(text, question, shown);
      if (sentences.length === 0) throw new LanguageModelError('nonsense', undefined, true);
      const joined = sentences.map(sentence => sentence.text).join(answer.language === 'zh' ? '' : ' ');
      const worded = { ...answer, text: joined, model: { ...part, sentences } };
      if (dropped === 0) return worded;
      return withWarning(worded, {
        zh: `语言模型的 ${dropped} 句话没有依据，已略去`,
        en: `Sentences of the language model that were left out, as they have no evidence: ${dropped}`,
      });
    } catch (error) {
      return this.withFault(answer, part, error, call);
    }
  }

  /**
   * The graph's schema as the model sees it, the names of the sensitive properties that are withheld from the model, and the columns of
   * these properties, because a query may name a property by its column.
   */
  private async schemaOf(graphId: number): Promise<{ shown: SchemaForModel; withheld: ReadonlySet<string>; columns: string[] }> {
    const { nodes, edges } = await this.graphs.schema(graphId);
    const properties = [...nodes, ...edges].flatMap(element => element.properties);
    const sensitive = properties.filter(each => each.sensitive);
    const withheld = new Set(sensitive.map(({ name }) => name));
    const columns = sensitive.flatMap(({ column }) => column ?? []);
    const without = <E extends { properties: { name: string; type: string }[] }>(element: E): E => ({
      ...element,
      properties: element.properties.filter(({ name }) => !withheld.has(name)),
    });
    return { shown: { nodes: nodes.map(without), edges: edges.map(without) }, withheld, columns };
  }

  private newPart(): ModelPart {
    return { name: this.model.identity?.model ?? '', calls: 0, prompt_tokens: 0, completion_tokens: 0 };
  }

  private async ask(messages: ChatMessage[], part: ModelPart, call: ModelCall, lines?: Lines): Promise<string> {
    const { text, promptTokens, completionTokens } = await this.model.complete(messages, call, lines && (piece => lines.take(piece)));
    lines?.end();
    part.calls += 1;
    part.prompt_tokens += promptTokens;
    part.completion_tokens += completionTokens;
    return text;
  }

  /** Records in the answer why the model took no part in it. @throws the reason of the call's signal */
  private withFault(answer: RetrievalAnswer, part: ModelPart, error: unknown, { signal }: ModelCall): RetrievalAnswer {
    signal.throwIfAborted();
    if (error instanceof LanguageModelBusyError) {
      const model = { ...part, fault: 'busy' as const, ...(error.retryAfterS !== null && { retry_after_s: error.retryAfterS }) };
      return withWarning({ ...answer, model }, { zh: '语言模型正忙，未使用', en: 'The language model is busy and was not used' });
    }
    const isOfModel = error instanceof LanguageModelError;
    if (!isOfModel) this.log.warn({ cause: error }, 'A query for the language model failed');
    const fault = isOfModel ? error.fault : 'query';
    const { zh, en } = modelFaults[fault];
    return withWarning(
      { ...answer, model: { ...part, fault } },
      { zh: `未使用语言模型：${zh}`, en: `The language model was not used: ${en}` },
    );
  }
}

/**
 * Refuses an answer without the model, for a caller who insists on the model.
 * @throws LanguageModelError, LanguageModelBusyError if the model failed
 */
export function requireModel({ model }: RetrievalAnswer | LargeAnswer): void {
  if (model?.fault === 'busy') throw new LanguageModelBusyError(model.retry_after_s ?? 1);
  if (model?.fault) throw new LanguageModelError(model.fault);
}

/**
 * Runs a proposed query. Returns the reason if the query is refused, fails while it runs, or names something that the graph does not have.
 * @throws any error that the proposal did not cause
 */
async function tryPlan(
  { cypher }: NonNullable<ProposedPlan>,
  run: RunCypher,
): Promise<{ answer: Awaited<ReturnType<RunCypher>> } | { reason: string }> {
  try {
    const answer = await run(cypher);
    const unknown = answer.plan.unknown_names ?? [];
    return unknown.length === 0 ? { answer } : { reason: `the graph has no ${unknown.join(', ')}` };
  } catch (error) {
    if (error instanceof ApiError && mendable.has(error.code)) return { reason: error.text.en };
    if (error instanceof ApiError && failing.has(error.code)) return { reason: 'it fails while it runs' };
    throw error;
  }
}

/**
 * Whether the rows of an answer may show a withheld property other than in whole nodes and edges, which leave it out. The columns that the
 * dimensions of a metric read are not known here, so a metric with dimensions or filters may show one.
 */
function mayShow({ cypher, metric_call: metric }: QueryPlan, withheld: ReadonlySet<string>): boolean {
  if (withheld.size === 0) return false;
  if (metric) return metric.dimensions.length > 0 || metric.filters.length > 0;
  const { names } = propertiesRead(parseCypher(cypher ?? ''));
  const folded = new Set([...withheld].map(fold));
  return names === null || [...names].some(name => folded.has(fold(name)));
}

function fold(name: string): string {
  return inNormalForm(name, 'NFKC').toLowerCase();
}

/** Passes each sentence to the watcher as soon as the model has written the whole line. */
function sentencesOf(watcher: AnswerWatcher, read: (line: string) => WordedSentence[]): Lines {
  let told = 0;
  return new Lines(line => {
    for (const sentence of read(line)) if (++told <= mostSentences) watcher.sentence(sentence);
  });
}

function withReading<A extends RetrievalAnswer | LargeAnswer>(
  answer: A,
  { reading }: NonNullable<ProposedPlan>,
  part: ModelPart,
  refused: RetrievalAnswer,
): A {
  const zh = refused.language === 'zh';
  const said = reading === '' ? '' : zh ? `：${reading}` : `: ${reading}`;
  const isEmpty = !isLargeAnswer(answer) && answer.rows.length === 0;
  return {
    ...answer,
    language: refused.language,
    text: isEmpty ? (zh ? '没有找到。' : 'Nothing was found.') : null,
    plan: { ...answer.plan, proposed_by: part.name, ...(refused.plan.linked && { linked: refused.plan.linked }) },
    warnings: [
      zh
        ? `服务未能读懂此问题，查询由语言模型提出，请核对 plan.cypher${said}`
        : `The service could not read this question; a language model proposed the query, so check plan.cypher${said}`,
      ...answer.warnings,
    ],
  };
}

function withWarning<A extends RetrievalAnswer | LargeAnswer>(answer: A, text: Bilingual): A {
  return { ...answer, warnings: [...answer.warnings, text[answer.language]] };
}

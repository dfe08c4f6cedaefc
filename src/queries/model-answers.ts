import { Injectable } from '@nestjs/common';
import { ApiError } from '../common/errors/api-error.js';
import { GraphsService } from '../graphs/graphs.service.js';
import { type ChatMessage } from '../language-model/chat-completions.js';
import { LanguageModelBusyError, LanguageModelError, modelFaults } from '../language-model/language-model.errors.js';
import { LanguageModel, type ModelCall } from '../language-model/language-model.service.js';
import { type ProposedPlan, planMessages, readProposedPlan, type SchemaForModel } from '../questions/planning/model-plan.js';
import { jsonObjectsIn } from '../questions/wording/json-objects-in.js';
import { readWording, rowsForModel, type WordedSentence, wordingMessages } from '../questions/wording/model-wording.js';
import { isLargeAnswer } from '../retrieval/read-answer.js';
import { type LargeAnswer, type ModelPart, type RetrievalAnswer } from '../retrieval/protocol.js';
import { type Bilingual } from '../text/bilingual.js';
import { type GraphQuery } from './read-query-request.js';

/** Runs a Cypher query as the caller. @throws the refusals of retrieval */
type RunCypher = (cypher: string) => Promise<RetrievalAnswer | LargeAnswer>;

/** Is told of an answer while it is made. */
export interface AnswerWatcher {
  /** The rows, before they are put into words. */
  answer(answer: RetrievalAnswer): void;
  sentence(sentence: WordedSentence): void;
}

/** A proposal that fails is given back to the model once. */
const proposals = 2;

/**
 * What a language model adds to answers of questions: a reading of one that was not understood, and sentences. It sees the schema of the
 * graph, the question and the rows of the answer, all of which the caller may see. Its failures are told in the answer.
 */
@Injectable()
export class ModelAnswers {
  constructor(
    private readonly model: LanguageModel,
    private readonly graphs: GraphsService,
  ) {}

  get isConfigured(): boolean {
    return this.model.identity !== null;
  }

  /** What decides the part of the model in the answer to a query; null if it has none. */
  identityFor({ kind, answer }: GraphQuery): object | null {
    return kind === 'question' && (answer === 'auto' || answer === 'llm') ? this.model.identity : null;
  }

  /** Has the model read a question that was not understood. The answer stays the refusal if it proposes nothing that can be run. */
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
        const found = jsonObjectsIn(await this.ask(planMessages(question, schema.shown, today, failed), part, call), 1)[0];
        const plan = readProposedPlan(found);
        if (plan === undefined) throw new LanguageModelError('nonsense', undefined, true);
        if (plan === null) return { ...refused, model: part };
        const tried = await this.tryPlan(plan, run);
        if ('answer' in tried) return { ...withReading(tried.answer, plan, part, refused), model: part };
        failed = { cypher: plan.cypher, reason: tried.reason };
      }
      return { ...refused, model: part };
    } catch (error) {
      return withFault(refused, part, error);
    }
  }

  /** Puts the rows of an answer into words. The plain sentence stays if the model fails, or nothing of it is backed by the rows. */
  async word(
    graphId: number,
    answer: RetrievalAnswer,
    { text: question }: GraphQuery,
    call: ModelCall,
    watcher?: AnswerWatcher,
  ): Promise<RetrievalAnswer> {
    if (answer.plan.kind === 'search' || answer.rows.length === 0 || answer.model?.fault) return answer;
    const part = answer.model ?? this.newPart();
    const { rows, language } = answer;
    try {
      const { withheld } = await this.schemaOf(graphId);
      const secret = [...withheld].find(name => mayRead(answer.plan.cypher ?? '', name));
      if (secret !== undefined)
        return withWarning(answer, {
          zh: `“${secret}”标为 sensitive，答案未发给语言模型`,
          en: `${secret} is marked as sensitive, so the answer was not sent to the language model`,
        });
      const columns = answer.columns.map(({ name }) => name);
      const shown = rowsForModel(columns, rows, withheld);
      const read = (text: string) => readWording(text, question, shown, rows.length);
      const onLine = watcher && ((line: string) => read(line).sentences.forEach(sentence => watcher.sentence(sentence)));
      const text = await this.ask(wordingMessages(question, shown, rows.length, language), part, call, onLine);
      const { sentences, dropped } = read(text);
      if (sentences.length === 0) throw new LanguageModelError('nonsense', undefined, true);
      const joined = sentences.map(sentence => sentence.text).join(language === 'zh' ? '' : ' ');
      const worded = { ...answer, text: joined, model: { ...part, sentences } };
      if (dropped === 0) return worded;
      return withWarning(worded, {
        zh: `语言模型的 ${dropped} 句话没有依据，已略去`,
        en: `Sentences of the language model that were left out, as they have no evidence: ${dropped}`,
      });
    } catch (error) {
      return withFault(answer, part, error);
    }
  }

  /** The schema as a model sees it, and the properties of the graph that it does not. */
  private async schemaOf(graphId: number): Promise<{ shown: SchemaForModel; withheld: ReadonlySet<string> }> {
    const { nodes, edges } = await this.graphs.schema(graphId);
    const properties = [...nodes, ...edges].flatMap(element => element.properties);
    const withheld = new Set(properties.filter(({ sensitive }) => sensitive).map(({ name }) => name));
    const without = <E extends { properties: { name: string; type: string }[] }>(element: E): E => ({
      ...element,
      properties: element.properties.filter(({ name }) => !withheld.has(name)),
    });
    return { shown: { nodes: nodes.map(without), edges: edges.map(without) }, withheld };
  }

  private newPart(): ModelPart {
    return { name: this.model.identity?.model ?? '', calls: 0, prompt_tokens: 0, completion_tokens: 0 };
  }

  private async ask(messages: ChatMessage[], part: ModelPart, call: ModelCall, onLine?: (line: string) => void): Promise<string> {
    part.calls += 1;
    const { text, promptTokens, completionTokens } = await this.model.complete(messages, call, onLine && linesOf(onLine));
    part.prompt_tokens += promptTokens;
    part.completion_tokens += completionTokens;
    return text;
  }

  /** Runs a proposal, unless it is refused, or names what the graph has not. @throws what is no fault of the proposal */
  private async tryPlan(
    { cypher }: NonNullable<ProposedPlan>,
    run: RunCypher,
  ): Promise<{ answer: Awaited<ReturnType<RunCypher>> } | { reason: string }> {
    try {
      const answer = await run(cypher);
      const unknown = answer.plan.unknown_names ?? [];
      return unknown.length === 0 ? { answer } : { reason: `the graph has no ${unknown.join(', ')}` };
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return { reason: error.text.en };
      throw error;
    }
  }
}

/** Gathers pieces of a text into lines. The last line is whole only with the text, and is not given. */
function linesOf(onLine: (line: string) => void): (piece: string) => void {
  let unread = '';
  return piece => {
    const lines = (unread + piece).split('\n');
    unread = lines.pop() ?? '';
    lines.forEach(onLine);
  };
}

/** @throws LanguageModelError, LanguageModelBusyError if the model failed. For a caller who insists on it. */
export function requireModel({ model }: RetrievalAnswer | LargeAnswer): void {
  if (model?.fault === 'busy') throw new LanguageModelBusyError(model.retry_after_s ?? 1);
  if (model?.fault) throw new LanguageModelError(model.fault);
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

/** Whether a Cypher text may read a property: it names it, or chooses properties while it runs. */
function mayRead(cypher: string, property: string): boolean {
  return cypher.includes(property) || /\b(?:keys|properties)\s*\(|[\p{ID_Continue}`)\]]\s*\[/iu.test(cypher);
}

/** Tells the fault in the answer. @throws whatever is no fault of the model */
function withFault(answer: RetrievalAnswer, part: ModelPart, error: unknown): RetrievalAnswer {
  if (error instanceof LanguageModelBusyError) {
    const model = { ...part, fault: 'busy' as const, retry_after_s: Number(error.headers?.['Retry-After']) };
    return withWarning({ ...answer, model }, { zh: '语言模型正忙，未使用', en: 'The language model is busy and was not used' });
  }
  if (!(error instanceof LanguageModelError)) throw error;
  const why = modelFaults[error.fault];
  const model = { ...part, fault: error.fault };
  return withWarning({ ...answer, model }, { zh: `未使用语言模型：${why.zh}`, en: `The language model was not used: ${why.en}` });
}

function withWarning<A extends RetrievalAnswer | LargeAnswer>(answer: A, text: Bilingual): A {
  return { ...answer, warnings: [...answer.warnings, text[answer.language]] };
}

import { type Bilingual } from '../../text/bilingual.js';
import { ApiError } from '../../common/errors/api-error.js';
import { Pace } from '../../common/turns/pace.js';
import { covers, propertiesRead } from '../../cypher/plan/properties-read.js';
import { prepareCypher } from '../../cypher/prepare-cypher.js';
import { CypherError, CypherNotSupportedError } from '../../cypher/syntax/cypher.errors.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { type LinkedTerm, type MetricCall } from '../../questions/vocabulary.js';
import { type RetrievalAnswer } from '../protocol.js';
import { GraphChangingError, GraphExceedsMemoryError } from '../retrieval.errors.js';
import { NameSynonyms } from '../../questions/linking/name-synonyms.js';
import { readFollowUp } from '../../questions/linking/follow-up.js';
import { type Mention } from '../../questions/linking/meaning.js';
import { BuiltLexicons } from '../../questions/linking/built-lexicons.js';
import { withoutCourtesies } from '../../questions/linking/courtesies.js';
import { languageOfQuestion } from '../../questions/linking/question-language.js';
import { linkQuestion } from '../../questions/linking/link-question.js';
import { mostTied } from '../../questions/planning/plan-graph-question.js';
import { type GraphPlan, type QuestionChoice } from '../../questions/planning/question-plan.js';
import { describeSynonyms } from '../../questions/wording/describe-synonyms.js';
import { textColumns } from '../../questions/wording/format-value.js';
import { lexiconRequest } from '../../questions/wording/lexicon-request.js';
import { nearbyQuestions } from '../../questions/wording/nearby-questions.js';
import { wordGraphAnswer } from '../../questions/wording/word-answer.js';
import { planAnswerable, testsChoicesForMs } from './answerable-choices.js';
import { answerableQuestions } from './answerable-questions.js';
import { AnswerElements } from './answer-elements.js';
import { type GraphElements } from './graph-elements.js';
import { type LoadedElements } from './graph-in-memory.js';
import { noteUndated } from './note-undated.js';
import { type Planning, planReading, type Question, tooMuchAtOnce } from './plan-reading.js';
import { type LoadedGraph, type LoadedGraphs, type LoadedIndex } from './loaded-graphs.js';
import { readEvidence } from './read-evidence.js';
import { type GraphReader, type RetrievalDatabase } from './retrieval-database.js';
import { answerInMemory, answerWithoutLoading, type NeedsGraph } from './run-cypher.js';
import { searchGraph } from './run-search.js';
import { withLoaded } from './with-loaded.js';

const shownHits = 10;
/** Lexicons that this thread has built. */
const lexicons = new BuiltLexicons();
/**
 * The most attempts to answer a question after it is known which properties it needs in memory. An attempt fails if a new version with
 * other names needs other properties.
 */
const attempts = 3;

/**
 * Parts of the graph in memory. `elements` is null unless the question needs nodes and edges in memory; it is the error if they do not fit.
 */
type LoadedParts = LoadedIndex & { elements: LoadedElements | GraphExceedsMemoryError | null; needs: NeedsGraph | null; isLoaded: boolean };

/** Links, plans and runs a question. If it cannot be planned, the answer is the nearest nodes and the reason. */
export async function runQuestion(
  database: RetrievalDatabase,
  graphs: LoadedGraphs,
  question: Question & { graphId: number },
  signal: AbortSignal,
): Promise<RetrievalAnswer> {
  const answer = (needs: NeedsGraph | null) =>
    withLoaded(
      database,
      graphs,
      question,
      signal,
      {
        now: graph => {
          const index = graphs.indexNow(graph);
          const elements = index && needs && graphs.elementsNow(graph, needs.read, 'question');
          if (!index || (needs && !elements)) return null;
          return Promise.all([index, elements]).then(present => withElements(graph, needs, ...present));
        },
        load: async graph => {
          const index = await graphs.indexOf(graph);
          if (!index || !needs) return index && withElements(graph, null, index, null);
          const elements = await graphs.elementsOf(graph, needs.read, 'question').catch((error: unknown) => {
            if (error instanceof GraphExceedsMemoryError) return error;
            throw error;
          });
          return elements && withElements(graph, needs, index, elements);
        },
      },
      (reader, graph, loaded) => answerQuestion(reader, graph, loaded, question, signal),
    );
  let found = await answer(null);
  // A new version of the graph with other names can need other properties in memory.
  for (let attempt = 1; 'reason' in found && attempt <= attempts; attempt++) found = await answer(found);
  if ('reason' in found) throw new GraphChangingError();
  return found;

  function withElements(graph: LoadedGraph, needs: NeedsGraph | null, index: LoadedIndex, elements: LoadedParts['elements']): LoadedParts {
    // A held older version that answers in place of the newest gets no further parts in memory, so SQL reads its missing parts.
    return { ...index, elements, needs, isLoaded: graphs.find(graph.graphId) === graph && graphs.hasTopology(graph) };
  }
}

async function answerQuestion(
  reader: GraphReader,
  graph: LoadedGraph,
  loaded: LoadedParts,
  given: Question,
  signal: AbortSignal,
): Promise<RetrievalAnswer | NeedsGraph> {
  const pace = new Pace(signal);
  const { schema } = graph;
  const started = performance.now();
  const lexicon = await lexicons.get(graph.graphId, schema, given.metrics, given.synonyms, pace);
  const synonyms = new NameSynonyms(given.synonyms);
  const names = {
    findByName: (text: string, limit: number) => synonyms.lookUp(text, own => loaded.index.findByName(own, limit)),
    findValues: (text: string) => synonyms.lookUp(text, own => loaded.values.find(own)),
    search: (text: string, limit: number) => loaded.index.search({ text, limit, offset: 0, namesOnly: true }, pace),
  };
  const link = (text: string, known: Mention[]) => linkQuestion(text, given.today, lexicon, names, pace, known);
  const text = withoutCourtesies(given.text, names);
  const readings = await readFollowUp(text, given.earlier, link);
  const first = Array.isArray(readings) ? readings[0] : undefined;
  const language = first ? languageOfQuestion(first.linked) : given.language;
  const question = { ...given, text, language };
  const refuse = (reason: Bilingual, { terms = [], hint = '', suggestions = [], missed = [], wayOut = null }: Partial<Refused> = {}) =>
    searchInstead(reader, graph, loaded, question, pace, { reason, terms, hint, suggestions, missed, wayOut });
  if (!Array.isArray(readings)) return refuse(readings);
  const planning: Planning = { reader, schema: { ...schema, toOne: loaded.toOne }, question, pace };
  const planned = [];
  const until = performance.now() + testsChoicesForMs;
  for (const reading of readings) {
    const plan = (choices: readonly string[]) => planReading({ ...planning, question: { ...question, choices } }, reading);
    planned.push(await planAnswerable(question.choices, plan, until));
  }
  const possible = planned.filter(({ outcome }) => !('reason' in outcome));
  if (possible.length > 1) return refuse(standsForSeveral(possible.map(({ notes }) => notes[0] ?? '')));
  const { outcome, entities, terms, notes: read, hint, followUp, missed } = (possible[0] ?? planned[0])!;
  const refuseWithNearby = async (reason: Bilingual) => {
    if (reason === tooMuchAtOnce) return refuse(reason);
    const around = { text: followUp.text, schema: planning.schema, entities, metrics: question.metrics, language };
    const near = nearbyQuestions(followUp.linked, missed, around);
    const wayOut = lexiconRequest(missed, followUp.linked, {
      graphId: graph.graphId,
      schema,
      isValue: word => names.findValues(word).length > 0,
    });
    return refuse(reason, { terms, hint, suggestions: await answerableQuestions(near, planning, link), missed, wayOut });
  };
  const timing = { link: performance.now() - started };
  const notes = [...read, ...describeSynonyms(followUp.linked, question.synonyms, entities, question.metrics, language)];
  const follows = {
    ...(followUp.text !== question.text && { read_as: followUp.text }),
    ...(followUp.meant && { meant: followUp.meant }),
  };
  if ('metric_id' in outcome) {
    const answer = await metricAnswer(reader, schema, outcome, [...entities.values()], { terms, notes, timing, language });
    return { ...answer, plan: { ...answer.plan, ...follows } };
  }
  if ('choices' in outcome && outcome.choices)
    return askBack(await refuse(outcome.reason, { terms }), outcome.reason, outcome.choices, language);
  if ('reason' in outcome) return refuseWithNearby(outcome.reason);
  const plan = outcome;
  try {
    const run = await runPlan(reader, graph, loaded, question, plan, signal);
    if (!('answer' in run)) return run;
    const { answer } = run;
    const isNothing = answer.rows.length === 0 || (plan.shape.kind === 'count' && answer.rows[0]?.[0] === 0);
    if (isNothing && plan.isGuessed && !plan.shape.whether) return await refuseWithNearby(nothingGuessed);
    const several = plan.wantsOne && answer.rows.length > 1 ? [severalFound(answer.rows.length)[language]] : [];
    const ties = tiesOf(plan, answer.rows.length, run.isCut === true).map(note => note[language]);
    const isText = textColumns(answer.columns, schema);
    const nothing = answer.rows.length === 0 && plan.paths[0] ? [nothingAlong(plan.paths[0].path)[language]] : [];
    const undated = (await noteUndated(reader, schema, plan, signal)).map(note => note[language]);
    return {
      ...answer,
      text: wordGraphAnswer(plan.shape, answer.rows, language, run.isCut ? answer.rows.length : question.limit, isText),
      plan: { ...answer.plan, linked: terms, paths: plan.paths, ...follows },
      warnings: [...notes, ...plan.notes.map(note => note[language]), ...nothing, ...several, ...ties, ...undated, ...answer.warnings],
      timing_ms: { ...timing, ...answer.timing_ms },
    };
  } catch (error) {
    const reason = whyNotRun(error);
    if (!reason) throw error;
    // `refuse` instead of `refuseWithNearby`: planning similar questions would add work for a plan that has already exceeded a limit.
    return refuse(reason, { terms, hint });
  }
}

/**
 * Runs a plan. A ranking also returns the rows that tie with the last row asked for, at most `mostTied` of them. `isCut`: more rows tie
 * than are returned.
 */
async function runPlan(
  reader: GraphReader,
  graph: LoadedGraph,
  { elements, needs, isLoaded }: LoadedParts,
  { limit, timeoutMs, language }: Question,
  plan: GraphPlan,
  signal: AbortSignal,
): Promise<{ answer: RetrievalAnswer; isCut?: boolean } | NeedsGraph> {
  if (elements instanceof GraphExceedsMemoryError) throw elements;
  const parameters = JSON.stringify(plan.parameters);
  const run = async (text: string, top?: number): Promise<{ answer: RetrievalAnswer } | NeedsGraph> => {
    const request = { text, parameters, limit, timeoutMs, language, timeZone: 'UTC', profile: false, top };
    const prepared = prepareCypher(text, graph.schema, parameters);
    const read = propertiesRead(prepared.query);
    if (needs && !covers(needs.read, read)) return { ...needs, read };
    return elements
      ? { answer: await answerInMemory(reader, graph, elements, prepared, request, 'only_in_memory', signal) }
      : answerWithoutLoading(reader, graph, prepared, request, signal, isLoaded);
  };
  if (plan.top === null) return run(plan.cypher);
  const most = plan.top + mostTied;
  const ranked = await run(`${plan.cypher} LIMIT ${most + 1}`, plan.top);
  if (!('answer' in ranked)) return ranked;
  const { answer } = ranked;
  if (answer.rows.length > most) return { ...(await run(`${plan.cypher} LIMIT ${most}`)), isCut: true };
  return { answer: { ...answer, plan: { ...answer.plan, cypher: `${plan.cypher} LIMIT ${answer.rows.length}` } } };
}

/**
 * Explains why a ranking shows more rows than were asked for, or why it does not show all rows that tie. A ranking of one row gets a note
 * only if it is cut: its sentence already says that several rows have the value.
 */
function tiesOf({ top }: GraphPlan, shown: number, isCut: boolean): Bilingual[] {
  if (isCut)
    return [{ zh: `与最后一名并列的还有更多，这里只列出 ${shown} 个`, en: `More tie with the last of these; only ${shown} are shown` }];
  if (top === null || top === 1 || shown <= top) return [];
  return [
    {
      zh: `第 ${top} 名有并列，因此列出 ${shown} 个`,
      en: `${shown} are shown, because several have the same value as number ${top}`,
    },
  ];
}

function askBack(answer: RetrievalAnswer, reason: Bilingual, choices: QuestionChoice[], language: Language): RetrievalAnswer {
  const zh = language === 'zh';
  const names = choices.map(({ text }) => text).join(zh ? '；' : '; ');
  return {
    ...answer,
    columns: [],
    rows: [],
    text: zh ? `${reason.zh}，指的是哪一个？${names}。` : `${reason.en}. Which is meant? ${names}.`,
    choices,
    warnings: [zh ? `未作答：${reason.zh}` : `Not answered: ${reason.en}`],
  };
}

const nothingGuessed: Bilingual = {
  zh: '没有结果，而问题没有说明其中的事物由什么关系相连',
  en: 'nothing was found, and the question does not say by what relation the things in it are connected',
};

function severalFound(found: number): Bilingual {
  return { zh: `问题问的是一个，找到 ${found} 个`, en: `The question asks for one, and ${found} were found` };
}

function nothingAlong(path: string): Bilingual {
  return { zh: `没有结果；问题按路径 ${path} 理解`, en: `Nothing was found; the question was read along the path ${path}` };
}

/**
 * The reason why a plan could not be run; null for an error that the plan did not cause. The reason leaves out the position in the Cypher
 * text, because the caller has not written that text.
 */
function whyNotRun(error: unknown): Bilingual | null {
  if (error instanceof GraphExceedsMemoryError) return error.text;
  if (error instanceof CypherNotSupportedError) return tooMuchAtOnce;
  if (error instanceof CypherError) {
    const { zh, en } = error.sentence;
    return { zh: `问题变成的查询无法执行：${zh}`, en: `the query it was turned into cannot be run: ${en}` };
  }
  if (!(error instanceof ApiError) || error.status !== 422) return null;
  const { zh, en } = error.text;
  return { zh: `回答它的工作量过大：${zh}`, en: `answering it takes too much work: ${en}` };
}

/**
 * The answer to a question about a metric, before the API runs the metric. Its evidence from the graph is the entities that the question
 * names.
 */
async function metricAnswer(
  reader: GraphReader,
  schema: GraphElements,
  call: MetricCall,
  named: AnswerNode[],
  { terms, notes, timing, language }: { terms: LinkedTerm[]; notes: string[]; timing: Record<string, number>; language: Language },
): Promise<RetrievalAnswer> {
  const excluding = call.filters.filter(filter => filter.op === 'not_in').map(filter => filter.field);
  const excluded = excluding.map(field =>
    language === 'zh' ? `“${field}”为空的行未计入` : `Rows without a value of "${field}" are not included`,
  );
  const elements = new AnswerElements();
  for (const node of named) elements.nodeIds.add(node.id);
  const { graph, citations } = await readEvidence(reader, schema, elements);
  return {
    graph_version: reader.version,
    language,
    text: null,
    columns: [],
    rows: [],
    graph,
    citations,
    plan: { kind: 'metric', linked: terms, metric_call: call },
    metric_call: call,
    next_offset: null,
    warnings: [...notes, ...excluded],
    timing_ms: timing,
  };
}

interface Refused {
  reason: Bilingual;
  terms: LinkedTerm[];
  /** A sentence about what can be asked about the things that the question names; '' if there is none. */
  hint: string;
  /** Questions that are similar to this one and can be answered. */
  suggestions: string[];
  /** The words of the question that were not understood. */
  missed: readonly string[];
  /** The request that makes a word of the question a synonym, so that it is understood; null if there is none. */
  wayOut: Bilingual | null;
}

/**
 * Searches for the nodes nearest to the words of a question that cannot be answered. The reason is in the warnings. It never invents an
 * answer.
 */
async function searchInstead(
  reader: GraphReader,
  graph: LoadedGraph,
  loaded: LoadedIndex,
  { text, limit, language }: Question,
  pace: Pace,
  { reason, terms, hint, suggestions, missed, wayOut }: Refused,
): Promise<RetrievalAnswer> {
  const zh = language === 'zh';
  const answer = await searchGraph(reader, graph, loaded, { text, limit: Math.min(limit, shownHits), offset: 0, language, missed }, pace);
  return {
    ...answer,
    text: zh
      ? `无法回答这个问题：${reason.zh}。${hint}${answer.rows.length > 0 ? '以下是与问题文字最接近的节点。' : ''}`
      : `This question cannot be answered: ${reason.en}.${hint === '' ? '' : ` ${hint}`}${answer.rows.length > 0 ? ' These are the nodes nearest to its words.' : ''}`,
    plan: { kind: 'search', linked: terms },
    next_offset: null,
    warnings: [zh ? `未作答：${reason.zh}` : `Not answered: ${reason.en}`, ...(wayOut ? [wayOut[language]] : []), ...answer.warnings],
    ...(suggestions.length > 0 && { suggestions }),
  };
}

/** @param notes one for each reading, in the language of the question */
function standsForSeveral(notes: string[]): Bilingual {
  return {
    zh: `有几种理解：${notes.join('；')}；请写出名称`,
    en: `it can be read in several ways: ${notes.join('; ')}; name what you mean`,
  };
}

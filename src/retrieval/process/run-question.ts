import { type Bilingual } from '../../text/bilingual.js';
import { Pace } from '../../common/turns/pace.js';
import { covers, propertiesRead } from '../../cypher/plan/properties-read.js';
import { prepareCypher } from '../../cypher/prepare-cypher.js';
import { CypherError, CypherNotSupportedError } from '../../cypher/syntax/cypher.errors.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { type LinkedTerm, type MetricCall, type MetricEntry, type Synonym } from '../../questions/vocabulary.js';
import { type RetrievalAnswer } from '../protocol.js';
import { GraphChangingError, GraphExceedsMemoryError } from '../retrieval.errors.js';
import { NameSynonyms } from '../../questions/linking/name-synonyms.js';
import { withSynonyms } from '../../questions/linking/synonyms-of-schema.js';
import { Lexicon } from '../../questions/linking/lexicon.js';
import { type LinkedQuestion, linkQuestion } from '../../questions/linking/link-question.js';
import { type GraphPlan, planGraphQuestion } from '../../questions/planning/plan-graph-question.js';
import { planMetricQuestion } from '../../questions/planning/plan-metric-question.js';
import { mayBeName } from '../../questions/linking/stop-words.js';
import { readTerms } from '../../questions/linking/read-terms.js';
import { suggestQuestions } from '../../questions/wording/suggest-questions.js';
import { wordGraphAnswer } from '../../questions/wording/word-answer.js';
import { AnswerElements } from './answer-elements.js';
import { type GraphElements } from './graph-elements.js';
import { type LoadedElements } from './graph-in-memory.js';
import { type LoadedGraph, type LoadedGraphs, type LoadedIndex } from './loaded-graphs.js';
import { readEvidence, readNodes, toAnswerNode } from './read-evidence.js';
import { type GraphReader, type RetrievalDatabase } from './retrieval-database.js';
import { answerInMemory, answerWithoutLoading, type NeedsGraph } from './run-cypher.js';
import { searchGraph } from './run-search.js';
import { withLoaded } from './with-loaded.js';

export interface Question {
  text: string;
  limit: number;
  language: Language;
  /** YYYY-MM-DD */
  today: string;
  metrics: MetricEntry[];
  synonyms: readonly Synonym[];
  timeoutMs: number;
  oldestVersion?: number;
}

const shownHits = 10;
/** A question whose graph has new names each time that it is loaded is asked so often. */
const attempts = 3;
/** A text with more mentions is no question. Planning it would take longer than answering all others. */
const mostMentions = 60;

/** What is in memory of the graph. `elements` are there for questions that only memory can answer. */
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
          const [index, elements] = [graphs.indexNow(graph), needs && graphs.elementsNow(graph, needs.read)];
          if (!index || (needs && !elements)) return null;
          return Promise.all([index, elements]).then(present => withElements(graph, needs, ...present));
        },
        load: async graph => {
          const index = await graphs.indexOf(graph);
          if (!index || !needs) return index && withElements(graph, null, index, null);
          const elements = await graphs.elementsOf(graph, needs.read).catch((error: unknown) => {
            if (error instanceof GraphExceedsMemoryError) return error;
            throw error;
          });
          return elements && withElements(graph, needs, index, elements);
        },
      },
      (reader, graph, loaded) => answerQuestion(reader, graph, loaded, question, signal),
    );
  let found = await answer(null);
  // Another version, whose names differ, needs other properties.
  for (let attempt = 1; 'reason' in found && attempt <= attempts; attempt++) found = await answer(found);
  if ('reason' in found) throw new GraphChangingError();
  return found;

  function withElements(graph: LoadedGraph, needs: NeedsGraph | null, index: LoadedIndex, elements: LoadedParts['elements']): LoadedParts {
    // Of an older version that answers for a moment nothing more is loaded, so SQL reads what is not there.
    return { ...index, elements, needs, isLoaded: graphs.find(graph.graphId) === graph && graphs.hasTopology(graph) };
  }
}

async function answerQuestion(
  reader: GraphReader,
  graph: LoadedGraph,
  loaded: LoadedParts,
  question: Question,
  signal: AbortSignal,
): Promise<RetrievalAnswer | NeedsGraph> {
  const pace = new Pace(signal);
  const { schema } = graph;
  const { language } = question;
  const started = performance.now();
  const named = withSynonyms(schema, question.metrics, question.synonyms);
  const lexicon = await Lexicon.build(named.schema, named.metrics, pace);
  const synonyms = new NameSynonyms(question.synonyms);
  const names = {
    findByName: (text: string, limit: number) => synonyms.lookUp(text, own => loaded.index.findByName(own, limit)),
    findValues: (text: string) => synonyms.lookUp(text, own => loaded.values.find(own)),
    search: (text: string, limit: number) => loaded.index.search({ text, limit, offset: 0, namesOnly: true }, pace),
  };
  const linked = await linkQuestion(question.text, question.today, lexicon, names, pace);
  if (linked.mentions.length > mostMentions)
    return searchInstead(reader, graph, loaded, question, [], pace, { reason: tooMuchAtOnce, hint: '' });
  const ids = [
    ...new Set(
      linked.mentions.flatMap(mention =>
        mention.meanings.flatMap(meaning => (meaning.as === 'entity' ? meaning.nodes.map(node => node.id) : [])),
      ),
    ),
  ];
  const entities = new Map((await readNodes(reader, ids)).map(node => [node.id, toAnswerNode(node)]));
  const timing = { link: performance.now() - started };
  const terms = describeTerms(linked, entities, question.metrics);
  const notes = describeGuesses(linked, entities, language);

  const metric = planMetricQuestion(linked, question.metrics, schema, entities, language, question.limit);
  const missed = linked.unknown.filter(mayBeName);
  if (metric && !('reason' in metric) && missed.length === 0)
    return metricAnswer(reader, schema, metric, [...entities.values()], { terms, notes, timing, language });
  const hint = suggestQuestions(linked, schema, question.metrics, language);
  if (missed.length > 0) return searchInstead(reader, graph, loaded, question, terms, pace, { reason: notUnderstood(missed), hint });
  const plan =
    metric && 'reason' in metric ? metric : planGraphQuestion(readTerms(linked), { ...schema, toOne: loaded.toOne }, entities, language);
  if ('reason' in plan) return searchInstead(reader, graph, loaded, question, terms, pace, { reason: plan.reason, hint });
  const uncertain = whyUncertain(linked, plan);
  if (uncertain) return searchInstead(reader, graph, loaded, question, terms, pace, { reason: uncertain, hint });
  const { cypher: text, parameters, shape, paths, notes: passedOver } = plan;
  const request = {
    text,
    parameters: JSON.stringify(parameters),
    limit: question.limit,
    timeoutMs: question.timeoutMs,
    language,
    timeZone: 'UTC',
    profile: false,
  };
  try {
    const { elements, needs, isLoaded } = loaded;
    if (elements instanceof GraphExceedsMemoryError)
      return await searchInstead(reader, graph, loaded, question, terms, pace, { reason: elements.text, hint });
    const prepared = prepareCypher(text, schema, request.parameters);
    const read = propertiesRead(prepared.query);
    if (needs && !covers(needs.read, read)) return { ...needs, read };
    const run = elements
      ? { answer: await answerInMemory(reader, graph, elements, prepared, request, 'only_in_memory', signal) }
      : await answerWithoutLoading(reader, graph, prepared, request, signal, isLoaded);
    if (!('answer' in run)) return run;
    const { answer } = run;
    return {
      ...answer,
      text: wordGraphAnswer(shape, answer.rows, language, question.limit),
      plan: { ...answer.plan, linked: terms, paths },
      warnings: [...notes, ...passedOver.map(note => note[language]), ...answer.warnings],
      timing_ms: { ...timing, ...answer.timing_ms },
    };
  } catch (error) {
    if (!(error instanceof CypherError)) throw error;
    return searchInstead(reader, graph, loaded, question, terms, pace, { reason: whyNotRun(error), hint });
  }
}

/** Without the place: whoever asks did not write the Cypher text. */
function whyNotRun(error: CypherError): Bilingual {
  if (error instanceof CypherNotSupportedError) return tooMuchAtOnce;
  const { zh, en } = error.sentence;
  return { zh: `问题变成的查询无法执行：${zh}`, en: `the query it was turned into cannot be run: ${en}` };
}

/** The API runs the metric. The graph's part of the evidence is the entities that the question named. */
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

/** Answers with the nodes nearest to the words, and the reason in the warnings. It never invents an answer. */
async function searchInstead(
  reader: GraphReader,
  graph: LoadedGraph,
  loaded: LoadedIndex,
  { text, limit, language }: Question,
  terms: LinkedTerm[],
  pace: Pace,
  { reason, hint }: { reason: Bilingual; hint: string },
): Promise<RetrievalAnswer> {
  const zh = language === 'zh';
  const answer = await searchGraph(reader, graph, loaded, { text, limit: Math.min(limit, shownHits), offset: 0, language }, pace);
  return {
    ...answer,
    text: zh
      ? `无法回答这个问题：${reason.zh}。${hint}${answer.rows.length > 0 ? '以下是与问题文字最接近的节点。' : ''}`
      : `This question cannot be answered: ${reason.en}.${hint === '' ? '' : ` ${hint}`}${answer.rows.length > 0 ? ' These are the nodes nearest to its words.' : ''}`,
    plan: { kind: 'search', linked: terms },
    next_offset: null,
    warnings: [zh ? `未作答：${reason.zh}` : `Not answered: ${reason.en}`, ...answer.warnings],
  };
}

/** Says why a plan may not be what was asked for: more words were left over than understood, or one of them may be its only limit. */
function whyUncertain({ mentions, unknown }: LinkedQuestion, { shape }: GraphPlan): Bilingual | null {
  const understood = mentions.filter(mention => mention.meanings[0]?.as !== 'intent').length;
  if (understood > 0 && (unknown.length === 0 || Object.values<string[]>({ ...shape.of }).some(names => names.length > 0))) return null;
  return notUnderstood(unknown);
}

const tooMuchAtOnce: Bilingual = { zh: '问题一次问得太多，请拆成几个问题', en: 'It asks for too much at once; ask in several questions' };

function notUnderstood(words: string[]): Bilingual {
  if (words.length === 0) return { zh: '没有理解问题', en: 'The question was not understood' };
  return { zh: `不理解“${words.join('”、“')}”`, en: `Not understood: ${words.join(', ')}` };
}

function describeTerms({ mentions }: LinkedQuestion, entities: ReadonlyMap<number, AnswerNode>, metrics: MetricEntry[]): LinkedTerm[] {
  return mentions.map(({ text, meanings }) => {
    const meaning = meanings[0];
    switch (meaning?.as) {
      case 'label':
        return { text, as: 'label', name: meaning.label };
      case 'relation':
        return { text, as: 'relation', name: meaning.type };
      case 'property':
        return { text, as: 'property', name: meaning.property };
      case 'metric':
        return { text, as: 'metric', name: metrics.find(metric => metric.id === meaning.metricId)?.name ?? '' };
      case 'dimension':
        return { text, as: 'dimension', name: meaning.dimension };
      case 'entity':
        return { text, as: 'entity', name: entities.get(meaning.nodes[0]?.id ?? -1)?.display ?? text };
      case 'value':
        return { text, as: 'property', name: `${meaning.property} = ${meaning.value}` };
      case 'time':
        return { text, as: 'time', name: `${meaning.span.from}/${meaning.span.isOpen ? '..' : meaning.span.to}` };
      case 'measure':
        return { text, as: 'intent', name: meaning.word.kind };
      case 'intent':
      case undefined:
        return { text, as: 'intent', name: meaning?.intent.kind ?? '' };
      default:
        return meaning satisfies never;
    }
  });
}

/** Describes words that were read as something else than they literally say, or not understood at all. */
function describeGuesses({ mentions, unknown }: LinkedQuestion, entities: ReadonlyMap<number, AnswerNode>, language: Language): string[] {
  const zh = language === 'zh';
  const guesses = mentions.flatMap(({ text, meanings }) => {
    const entity = meanings.find(meaning => meaning.as === 'entity');
    if (!entity) return [];
    const names = [...new Set(entity.nodes.map(node => entities.get(node.id)?.display ?? ''))].slice(0, 3).join(zh ? '、' : ', ');
    if (entity.approximate) return [zh ? `将“${text}”理解为“${names}”` : `"${text}" was taken for "${names}"`];
    return entity.nodes.length > 1 && meanings[0] === entity
      ? [zh ? `有 ${entity.nodes.length} 个节点名为“${text}”` : `${entity.nodes.length} nodes are named "${text}"`]
      : [];
  });
  if (unknown.length === 0) return guesses;
  return [...guesses, zh ? `未理解的词：${unknown.join('、')}` : `Words that were not understood: ${unknown.join(', ')}`];
}

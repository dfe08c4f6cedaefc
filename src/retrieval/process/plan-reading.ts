import { type Bilingual } from '../../text/bilingual.js';
import { type Pace } from '../../common/turns/pace.js';
import { type Language } from '../../text/language.js';
import { type MetricCall, type MetricEntry, type Synonym } from '../../questions/vocabulary.js';
import { type EarlierQuestion, type Reading } from '../../questions/linking/follow-up.js';
import { meaningOf } from '../../questions/linking/meaning.js';
import { asksTooMuch } from '../../questions/linking/asks-too-much.js';
import { type LinkedQuestion } from '../../questions/linking/link-question.js';
import { planGraphQuestion } from '../../questions/planning/plan-graph-question.js';
import { type GraphPlan, type Unplanned } from '../../questions/planning/question-plan.js';
import { type PlanSchema } from '../../questions/planning/schema-paths.js';
import { passedNouns } from '../../questions/planning/metric-filters.js';
import { planMetricQuestion } from '../../questions/planning/plan-metric-question.js';
import { carriesMeaning } from '../../questions/linking/stop-words.js';
import { confirmNames } from '../../questions/linking/confirm-names.js';
import { describeGuesses, describeTerms } from '../../questions/wording/describe-reading.js';
import { whatToAsk } from '../../questions/wording/what-to-ask.js';
import { type GraphElements } from './graph-elements.js';
import { readNodes, toAnswerNode } from './read-evidence.js';
import { type GraphReader } from './retrieval-database.js';

export interface Question {
  text: string;
  limit: number;
  language: Language;
  /** The caller's date, as YYYY-MM-DD. */
  today: string;
  metrics: MetricEntry[];
  synonyms: readonly Synonym[];
  timeoutMs: number;
  oldestVersion?: number;
  choices: readonly string[];
  /** The question that this question follows; null if none. */
  earlier: EarlierQuestion | null;
}

export interface Planning {
  reader: GraphReader;
  schema: PlanSchema & GraphElements;
  question: Question;
  pace: Pace;
}

/** Plans one reading of a question: as a call of a metric, or as a query on the graph. */
export async function planReading({ reader, schema, question, pace }: Planning, followUp: Reading) {
  const { language, metrics, choices } = question;
  const { linked: found } = followUp;
  const ids = found.mentions.flatMap(({ meanings }) =>
    meanings.flatMap(meaning => (meaning.as === 'entity' ? meaning.nodes.map(node => node.id) : [])),
  );
  const isTooMuch = asksTooMuch(found);
  const wanted = isTooMuch ? [] : [...ids, ...(found.among?.nodes ?? []).map(({ id }) => id)];
  const entities = new Map((await readNodes(reader, [...new Set(wanted)])).map(node => [node.id, toAnswerNode(node)]));
  const linked = confirmNames(followUp.text, found, entities);
  const terms = isTooMuch ? [] : describeTerms(linked, entities, metrics);
  const note = followUp.note?.(id => entities.get(id)?.display ?? String(id));
  const notes = [...(note ? [note[language]] : []), ...describeGuesses(linked, entities, language)];
  const hint = isTooMuch ? '' : whatToAsk(linked, schema, metrics, language);
  const missed = linked.unknown.filter(carriesMeaning);
  const planned = (outcome: MetricCall | GraphPlan | Unplanned) => ({
    outcome,
    missed,
    followUp: { ...followUp, linked },
    entities,
    terms,
    notes,
    hint,
  });
  if (isTooMuch) return planned({ reason: tooMuchAtOnce });
  if (followUp.meant?.some(({ id }) => !entities.has(id))) return planned({ reason: noLongerThere });
  const metric = planMetricQuestion(linked, metrics, schema, entities, language, question.limit, choices);
  if (metric && !('reason' in metric)) notes.push(...passedNouns(linked).map(noun => describingOnly(noun)[language]));
  if (metric && !('reason' in metric) && missed.length === 0)
    return planned(linked.among || isOfSet(linked) ? { reason: notAmong } : metric);
  if (missed.length > 0 || linked.mentions.every(({ meanings }) => meanings[0]?.as === 'intent'))
    return planned({ reason: notUnderstood(missed, linked.advice ?? []) });
  if (metric && !isAlsoOfGraph(linked)) return planned(metric);
  const onGraph = await planGraphQuestion(linked, schema, entities, language, { pace, choices });
  return planned(metric && 'reason' in onGraph && !('choices' in onGraph) ? metric : onGraph);
}

/** Whether the name of the metric is also a name of the graph, and no other word belongs to metrics only: `number of trips per driver`. */
function isAlsoOfGraph({ mentions }: LinkedQuestion): boolean {
  const named = mentions.filter(mention => meaningOf(mention, 'metric'));
  return (
    named.every(mention => meaningOf(mention, 'label') ?? meaningOf(mention, 'property')) &&
    mentions.every(({ meanings }) => meanings[0]?.as !== 'measure')
  );
}

function isOfSet({ mentions }: LinkedQuestion): boolean {
  return mentions.some(mention => meaningOf(mention, 'entity')?.isSet);
}

function describingOnly(noun: string): Bilingual {
  return {
    zh: `“${noun}”只说明指标，没有按它分组；要按它分组，请写“各${noun}”`,
    en: `"${noun}" only says of what the metric is, and is not a group; to group by it, write "each" before it`,
  };
}

const noLongerThere: Bilingual = {
  zh: '上一答案中的节点有的已不在图中，请重新提问',
  en: 'some nodes of the earlier answer are no longer in the graph; ask it again',
};

const notAmong: Bilingual = {
  zh: '指标不能只算上一答案中的那些，请写出限定条件',
  en: 'a metric cannot be limited to what the earlier answer found; say what limits it',
};

export const tooMuchAtOnce: Bilingual = {
  zh: '问题一次问得太多，请拆成几个问题',
  en: 'It asks for too much at once; ask in several questions',
};

/** @param advice how to write some of the words */
function notUnderstood(words: string[], advice: Bilingual[]): Bilingual {
  if (words.length === 0) return { zh: '没有理解问题', en: 'The question was not understood' };
  return {
    zh: [`不理解“${words.join('”、“')}”`, ...advice.map(({ zh }) => zh)].join('；'),
    en: [`Not understood: ${words.join(', ')}`, ...advice.map(({ en }) => en)].join('; '),
  };
}

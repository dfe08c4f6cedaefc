import { type GraphSchema, type LabelSchema } from '../../cypher/semantics/graph-schema.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { senseOf } from '../linking/synonyms.js';
import { isOfType } from './answer-types.js';
import { type CypherWriter } from './cypher-writer.js';
import { type Asked } from './find-asked.js';
import { keptBySchema } from './kept-by-schema.js';
import { withoutFrame } from './refuse-unsaid.js';
import { isSeller, isTrader, noRelation } from './trade-verbs.js';

/** A verb that no name of the graph covers. It claims a relation or an event, and only some questions make clear which. */
interface BareVerb {
  words: RegExp;
  /** Whether the things of the question make clear what the verb says. */
  fits?: (asked: AskedThings) => boolean;
}

/** The things that a question is about. */
interface AskedThings {
  /** The labels that the question names or asks for. */
  labels: readonly LabelSchema[];
  /** The further labels, and the names and aliases of the relations, that the query walks. */
  onTheWay: { labels: readonly LabelSchema[]; relations: readonly string[] };
  /** Names of the properties that the question names or limits. */
  properties: readonly string[];
  /** Whether the query walks no relation, so that the verb can only speak of the things themselves: `films made in 1999`. */
  walksNothing: boolean;
}

const means = (sense: string) => {
  const wanted = senseOf(sense);
  return ({ name, aliases }: LabelSchema): boolean => [name, ...aliases].some(own => senseOf(own.toLowerCase()) === wanted);
};
const isEmployee = means('employee');
const isOrder = means('order');
/** Whether a relation says where something is: `LOCATED_IN`, 位于. */
const isOfPlace = (name: string): boolean => name.split(/[\s_]+/).some(word => senseOf(word.toLowerCase()) === senseOf('locate'));
const hasPlace = ({ onTheWay, walksNothing }: AskedThings): boolean => walksNothing || onTheWay.relations.some(isOfPlace);

const bareVerbs: readonly BareVerb[] = [
  {
    words: /\b(?:makes?|made)\b|生产|做[了过]/,
    fits: ({ labels, properties, walksNothing }) =>
      walksNothing ||
      labels.some(each => isOrder(each) || isSeller(each)) ||
      properties.some(name => /\bmaker|manufactur|producer|厂|生产/i.test(name)),
  },
  {
    words: /\b(?:comes?|came) from\b/,
    fits: asked => hasPlace(asked) || [...asked.labels, ...asked.onTheWay.labels].some(isTrader),
  },
  { words: /\b(?:live|lives|lived|living)\b|居住|住在/, fits: hasPlace },
  { words: /\b(?:work|works|worked|working)\b/, fits: ({ labels, walksNothing }) => walksNothing || labels.some(isEmployee) },
  {
    words:
      /\b(?:go to|goes|went|us(?:e|es|ed)|owns?|owned|generate[sd]?|earn(?:s|ed)?|achieve[sd]?|provide[sd]?|collaborated?|cooperated?)\b(?<!\btheir own)|使用|看[了过]/,
  },
  // Words for the one who asks (`get`, `I want`, `do you know`) are verbs of another subject behind its name.
  { words: /\b(?:did|does|do)\b(?! (?:you|i|we)\b).*\b(?:get|find|give|need|see|like|want|know|go|let|show|tell)\b/ },
  { words: /(?<=\s{3})(?:get|need|want|like|know|see|call|go)\b|\bwho (?:call|list|give)(?:s|ed)?\b|\bwho gave\b/ },
];

/** Matches the one who asks as the subject of a verb, which then says nothing of the things: `suppliers we use`. */
const ourselves = /\b(?:we|our|us)\b|我们|咱们/;

/** The things of a planned question. @param named the labels that the question names or asks for */
export function askedThings(
  terms: QuestionTerms,
  named: ReadonlySet<string>,
  { nodes, edges }: CypherWriter,
  schema: GraphSchema,
): AskedThings {
  const walked = schema.edges.filter(({ type }) => edges.some(edge => edge.type === type));
  const limits = [...terms.properties.flatMap(({ owners }) => owners), ...terms.values.flatMap(({ values }) => values)];
  return {
    labels: schema.labels.filter(({ name }) => named.has(name)),
    onTheWay: {
      labels: schema.labels.filter(({ name }) => !named.has(name) && nodes.some(({ label }) => label === name)),
      relations: walked.flatMap(({ type, aliases }) => [type, ...aliases]),
    },
    properties: limits.map(({ property }) => property),
    walksNothing: edges.length === 0,
  };
}

/** The things of a question for any kind of person (`who`), before it is known which kind. Null for other questions. */
export function personsAsked({ type, word }: Asked, { entities }: QuestionTerms, schema: GraphSchema): AskedThings | null {
  if (type !== 'who' || word !== null) return null;
  const named = new Set(entities.flatMap(({ nodes }) => nodes.map(({ label }) => label)));
  const labels = schema.labels.filter(label => named.has(label.name) || isOfType(label, 'who'));
  return { labels, onTheWay: { labels: [], relations: [] }, properties: [], walksNothing: false };
}

/**
 * The reason to refuse a question about the graph for a verb that none of its relations and dates covers: `Which papers did X use?`. Null if
 * there is none.
 * @param unread the question without the words that name parts of the graph
 * @param asked null before the question is read: then only verbs that no question makes clear are refused
 */
export function whyBareVerb(unread: string, schema: GraphSchema, asked: AskedThings | null): Bilingual | null {
  const rest = withoutFrame(unread);
  if (ourselves.test(rest)) return null;
  for (const { words, fits } of bareVerbs) {
    const found = words.exec(rest)?.[0];
    if (found === undefined || (fits && (asked === null || fits(asked)))) continue;
    const verb = found.trim().split(/\s+/).at(-1)!;
    const own = wordsOfRelations(schema);
    if (![verb, `${verb}s`, `${verb}d`, `${verb}ed`, senseOf(verb)].some(form => own.has(form))) return noRelation(verb);
  }
  return null;
}

/**
 * The words of all names of relations, and their senses. Linking never takes `use` or `know` for a name, because questions begin with such
 * words.
 */
const wordsOfRelations = keptBySchema(({ edges }): ReadonlySet<string> => {
  const words = edges.flatMap(({ type, aliases }) => [type, ...aliases].flatMap(name => name.toLowerCase().split(/[\s_]+/)));
  return new Set([...words, ...words.map(senseOf)]);
});

import { type GraphSchema, type LabelSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type Bilingual } from '../../text/bilingual.js';
import { isDateOrYear } from '../linking/date-names.js';
import { meaningOf, type Mention } from '../linking/meaning.js';
import { senseOf } from '../linking/synonyms.js';
import { type CypherWriter } from './cypher-writer.js';
import { isSeller, isTrader, noRelation } from './trade-verbs.js';

/**
 * Words that change what is asked, though they name no part of the graph. The patterns are matched in the question without the words that
 * name parts of the graph: such a word is a gap of at least two spaces in Chinese, and of at least three in English.
 */
interface Claim {
  words: RegExp;
  /** The reason to refuse, with `%` in place of the words. */
  zh: string;
  en: string;
  /** Whether a question about a metric may have the words: `how is revenue`. */
  fitsMetrics?: true;
}

/** The frame of a request at the beginning of a question, whose words ask for nothing. */
const frame =
  /^\s*(?:please\s+)?(?:(?:can|could|would|will|may|might) (?:you|i|we)\b|how (?:to|(?:do|can|could|should) (?:i|we|you)|does one) (?:find|get|see|list|show)\b|what (?:would|could|might) be\b|(?:i|we)(?:['’]d| would)? (?:like|love|want|need|might need|could use)\b(?: to\b)?(?: (?:see|know|find|get|have)\b)?)/;

const claims: readonly Claim[] = [
  {
    words: /\bwhy\b|\bhow come\b|为什么|为啥|怎么会/,
    zh: '图中没有“%”所问的原因；请改问图中有什么',
    en: 'The graph has no reasons, so "why" cannot be answered; ask what there is',
  },
  {
    words:
      /\bhow (?:do|does|did|is|are|was|were|can|could|has|have|had|to)\b(?!.*\b(?:related|connected|linked|associated)\b)|(?:怎么|如何)(?=\s{2})/,
    zh: '图中没有“%”所问的方式；请改问图中有什么',
    en: 'The graph does not tell how something is done, so "%" cannot be answered; ask what there is',
    fitsMetrics: true,
  },
  {
    words:
      /\b(?:will|would|shall|should|must|might)\b|\b(?:can|could)(?=\s{3})|\b(?:we|they|it) (?:can|could)\b|\b(?:want|need|used|supposed) to\b|(?<!我|我们|咱们|[你您]们?|[年摘概学理节即需主重只性功职智机协大社])(?:将会?|想要?|(?<!想)要|会|能|可以|正在)(?=\s{2}|被|[买卖])|(?<=\s)[想需]?要的/,
    zh: '图中只有已经发生的事，没有“%”的含义；请去掉“%”再问',
    en: 'The graph holds what is recorded, and cannot tell what "%" adds; leave out "%"',
  },
];

/** A verb that no name of the graph covers. It claims a relation or an event, and only some questions make clear which. */
interface BareVerb {
  words: RegExp;
  /** Whether the things of the question make clear what the verb says. */
  fits?: (asked: AskedThings) => boolean;
}

/** The things that a question is about. */
export interface AskedThings {
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

/** Words right before a name that say more than that two things are related. */
const beforeNames = /\b(?<word>between|off|up|down|along|towards|onto|how|(?:listed|called|given) (?:by|to)) (?:the |an? )?$/d;
/** `both` before a label says that there are two. `both A and B` names them. */
const beforeLabels = /\b(?<word>both) (?:the |of the )?$/d;
const comparesBehind = /^之间(?!.*(?:[差比哪谁]|距离|关系|联系|区别))/;

/**
 * The reason to refuse a question for a word that changes what is asked, and that names no part of the graph: `why`, `will`, 想, `between`
 * two names. Null if there is none.
 * @param unread the question without the words that name parts of the graph
 */
export function whyUnsaid(unread: string, text: string, mentions: readonly Mention[], isMetric = false): Bilingual | null {
  const rest = unread.replace(frame, start => ' '.repeat(start.length));
  for (const { words, zh, en, fitsMetrics } of claims) {
    const found = isMetric && fitsMetrics ? null : words.exec(rest)?.[0].trim();
    if (found) return { zh: zh.replaceAll('%', found), en: en.replaceAll('%', found) };
  }
  for (const mention of mentions) {
    const word = unreadBeside(text, mention, mentions);
    if (word === null) continue;
    return {
      zh: `“${word}”在“${mention.text}”旁边的含义不明；请去掉它，或写明怎样限定`,
      en: `It is not clear what "${word}" means beside "${mention.text}"; leave it out, or say what it limits`,
    };
  }
  return null;
}

/** The word beside a name or label that no part of the question reads: `between` in `museums between Kyoto and London`. */
function unreadBeside(text: string, mention: Mention, mentions: readonly Mention[]): string | null {
  const isName = meaningOf(mention, 'entity') !== null || meaningOf(mention, 'value') !== null;
  const behind = text.slice(mention.end);
  const found = (isName ? beforeNames : beforeLabels).exec(text.slice(0, mention.start));
  const [at] = found?.indices?.groups?.word ?? [];
  if (found && at !== undefined) {
    const isRead = mentions.some(({ start, end }) => start <= at && at < end);
    const isPair = !isName && /^\s*(?:and|&)\s/.test(behind);
    if (!isRead && !isPair) return found.groups!.word!;
  }
  return isName && comparesBehind.test(behind) ? '之间' : null;
}

/**
 * The reason to refuse a question about the graph for a word that only metrics know, as one of their dimensions. Null if there is none, or
 * if the word only tells what a value is: `类别是玉器`.
 */
export function whyDimension(text: string, mentions: readonly Mention[]): Bilingual | null {
  const isOnly = ({ meanings }: Mention): boolean => meanings.length > 0 && meanings.every(({ as }) => as === 'dimension');
  const tellsValue = ({ end }: Mention): boolean =>
    mentions.some(value => meaningOf(value, 'value') !== null && value.start >= end && joinsValue.test(text.slice(end, value.start)));
  const only = mentions.find(mention => isOnly(mention) && !tellsValue(mention))?.text;
  if (only === undefined) return null;
  return {
    zh: `“${only}”只是指标的维度，不是图中的属性；请按它问一个指标，或写出图中的属性`,
    en: `"${only}" is only a dimension of metrics, and not a property of the graph; ask for a metric by it, or name a property`,
  };
}

/** Matches the text between a word for a property and its value. */
const joinsValue = /^\s*(?:不?[是为在]|不?等于|=|[:：]|(?:is|are|was|were)(?: not)?)?\s*["'“‘]?$/;

/**
 * The reason to refuse a question about the graph for a verb that none of its relations and dates covers: `Which papers did X use?`. Null if
 * there is none.
 * @param unread the question without the words that name parts of the graph
 * @param asked null before the question is read: then only verbs that no question makes clear are refused
 */
export function whyBareVerb(unread: string, schema: GraphSchema, asked: AskedThings | null): Bilingual | null {
  const rest = unread.replace(frame, start => ' '.repeat(start.length));
  if (ourselves.test(rest)) return null;
  for (const { words, fits } of bareVerbs) {
    const found = words.exec(rest)?.[0];
    if (found === undefined || (fits && (asked === null || fits(asked)))) continue;
    const verb = found.trim().split(/\s+/).at(-1)!;
    if (!schema.edges.some(({ type, aliases }) => [type, ...aliases].some(name => hasVerb(name, verb)))) return noRelation(verb);
  }
  return null;
}

/**
 * The reason to refuse `currently` for things or relations with the date of their end, such as `left_on`: the end would limit the answer.
 * Null if the question does not say so, or nothing on the way has an end.
 */
export function whyCurrent(unread: string, { nodes, edges }: CypherWriter, schema: GraphSchema): Bilingual | null {
  const word = /\b(?:now|currently|presently|nowadays|at present)\b|现在|目前|当前|如今/.exec(unread)?.[0];
  if (word === undefined) return null;
  const onTheWay = [
    ...schema.labels.filter(({ name }) => nodes.some(({ label }) => label === name)),
    ...schema.edges.filter(({ type }) => edges.some(edge => edge.type === type)),
  ];
  const end = onTheWay.flatMap(({ properties }) => properties).find(isEnd)?.name;
  if (end === undefined) return null;
  return {
    zh: `“${word}”可能要用“${end}”限定；请写明，或去掉“${word}”`,
    en: `"${word}" may limit "${end}"; say how, or leave out "${word}"`,
  };
}

/** Whether a relation has the verb in its name. Linking never takes `use` or `know` for a name, because questions begin with such words. */
function hasVerb(name: string, verb: string): boolean {
  const forms = [verb, `${verb}s`, `${verb}d`, `${verb}ed`];
  return name
    .toLowerCase()
    .split(/[\s_]+/)
    .some(part => forms.includes(part) || senseOf(part) === senseOf(verb));
}

const senseOfEnds = new Set(['end', 'expire', 'leave', 'retire', 'until', 'terminate'].map(senseOf));

/** Whether a date tells when something ended: `left_on`, `endDate`, 离职日期. */
function isEnd(property: PropertySchema): boolean {
  if (!isDateOrYear(property)) return false;
  const words = `${property.name} ${property.column ?? ''}`.replace(/([a-z])([A-Z])/g, '$1 $2').split(/[\s_]+/);
  return words.some(word => senseOfEnds.has(senseOf(word.toLowerCase().replace(/(?:日期|时间)$/, ''))));
}

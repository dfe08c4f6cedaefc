import { type GraphSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type Bilingual } from '../../text/bilingual.js';
import { isDateOrYear } from '../linking/date-names.js';
import { meaningOf, type Mention } from '../linking/meaning.js';
import { senseOf } from '../linking/synonyms.js';
import { type CypherWriter } from './cypher-writer.js';

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

/** The question with spaces in place of the frame of a request. */
export function withoutFrame(unread: string): string {
  return unread.replace(frame, start => ' '.repeat(start.length));
}

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
  const rest = withoutFrame(unread);
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

const senseOfEnds = new Set(['end', 'expire', 'leave', 'retire', 'until', 'terminate'].map(senseOf));

/** Whether a date tells when something ended: `left_on`, `endDate`, 离职日期. */
function isEnd(property: PropertySchema): boolean {
  if (!isDateOrYear(property)) return false;
  const words = `${property.name} ${property.column ?? ''}`.replace(/([a-z])([A-Z])/g, '$1 $2').split(/[\s_]+/);
  return words.some(word => senseOfEnds.has(senseOf(word.toLowerCase().replace(/(?:日期|时间)$/, ''))));
}

import { type GraphSchema, type LabelSchema } from '../../cypher/semantics/graph-schema.js';
import { type Bilingual } from '../../text/bilingual.js';
import { meaningOf, type Mention } from '../linking/meaning.js';
import { senseOf } from '../linking/synonyms.js';
import { type CypherWriter } from './cypher-writer.js';
import { isSeller } from './trade-verbs.js';

/**
 * Words that change what is asked, though they name no part of the graph. The patterns are matched in the question without the words that
 * name parts of the graph: such a word is a gap of at least two spaces in Chinese, and of at least three in English.
 */
interface Claim {
  words: RegExp;
  /** The reason to refuse, with `%` in place of the words. */
  zh: string;
  en: string;
}

const claims: readonly Claim[] = [
  {
    words: /\bwhy\b|\bhow come\b|为什么|为何|为啥|怎么会|凭什么/,
    zh: '图中没有“%”所问的原因；请改问图中有什么',
    en: 'The graph has no reasons, which "%" asks for; ask what there is',
  },
  {
    words:
      /\bhow (?:do|does|did|is|are|was|were|can|could|has|have|had|to)\b(?! (?:you|i|we)\b)(?!.*\b(?:related|connected|linked|associated)\b)|(?:怎么|怎样|如何)(?=\s{2})/,
    zh: '图中没有“%”所问的方式；请改问图中有什么',
    en: 'The graph does not say how, which "%" asks for; ask what there is',
  },
  {
    words:
      /\b(?:will|would|shall|should|must|might)\b(?! (?:you|i|we|like)\b)|\b(?:can|could|may)(?=\s{3})|\b(?:i|we|they|it) (?:can|could|may|might)\b|\b(?:going|supposed|allowed|able|likely|planning|wants?|wanted|needs?|used) to\b(?<!\b(?:i|we|you) \w+ to)/,
    zh: '图中只有已有的关系，没有“%”的含义；请去掉它再问',
    en: 'The graph has what is so, and not what "%" adds; ask without it',
  },
  {
    words: /(?<![我们您你主重只功性职智机协大社])(?:将会?|想要?|打算|应该|必须|可能|需要|正在|可以|能够?|要|会)(?=\s{2})|(?:想|需)要的/,
    zh: '图中只有已有的关系，没有“%”的含义；请去掉它再问',
    en: 'The graph has what is so, and not what "%" adds; ask without it',
  },
];

/** A verb that no name of the graph covers. It claims a relation or an event, and only some questions make clear which. */
interface BareVerb {
  words: RegExp;
  /** Whether the question is about what the verb says. */
  fits?: (asked: AskedThings) => boolean;
}

/** The things that a question names or asks for. */
interface AskedThings {
  labels: readonly LabelSchema[];
  /** Names of the properties that limit the answer. */
  properties: readonly string[];
  /** Whether the query walks no relation, so that the verb can only speak of the things themselves: `films made in 1999`. */
  isOwn: boolean;
}

const isEmployee = ({ name, aliases }: LabelSchema): boolean =>
  [name, ...aliases].some(own => senseOf(own.toLowerCase()) === senseOf('employee'));

const bareVerbs: readonly BareVerb[] = [
  {
    words: /\b(?:make|makes|made|making)\b|生产|制造/,
    fits: ({ properties, isOwn }) => isOwn || properties.some(name => /maker|manufactur|producer|厂|生产/i.test(name)),
  },
  { words: /\b(?:comes?|came|coming) from\b/, fits: ({ labels, isOwn }) => isOwn || labels.some(isSeller) },
  { words: /\b(?:live|lives|lived|living)\b|居住|(?<!入)住(?![院址宿房])/, fits: ({ isOwn }) => isOwn },
  { words: /\b(?:work|works|worked|working)\b/, fits: ({ labels }) => labels.some(isEmployee) },
  {
    words:
      /\b(?:go to|goes|went|going|us(?:e|es|ed|ing)|own(?:s|ed|ing)?|generate[sd]?|earn(?:s|ed)?|achieve[sd]?|provide[sd]?|collaborated?|cooperated?)\b|使用|[看做][了过]/,
  },
  // Words for the one who asks (`get`, `I want`, `do you know`) are verbs of something else behind its name.
  { words: /\b(?:did|does|do)\s{3,}(?:get|find|give|need|see|like|want|know|go|let|show|tell)\b/ },
  { words: /(?<=\s{3})(?:gets?|needs?|wants?|likes?|knows?|sees?|go)(?=\s{3})/ },
  { words: /\b(?:listed|called|given) (?:by|to)(?=\s{3})|\bwho (?:call|list|give)(?:s|ed)?\b|\bwho gave\b/ },
];

/** Words right before a name or a label that say more than that two things are related. */
const beforeNames = /\b(between|off|up|down|within|along|towards|onto|how) (?:the |an? )?$|(?<!\p{Script=Han})([给对])$/u;
const beforeLabels = /\b(both) (?:the |of the )?$/;

/**
 * The reason to refuse a question for a word that changes what is asked, and that names no part of the graph: `why`, `will`, 想, `between`
 * two names. Null if there is none.
 * @param unread the question without the words that name parts of the graph
 */
export function whyUnsaid(unread: string, text: string, mentions: readonly Mention[]): Bilingual | null {
  for (const { words, zh, en } of claims) {
    const found = words.exec(unread)?.[0].trim();
    if (found) return reasonFor(found, zh, en);
  }
  const apart = mentions.flatMap(mention => misplaced(text, mention, mentions)).find(word => word !== '');
  return apart === undefined
    ? null
    : reasonFor(
        apart,
        '“%”在名称旁边的含义不明；请写出图中的关系',
        'It is not clear what "%" means beside a name; name a relation of the graph',
      );
}

/** The word beside a name or label that no part of the question reads: `between` in `museums between Kyoto and London`. */
function misplaced(text: string, mention: Mention, mentions: readonly Mention[]): string[] {
  const isName = meaningOf(mention, 'entity') !== null || meaningOf(mention, 'value') !== null;
  const [, ...found] = (isName ? beforeNames : beforeLabels).exec(text.slice(0, mention.start)) ?? [];
  const word = found.find(each => each !== undefined);
  const at = word === undefined ? -1 : text.lastIndexOf(word, mention.start - 1);
  const isRead = mentions.some(({ start, end }) => start <= at && at < end);
  if (word !== undefined && !isRead && !/\b(?:difference|gap|relation|comparison)s? $/.test(text.slice(0, at))) return [word];
  return isName && /^之间(?!的?(?:差|比|距|关系|联系|区别))/.test(text.slice(mention.end)) ? ['之间'] : [];
}

/**
 * The reason to refuse a question about the graph for a word that only metrics know, as one of their dimensions. Null if there is none, or
 * if the word only tells what a value is: `类别是玉器`.
 */
export function whyDimension(text: string, mentions: readonly Mention[]): Bilingual | null {
  const isOnly = ({ meanings }: Mention): boolean => meanings.length > 0 && meanings.every(({ as }) => as === 'dimension');
  const isValue = (mention: Mention): boolean => meaningOf(mention, 'value') !== null;
  const tellsValue = ({ end }: Mention): boolean =>
    mentions.some(value => isValue(value) && value.start >= end && isBetweenWordAndValue.test(text.slice(end, value.start)));
  const only = mentions.find(mention => isOnly(mention) && !tellsValue(mention));
  if (!only) return null;
  return reasonFor(
    only.text,
    '“%”只是指标的维度，不是图中的属性；请按它问一个指标，或写出图中的属性',
    '"%" is only a dimension of metrics, and not a property of the graph; ask for a metric by it, or name a property',
  );
}

const isBetweenWordAndValue = /^\s*(?:不?[是为在]|不?等于|=|[:：]|(?:is|are|was|were)(?: not)?)?\s*["'“‘]?$/;

/**
 * The reason to refuse a question about the graph for a verb that none of its relations and dates covers: `Which papers did X use?`. Null if
 * there is none.
 * @param unread the question without the words that name parts of the graph
 * @param asked null before the question is read: then only verbs that no question makes clear are refused
 */
export function whyBareVerb(unread: string, asked: AskedThings | null): Bilingual | null {
  for (const { words, fits } of bareVerbs) {
    const found = words
      .exec(unread)?.[0]
      .trim()
      .replace(/\s{2,}/g, ' … ');
    if (!found || (fits && (asked === null || fits(asked)))) continue;
    return reasonFor(found, '图中没有“%”这个关系；请写出图中的关系', 'The graph has no relation "%"; name a relation of the graph');
  }
  return null;
}

/**
 * The reason to refuse `currently` for things or relations that have an end, such as `left on`: the end would limit the answer. Null if the
 * question does not say so, or nothing on the way has an end.
 */
export function whyCurrent(unread: string, { nodes, edges }: CypherWriter, schema: GraphSchema): Bilingual | null {
  const word = /\b(?:now|currently|presently|nowadays|at present)\b|现在|目前|当前|如今/.exec(unread)?.[0];
  if (word === undefined) return null;
  const onTheWay = [
    ...schema.labels.filter(({ name }) => nodes.some(({ label }) => label === name)),
    ...schema.edges.filter(({ type }) => edges.some(edge => edge.type === type)),
  ];
  const end = onTheWay.flatMap(({ properties }) => properties).find(({ name, column }) => ends.test(`${name} ${column ?? ''}`));
  return end === undefined
    ? null
    : reasonFor(word, `“%”可能要用“${end.name}”限定；请写明，或去掉“%”`, `"%" may limit "${end.name}"; say how, or leave out "%"`);
}

/** Matches the name of a property that holds when something ended. */
const ends =
  /(?:^|[\s_])(?:end|ends|ended|left|until|expir\w*|closed|finish\w*|terminat\w*|resign\w*|retired?)(?:$|[\s_])|离职|离任|结束|截止|到期|终止|失效|退休|卸任/i;

function reasonFor(found: string, zh: string, en: string): Bilingual {
  return { zh: zh.replaceAll('%', found), en: en.replaceAll('%', found) };
}

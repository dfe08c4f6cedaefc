import { type Pace } from '../../common/turns/pace.js';
import { type Mention, type TextOperator } from './meaning.js';

const quoted = `["“'‘「《](?<quoted>[^"”'’」》]{1,80})["”'’」》]`;
/** Source of a pattern for one to four words, up to the end of the question or to the beginning of another clause. */
const words = `(?<bare>[^\\s,?!;"“'‘]{1,40}(?: [^\\s,?!;"“'‘]{1,40}){0,3}?)(?<!\\.)(?=\\s*(?:$|[?.!;])|,?\\s+(?:and |or )?(?:who|that|which|whose|are|is|were|from|in|with|by|placed|have|has|had)\\b)`;
const characters = `(?<bare>[^\\s的"“'‘「《,，。?？]{1,20}?)`;
const ofName = '(?<name>(?:whose |(?:with|having|have|has)(?: an?)? )?\\bnames? )?\\b(?:(?:that|which) )?';
const denied = "(?<no>(?:(?:does|do) not|doesn['’]t|don['’]t|not) )?";
const theWord = ' (?:the (?:word|text|letters?|characters?) )?';
const ofNameZh = '(?<name>的?(?:名字|名称|姓名|名)(?:里面?|中|当中|上)?)?';

const rules: [TextOperator, RegExp][] = [
  ...(
    [
      ['CONTAINS', '(?:contain(?:s|ing)?|includ(?:es?|ing))'],
      ['STARTS WITH', '(?:start(?:s|ing)?|begin(?:s|ning)?) with'],
      ['ENDS WITH', 'end(?:s|ing)? (?:with|in)'],
    ] as const
  ).map(([operator, verb]): [TextOperator, RegExp] => [operator, new RegExp(`${ofName}${denied}${verb}${theWord}(?:${quoted}|${words})`, 'g')]),
  ['CONTAINS', new RegExp(`${ofNameZh}(?<no>不|没有?)?(?:包含|包括|含有?|带有?|(?<=[里中上面])有)(?:${quoted}|${characters})(?:这?[个两]?字)?(?=的|$|[\\s,，。?？])`, 'g')],
  ['STARTS WITH', new RegExp(`${ofNameZh}(?<no>不)?是?以(?:${quoted}|${characters})字?(?:开头|打头|开始|起头)`, 'g')],
  ['ENDS WITH', new RegExp(`${ofNameZh}(?<no>不)?是?以(?:${quoted}|${characters})字?(?:结尾|收尾|结束)`, 'g')],
  ['STARTS WITH', /(?<name>姓)(?![名氏别什啥])(?<bare>\p{Script=Han}{1,2})(?=的)/gu],
]; // prettier-ignore

/** Conditions that a property has no value. Each stands right behind the property, or right before it. */
const empty: RegExp[] = [
  /(?:的?值|字段|一栏)?(?:都|均|仍|还)?(?:(?<no>不[是为]|并?非)|[是为])?\s?(?:空(?![调气间军])(?:着|缺|值|白|的)?|null(?![a-z])|缺失)/g,
  /(?:都|均|仍|还)?(?:未|没有?)(?:填写?|录入|登记|设置)/g,
  /(?<= )(?:(?:fields?|values?) )?(?:(?:is|are|was|were|be) (?<no>not )?|(?<no2>(?:isn|aren|wasn|weren)['’]t ))?(?:null|empty|blank|missing|unset)\b/g,
  /(?:空白?的?|缺失的?)(?=\p{Script=Han})(?![调气间军])/gu,
  /\b(?:(?:an?|the|their|its) )?(?<no>non-|not )?(?:null|empty|blank|missing)(?= )/g,
];

const asking = /[哪几谁吗呢]|什么|多少|^(?:what|which|who|how|any|no|a|an|the|some|all)\b/;
const several = /[和与或及、]|\b(?:and|or|not)\b/;

/**
 * Finds conditions on texts: `名字里有电`, `以138开头`, `whose name contains Mart`. A condition applies to the text property right before it, else
 * to the name of the thing. A condition with several texts is not supported: its mention has no meanings.
 * @param question the question as it was written; `text` is its normalised form
 * @param found the mentions that were found before
 */
export async function findTextConditions(question: string, text: string, found: Mention[], pace: Pace): Promise<Mention[]> {
  return [...(await findEmpty(text, found, pace)), ...(await findTexts(question, text, found, pace))];
}

async function findEmpty(text: string, found: Mention[], pace: Pace): Promise<Mention[]> {
  const conditions: Mention[] = [];
  for (const { 0: own, index: start, groups } of empty.flatMap(pattern => [...text.matchAll(pattern)])) {
    if (pace.isOverdue) await pace.turn();
    const mention = { text: own, start, end: start + own.length };
    const beside = found.filter(other => isEmptied(other, text, mention));
    if (beside.length === 0 || hasValue(beside, found, mention)) continue;
    const isDenied = (groups?.no ?? groups?.no2) !== undefined;
    conditions.push({ ...mention, meanings: [{ as: 'intent', intent: { kind: 'text', operator: 'IS NULL', values: [], isDenied } }] });
  }
  return conditions;
}

/** Whether the word for an empty property is a known value of the property: 空缺 in 状态为空缺, if 空缺 is one of the statuses. */
function hasValue(beside: Mention[], found: Mention[], { start, end }: Pick<Mention, 'start' | 'end'>): boolean {
  const owned = new Set(
    beside.flatMap(({ meanings }) => meanings.flatMap(each => (each.as === 'property' ? `${each.ownerName} ${each.property}` : []))),
  );
  return found.some(
    other =>
      other.start >= start &&
      other.end <= end &&
      other.meanings.some(each => each.as === 'value' && owned.has(`${each.label} ${each.property}`)),
  );
}

async function findTexts(question: string, text: string, found: Mention[], pace: Pace): Promise<Mention[]> {
  const conditions: Mention[] = [];
  const matches = rules.flatMap(([operator, pattern]) => [...text.matchAll(pattern)].map(match => ({ operator, match })));
  for (const { operator, match } of matches) {
    if (pace.isOverdue) await pace.turn();
    const { name, no, quoted: exact, bare = '' } = match.groups ?? {};
    const own = exact ?? bare;
    const start = match.index + /^\s*/.exec(match[0])![0].length;
    const end = match.index + match[0].length;
    const isOfName = name !== undefined;
    if (exact === undefined && asking.test(own)) continue;
    if (!isOfName && operator === 'CONTAINS' && !found.some(other => isOwnText(other, text, start))) continue;
    const mention = { text: text.slice(start, end), start, end };
    if (exact === undefined && several.test(own)) {
      conditions.push({ ...mention, meanings: [] });
      continue;
    }
    const at = match.index + match[0].lastIndexOf(own);
    // `ending in 2026` tells the date of an end.
    const isTime = found.some(
      ({ start: from, meanings }) => from <= at + own.length && from >= start && meanings.some(({ as }) => as === 'time'),
    );
    if (!isOfName && exact === undefined && isTime) continue;
    const written = question.length === text.length ? question.slice(at, at + own.length) : own;
    const values = [...new Set([written, own].map(value => value.toLowerCase()))];
    conditions.push({ ...mention, meanings: [{ as: 'intent', intent: { kind: 'text', operator, values, isDenied: no !== undefined } }] });
  }
  return conditions;
}

/** Whether a mention names a property right beside the condition that the property has no value. */
export function isEmptied({ start, end, meanings }: Mention, text: string, condition: Pick<Mention, 'start' | 'end'>): boolean {
  const between =
    end <= condition.start ? text.slice(end, condition.start) : condition.end <= start ? text.slice(condition.end, start) : '/';
  return /^\s*$/.test(between) && meanings.some(({ as }) => as === 'property');
}

const andEmpty = /^ ?(?:、|和|与|及|以及|还有|,? ?and) ?(?:(?:the|their|its) )?$/;
const orEmpty = /^ ?(?:、|和|与|跟|同|及|以及|还有|或者?|,? ?(?:and|or)) ?(?:(?:the|their|its|of) |的| )*$/;
/** Maximum characters between two properties that a conjunction joins, with a label: 国家和产品的类别. */
const longestJoint = 40;

/**
 * The properties that a conjunction joins to an empty property, so that each of them is empty: 类别和单价为空. Null if it is not clear
 * whether a joined property is empty too: 类别或单价为空, 供应商的国家和产品的类别为空.
 * @param blank the question without its labels
 */
export function joinedToEmpty<T extends { mention: Mention }>(text: string, blank: string, own: T, properties: T[]): T[] | null {
  const joined = [own];
  const isJoinedBy = (joint: RegExp, of: string, { mention: a }: T, { mention: b }: T): boolean => {
    const [from, to] = a.start < b.start ? [a.end, b.start] : [b.end, a.start];
    return from <= to && to - from <= longestJoint && joint.test(of.slice(from, to).replace(/\s+/g, ' '));
  };
  // `joined` grows during the loop, so a property joined to an added property is found too: A、B和C为空.
  for (const member of joined)
    joined.push(...properties.filter(each => !joined.includes(each) && isJoinedBy(andEmpty, text, each, member)));
  const isUnclear = properties.some(each => !joined.includes(each) && joined.some(member => isJoinedBy(orEmpty, blank, each, member)));
  return isUnclear ? null : joined.slice(1);
}

/** Whether a mention names a property of type string, right before the condition that begins at `start`. */
export function isOwnText({ end, meanings }: Mention, text: string, start: number): boolean {
  const isBehind = end <= start && /^\s*(?:里面?|中|上)?\s*$/.test(text.slice(end, start));
  return isBehind && meanings.some(meaning => meaning.as === 'property' && meaning.type === 'string');
}

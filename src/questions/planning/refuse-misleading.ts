import { fillPlaces, type Mention } from '../linking/meaning.js';
import { whyStatistic } from '../linking/negation.js';
import { outsideNames, type QuestionTerms } from '../linking/question-terms.js';
import { type Anchor, groupAnchors } from './anchors.js';
import { groupLabel } from './find-groups.js';
import { UnplannableError } from './question-plan.js';
import { numberKeys, repeatsCount } from './said-order.js';

/** Matches "or" and 或, except in `on or after`, which states one bound of a time. */
const alternative = /(?<!\bon )\b(?:or|either)\b|或/g;
const everything = /\b(?:all|every|each)\b|所有|全部|都|每/;
/** Matches a comparison of the asked things with each other. */
const alike = /\bsame\b|\bidentical\b|\bduplicates?\b|重名|同名|相同|同样|一样|重复/;
/** Matches a comparison with a named thing: `the same title as X`, 和X职称相同. */
const sameValue = /\bsame\b.{0,80}\bas\b|[和与跟同].{0,40}(?:相同|一样)/;
const addition = /除[^，,。？?]*?(?:还|也|又)|\b(?:besides|in addition to|apart from)\b.*\b(?:also|too|as well)\b/;

/**
 * Refuses questions that would be read with another meaning: alternatives between parts other than names of one kind, yes-or-no
 * questions about all things or about a ranking, "besides", and other such questions.
 * @throws UnplannableError
 */
export function refuseMisleading(terms: QuestionTerms): void {
  const statistic = whyStatistic(terms);
  if (statistic) throw new UnplannableError(statistic.zh, statistic.en);
  const anchors = groupAnchors(terms);
  const rest = outsideNames(terms);
  for (const { index } of terms.text.matchAll(alternative))
    if (!isInside(terms, anchors, index) && !joinsTimes(terms, index))
      throw new UnplannableError('不理解“或”连接的两部分，请分开问', 'The parts that "or" joins are not understood; ask for each apart');
  if (anchors.length === 0 && alike.test(rest))
    throw new UnplannableError(
      '暂不能找出彼此相同的，请按该属性统计数量，或改用 cypher',
      'Things that are alike cannot be found yet; count them by that property, or use cypher',
    );
  if (sameValue.test(rest) && terms.properties.length > 0)
    throw new UnplannableError('暂不能找出与它同值的，请先问它的值，再问有这个值的', 'Things with the same value cannot be found yet; ask for that value, then for the things that have it'); // prettier-ignore
  // A path there and back would have to lead from one name to the other, and may not use an edge twice.
  if (terms.whether !== null && terms.entities.length > 1 && alike.test(rest))
    throw new UnplannableError(
      '暂不能用是或否回答两者是否相同，请分别问每一个，再比较',
      'Whether two things have the same cannot be told with yes or no yet; ask for that of each, and compare',
    );
  // Leave out the verb `own` in `does Lufthansa own aircraft`: only the adjective in `their own aircraft` refers to something named before.
  const verbs = terms.relations.filter(({ mention: { text, start } }) => text === 'own' && !/(?:\b(?:their|its|his|her|the|an?)|['’]s?) $/.test(rest.slice(0, start))); // prettier-ignore
  const withoutVerbs = fillPlaces(
    rest,
    verbs.map(({ mention }) => mention),
  );
  const own = /(?<!\bas )\btheir\b|\bthey\b|\bown\b|自己/.exec(withoutVerbs)?.[0];
  if (own !== undefined && (own !== 'their' || anchors.length === 0) && terms.labels.length > 0 && terms.relations.length > 0)
    throw new UnplannableError(
      `不清楚“${own}”指的是其中哪一个；请分开问，或改用 cypher`,
      `The thing that "${own}" stands for must be the same in both places, which cannot be asked yet; ask apart, or use cypher`,
    );
  const equal = terms.properties.find(({ mention }, i) => {
    const next = terms.properties[i + 1];
    return (
      next !== undefined &&
      /^\s*(?:等于|=|equals?|(?:is|are) (?:equal to|the same as))\s*$/.test(rest.slice(mention.end, next.mention.start))
    );
  });
  if (equal)
    throw new UnplannableError(
      `暂不能把“${equal.mention.text}”与另一属性比较，请改用 cypher`,
      `"${equal.mention.text}" cannot be compared with another property yet; use cypher`,
    );
  // `take all drugs`, 服用所有药品: a path would also find the nodes that take only some of the drugs.
  const takesAll = /^\s*(each other|all|every|each|所有|全部)(?:\s|(?=\p{Script=Han})|[?.]?$)/u;
  const all = terms.relations.find(({ mention }) => takesAll.test(rest.slice(mention.end)));
  if (all) {
    const word = takesAll.exec(rest.slice(all.mention.end))?.[1] ?? '';
    throw new UnplannableError(
      `暂不能判断是否与“${word}”都“${all.mention.text}”；问其中任意一个请去掉“${word}”，或改用 cypher`,
      `Things that do so with all of them ("${word}") cannot be found yet; leave out "${word}" to ask for any of them, or use cypher`,
    );
  }
  const deniesWhether = terms.denials.length > 0 && /吗[?？。\s]*$/.test(terms.text);
  if (deniesWhether || /^(?:(?:is|are|was|were|do|does|did|has|have|had|could|would)n['’]?t|can['’]?t|won['’]?t)\b/.test(terms.text))
    throw new UnplannableError('请不用否定来问“是否”：去掉否定再问', 'Ask whether it is so without a negation');
  const share = /\b(?:share|percentage|proportion|percent|fraction) of\b/.exec(rest);
  // `the discount percentage of order 10248`: `percentage` is part of the name of a property.
  const isOfName = share !== null && terms.properties.some(({ mention: { start, end } }) => start < share.index && share.index < end);
  if (share && !isOfName)
    throw new UnplannableError('暂不能计算占比，请分别问两个数量', 'A share cannot be computed here yet; ask for both numbers');
  if (/\b(?:and|with) their\b|[及和与]其(?![他它余中])|以及它们/.test(rest) && terms.labels.length > 1)
    throw new UnplannableError(
      '暂不能同时列出几种对象，请分开问',
      'Things of two kinds cannot be listed side by side yet; ask for each apart',
    );
  // The last noun means a node that the question names before, such as a policy. A path does not require that both are the same node.
  if (
    anchors.length === 0 &&
    /\bthe [a-z]+ (?:who|that|which) [a-z ]*\bthe (?!most|least|fewest)[a-z]+\s*[?.]?$/.test(rest) &&
    terms.relations.length > 1
  )
    throw new UnplannableError(
      '暂不能要求两处是同一个对象，请改用 cypher',
      'A thing that must be the same in two places cannot be asked for yet; use cypher',
    );
  const group = /[每各](?:[类级](?!别)|届|档|批)/.exec(rest);
  // 各类型 is clear if 类型 is a property, because the group is named.
  const isNamed =
    group && [...terms.labels, ...terms.properties, ...terms.relations].some(({ mention }) => mention.start === group.index + 1);
  if (group && !isNamed && terms.grain === null)
    throw new UnplannableError(
      `不清楚“${group[0]}”按什么分；请写出属性，例如“每个类别”`,
      `It is not clear by what "${group[0]}" groups; name the property`,
    );
  // 除了A，B还有哪些: B was read as excluded, but perhaps only A is.
  const comma = /除了?[^，,]*[，,]/.exec(rest);
  const kept = comma && anchors.find(({ negated, mention }) => negated && mention.start >= comma.index + comma[0].length);
  if (kept)
    throw new UnplannableError(
      `不清楚“${kept.mention.text}”是否也要除去，请分开问`,
      `It is not clear whether "${kept.mention.text}" is left out too; ask for each apart`,
    );
  const byNumber = terms.top === null ? (/\bby (?:the )?number of\b/.exec(rest)?.[0] ?? numberBehindKey(terms)) : undefined;
  if (byNumber !== undefined)
    throw new UnplannableError(
      `不清楚“${byNumber}”怎样排列；请问哪个最多，或按名称问数量，例如“各客户的订单数从高到低”`,
      `It is not clear how "${byNumber}" orders the answer; ask which has the most, or for the number itself, such as "number of orders by customer"`,
    );
  const isWhether = terms.whether !== null && terms.top?.ofTwo !== true;
  if (isWhether && (terms.top !== null || groupLabel(terms) !== null || everything.test(rest)))
    throw new UnplannableError(
      '暂不能判断“是否全部”或“是否最…”，请直接问是哪些',
      'Whether all do, or which does most, cannot be told with yes or no yet; ask which ones do',
    );
  const several = isWhether && anchors.find(({ terms: named }) => named.length > 1);
  if (several)
    throw new UnplannableError(`请分开问“${several.mention.text}”各是否如此`, `Ask about each of "${several.mention.text}" apart`);
  const set = terms.entities.find(({ isSet }) => isSet);
  if (set && (isWhether || terms.top?.ofTwo === true || terms.together !== null))
    throw new UnplannableError(`“${set.mention.text}”指几个，请逐个问`, `"${set.mention.text}" stands for several; ask about each apart`);
  if (deniesTwice(terms))
    throw new UnplannableError('不理解双重否定，请换一种问法', 'A negation of a negation is not understood; ask it without');
  if (addition.test(rest) && !asksForTheRest(terms, rest))
    throw new UnplannableError('不理解“除了……还……”，请分开问', '"Besides" is not understood here; ask for each apart');
}

/** 按 with a label and a word for its number right behind, as in 读者按借阅数从多到少: the label counts, and does not group. */
function numberBehindKey(terms: QuestionTerms): string | undefined {
  const key = numberKeys(terms).find(each => !repeatsCount(terms, each));
  return key && terms.text.slice(key.mark.start, key.count.end);
}

/** Whether a clause has two negations without a name between them. */
function deniesTwice({ text, denials, entities, values }: QuestionTerms): boolean {
  return denials.slice(1).some((second, i) => {
    const [from, to] = [denials[i]?.end ?? 0, second.start];
    const isBetween = ({ mention }: { mention: Mention }): boolean => from <= mention.start && mention.end <= to;
    return (
      !/[,，;；、]|\b(?:and|but|or|nor|who|which|that)\b|[且但也又或的]/.test(text.slice(from, to)) &&
      ![...entities, ...values].some(isBetween)
    );
  });
}

/** Whether the excluded thing has the label that is asked for: `四川省除了成都市还有哪些市`. */
function asksForTheRest({ entities, labels }: QuestionTerms, rest: string): boolean {
  const isAsked = (name: string): boolean => labels.some(({ label }) => label === name);
  return (
    /还有?(?:哪|什么|谁|多少|几)/.test(rest) && entities.some(({ negated, nodes }) => negated && nodes.some(({ label }) => isAsked(label)))
  );
}

/** Whether a place is inside a name, a time or a bound, or between joined names. */
function isInside({ times, compares }: QuestionTerms, anchors: Anchor[], at: number): boolean {
  if ([...times, ...compares].some(({ mention }) => covers(mention, at))) return true;
  return anchors.some(({ mention, join, terms: named }) =>
    join === 'or' ? covers(mention, at) : named.some(term => covers(term.mention, at)),
  );
}

function joinsTimes({ text, times }: QuestionTerms, at: number): boolean {
  const places = times.map(({ mention }) => mention).sort((a, b) => a.start - b.start);
  return places.some((time, i) => {
    const next = places[i + 1];
    return next !== undefined && covers({ start: time.end, end: next.start }, at) && text.slice(time.end, next.start).length < 12;
  });
}

function covers({ start, end }: Pick<Mention, 'start' | 'end'>, at: number): boolean {
  return start <= at && at < end;
}

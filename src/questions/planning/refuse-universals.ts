import { fillPlaces } from '../linking/meaning.js';
import { outsideNames, type QuestionTerms } from '../linking/question-terms.js';
import { groupAnchors } from './anchors.js';
import { UnplannableError } from './question-plan.js';

/** Matches 都 in the sense of "all": `房间都空闲`, but neither `都有哪些`, which asks for a list, nor 首都. */
const allDo = /(?<![成首京古丰花大])都(?![^的，,]{0,40}(?:哪|什么|谁|多少|几|怎))|一律|无一例外/u;
/** Matches 全 right after a noun: `员工全是女性`, `订单全部已取消`. Elsewhere 全 only asks for the whole list. */
const allAre = /^\s*全(?:部|都)?/u;
const predicate = /^[是为已在未没不都]/;
/** Matches a Chinese verb with "all" or "every": `拥有所有房型`, `使用了所有服务`, `评价过每家酒店`. */
const haveAll = /(?:[了过着]|(?<![共还只所])有|包[含括]|具备)\s*(?:所有|全部)|(?:过|拥有)每/u;
/** Matches an English clause about all things of a node: `whose rooms all cost`, `where every room is`. */
const where = /\b(?:whose|where)\b.*?\b(all|every|each)\b/;
/** Matches an English clause with "all" or "every" as its object: `who used all services`, `with all room types`. */
const clause = /\b(?:who|that|which|with|having|by)\b(.*?)\b(all|every)\b/;
/** Matches words before "all" with which "all" only asks for the whole list: `which of all hotels`, `who are all the guests`. */
const wholeList = /\b(?:of|in|from|for|across|over|at|after|above|list|show|give|name)\s*$|^\s*(?:are|were)\s*$/;

/**
 * Refuses a condition on all of several things, because a path finds nodes that meet the condition with any one of these things.
 * @throws UnplannableError
 */
export function refuseUniversals(terms: QuestionTerms): void {
  const word = universalIn(terms);
  if (word === null) return;
  throw new UnplannableError(
    `暂不能判断是否全部都如此（“${word}”）；问其中任意一个请去掉它，或改用 cypher`,
    `A statement about all of them cannot be checked yet ("${word}"); leave the word out to ask for any of them, or use cypher`,
  );
}

function universalIn(terms: QuestionTerms): string | null {
  const rest = outsideNames(terms);
  // `宁波和上海都`: 都 means each of the named things.
  const isOfNamed = groupAnchors(terms).some(({ terms: named }) => named.length > 1);
  const done = isOfNamed ? null : allDo.exec(rest);
  if (done) return done[0];
  const after = saidOfAll(terms);
  if (after !== null) return after;
  const chinese = haveAll.exec(rest);
  if (chinese) return chinese[0].trim();
  // `every month` names a period, so blank it.
  const periods = fillPlaces(rest, terms.grain ? [terms.grain] : []);
  const said = where.exec(periods);
  if (said) return said[1] ?? null;
  const found = clause.exec(periods);
  if (!found) return null;
  const [whole, between = '', word = ''] = found;
  const isVerbBetween = terms.relations.some(({ mention }) => mention.start > found.index && mention.end < found.index + whole.length);
  const isList = wholeList.test(between) && !(isVerbBetween && /\b(?:from|in|for|at|across|over)\s*$/.test(between));
  return isList ? null : word;
}

/** The word 全 between a noun and its predicate; null if there is none. */
function saidOfAll({ text, labels, properties, values }: QuestionTerms): string | null {
  for (const { mention } of [...labels, ...properties]) {
    const word = allAre.exec(text.slice(mention.end))?.[0];
    const end = mention.end + (word?.length ?? 0);
    if (word !== undefined && (predicate.test(text.slice(end)) || values.some(value => value.mention.start === end))) return word.trim();
  }
  return null;
}

import { outsideNames, type QuestionTerms } from '../linking/question-terms.js';
import { groupAnchors } from './anchors.js';
import { UnplannableError } from './question-plan.js';

/** `房间都空闲`, but not `都有哪些`, which asks for a list, nor 首都. */
const allDo = /(?<![成首京古丰花大])都(?![^的]{0,40}(?:哪|什么|谁|多少|几|怎))|一律|无一例外/u;
/** `员工全是女性`, `订单全部已取消`: right after the noun. Further on, or at the end, it says only how far the list goes. */
const allAre = /^\s*(?:全|所有)部?(?=.)(?![\s的?？。，,]*$|的|列|显|展|给|查|[导输]出)/u;
/** `拥有所有房型`, `使用了所有服务`, `评价过每家酒店` */
const haveAll = /(?:[了过着]|(?<![共还只所])有|包[含括]|具备)\s*(?:所有|全部)|(?:过|拥有)每/u;
/** `whose rooms all cost`, `where every room is` */
const where = /\b(?:whose|where)\b.*?\b(all|every|each)\b/;
/** `who used all services`, `with all room types` */
const clause = /\b(?:who|that|which|with|having|by)\b(.*?)\b(all|every)\b/;
/** After these words "all" says only how far the list goes: `which of all hotels`, `who are all the guests`. */
const wholeList = /\b(?:of|in|from|for|across|over|at|after|above|list|show|give|name)\s*$|^\s*(?:are|were)\s*$/;

/**
 * Refuses what is said of all of several things: a path finds what does so with any of them.
 * @throws UnplannableError
 */
export function refuseUniversals(terms: QuestionTerms): void {
  const word = universalIn(terms);
  if (word === null) return;
  throw new UnplannableError(
    `暂不能判断是否全部都如此（“${word}”）；问其中任意一个请去掉它，或改用 cypher`,
    `What is so of all of them cannot be found yet ("${word}"); leave it out to ask for any of them, or use cypher`,
  );
}

function universalIn(terms: QuestionTerms): string | null {
  const rest = outsideNames(terms);
  // `宁波和上海都`: of each that is named.
  const isOfNamed = groupAnchors(terms).some(({ terms: named }) => named.length > 1);
  const done = isOfNamed ? null : allDo.exec(rest);
  if (done) return done[0];
  const nouns = [...terms.labels, ...terms.properties].map(({ mention }) => mention);
  const after = nouns.map(({ end }) => allAre.exec(terms.text.slice(end))).find(match => match !== null);
  const chinese = after ?? haveAll.exec(rest);
  if (chinese) return chinese[0].trim();
  const said = where.exec(rest);
  if (said) return said[1] ?? null;
  const found = clause.exec(rest);
  return found && !wholeList.test(found[1] ?? '') ? (found[2] ?? null) : null;
}

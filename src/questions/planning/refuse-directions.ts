import { normalizeText } from '../../graph-index/tokenize-text.js';
import { type Mention } from '../linking/meaning.js';
import { type Anchor } from './anchors.js';
import { aheadOf, toWords } from './end-prepositions.js';
import { UnplannableError } from './question-plan.js';
import { type Hop, hopsFrom, namesOfRelation, type PlanSchema } from './schema-paths.js';
import { kindsOf, type SchemaWord } from './schema-word.js';

/** Prepositions right before a name, with the words of relations that say the same direction, and those that say the opposite one. */
const directions: readonly { preposition: RegExp; said: RegExp; opposite?: RegExp }[] = [
  {
    preposition: new RegExp(`\\b(${toWords})$`),
    said: /\b(?:to|into|onto|destination|dest|target|arriv|receiv|recipient|consignee|deliver|buyer|customer)|[到至达去往给]|[借运转流送调]入|收[货件款到]|目的|终点/,
    opposite: /\b(?:from|out of|origin|source|sender|seller|supplie[rd]|supply|departs?|left|(?!(?:borrow|receiv|bought|purchas|order|rent|leas|treat|examin)[a-z]* by)[a-z]+ by)\b|[借运转流送调发卖]出|供[应货]|出发|起点|始发|发货|离开/,
  },
  {
    preposition: /\b(under)$/,
    said: /\b(?:under|manag|supervis|head|lead|led|report|belong|parent|part|within|govern|command|direct|subordinate)|[下属管归领导督级]|包含|组成/,
  },
]; // prettier-ignore

/** Matches names of relations that tell another place than `to` does, or who acts: `lives in`, `transfer of`, `payer`. */
const ofOther = /\b(?:in|at|on|of|with|for)$|\b[a-z]{2,}(?:er|or)$/;

/**
 * Refuses `artifacts to Harbor Museum` if the relation at the name does not tell this direction. A relation that leads from the noun to the
 * name and tells no direction fits `to`, as in `trips to Paris`, but not `under`.
 * @param hops the way from the named node to the answer
 * @param words a preposition behind a word for no label belongs to a verb, as in `belong to`
 * @throws UnplannableError
 */
export function refuseDirection(
  text: string,
  { mention, labels }: Anchor,
  hops: Hop[],
  words: readonly SchemaWord[],
  schema: PlanSchema,
): void {
  const ahead = aheadOf({ text }, mention, kindsOf(labels, words));
  for (const { preposition, said, opposite } of directions) {
    const found = preposition.exec(ahead);
    const word = found?.[1];
    const isBehindNoun = ({ labels, mention: { end } }: SchemaWord): boolean =>
      labels.size > 0 && /^\s+$/.test(text.slice(end, found?.index));
    const noun = words.find(isBehindNoun);
    if (word === undefined || noun === undefined) continue;
    const [first] = hops;
    const says = (hop: Hop | undefined, direction: RegExp): boolean =>
      hop !== undefined && namesOfRelation(schema, hop.type).some(own => direction.test(normalizeText(own.replaceAll('_', ' '))));
    if (says(first, said)) continue;
    const leadsThere = first?.direction === 'in' && noun.labels.has(first.to);
    const others = first ? hopsFrom(schema, first.from).filter(hop => leadsTo(hop, noun.labels, schema)) : [];
    if (leadsThere && opposite && !says(first, opposite) && !says(first, ofOther) && !others.some(hop => says(hop, said))) continue;
    throw new UnplannableError(
      `没有关系说明“${word} ${mention.text}”的方向；请写出关系的动词`,
      `No relation on the way tells what "${word}" means before "${mention.text}"; write the verb of the relation`,
    );
  }
}

function leadsTo({ to }: Hop, labels: ReadonlySet<string>, schema: PlanSchema): boolean {
  return labels.has(to) || hopsFrom(schema, to).some(next => labels.has(next.to));
}

const endsWithTo = new RegExp(`\\b(?:${toWords})$`);

/** Matches two directions before one name, of which a path could follow only one. */
const both = new RegExp(
  `(?:\\b(?:from|${toWords})\\s*(?:\\band\\b|[,/&])\\s*(?:from|${toWords})|(?:来?自|[从由到至往])\\s?(?:以?及|[和与并且、/])\\s?(?:来?自|[从由到至往]))$`,
);

/**
 * Refuses two directions of one name, as in `to and from A`, and of names that the question joins, as in `to A or from B`.
 * @param kinds the words for the kind of the named things
 * @throws UnplannableError
 */
export function refuseTwoDirections(text: string, { mention, terms }: Anchor, kinds: readonly Mention[]): void {
  const said = terms.map(term => aheadOf({ text }, term.mention, kinds));
  const from = said.some(ahead => /\bfrom$/.test(ahead));
  const to = said.flatMap(ahead => endsWithTo.exec(ahead)?.[0] ?? [])[0];
  const two = both.exec(said[0] ?? '')?.[0] ?? (from && to !== undefined ? `${to} … from` : undefined);
  if (two === undefined) return;
  throw new UnplannableError(
    `“${two}”是“${mention.text}”的两个方向；请分开问`,
    `"${two}" are two directions of "${mention.text}"; ask for each apart`,
  );
}

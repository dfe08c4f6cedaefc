import { type Mention } from '../linking/meaning.js';
import { type Anchor } from './anchors.js';
import { isWho } from './answer-types.js';
import { bothWays, from, saysIn, to, toWords } from './direction-words.js';
import { aheadOf, beginsWithFrom, type NamePlace, pairedEnd } from './end-prepositions.js';
import { UnplannableError } from './question-plan.js';
import { type Hop, hopsFrom, namesOfRelation, type PlanSchema } from './schema-paths.js';
import { kindsOf, type SchemaWord } from './schema-word.js';

/** The relation at a name to which a preposition joins a noun. */
interface NamedEnd {
  says: (word: RegExp) => boolean;
  /** Whether the relation leads from the named thing: `allergic_to` from Ann to aspirin. */
  isFromName: boolean;
  /** Whether the relation leads from the noun right to the name. */
  leadsThere: boolean;
  /** Whether another relation that joins the two matches. */
  othersSay: (word: RegExp) => boolean;
  /** Whether the relation leads from the named thing right to the noun, which is what the one who gets goods writes: an order. */
  isOrderOfName: boolean;
  /** Whether the noun means persons. */
  isOfPersons: boolean;
}

/** Matches names for the one who gets something, whichever way the relation leads. */
const receiving = /\b(?:receiv|recipient|consignee)|收[货件款到]/;
const getting = new RegExp(`${receiving.source}|\\b(?:buy|bought|purchas|order|borrow|rent|leas)|购买|订购|借阅|[借转]入`);
/** Matches nouns for what comes from the one who gets goods by it: `orders from Alfreds`, if Alfreds purchased them. */
const order = /\b(?:order|purchase|booking|reservation)s?\b|订单|订购单|采购单|预订|预约/i;
const byGetter = /(?:borrow|receiv|bought|purchas|order|rent|leas|treat|examin)[a-z]* by\b/;
const byGiver = new RegExp(`\\b(?!${byGetter.source})[a-z]+ by\\b`);
/** Matches names of relations that tell another place than `to` does, or who acts: `lives in`, `transfer of`, `payer`. */
const ofOther = /\b(?:in|at|on|of|with|for)$|\b[a-z]{2,}(?:er|or)$/;
/** Matches names that lead to their end, although they may also join a part to its whole: `belongs to`, `customer`. */
const ofWhole = /\b(?:belong|assign|regist|attach|report|relat|connect|link)[a-z]* to\b|\b(?:buyer|customer)/;
const visiting = /\bvisit(?:s|ed|ing)\b|\bpayee|\baddressee|游览|访问|参观|拜访/;
const isVerb = /^[a-z]+(?:[^su]s|ed)$/;

/** Prepositions right before a name, with a test whether the relation at the name fits. */
const directions: readonly { preposition: RegExp; fits: (end: NamedEnd | null) => boolean }[] = [
  {
    preposition: new RegExp(`\\b(${toWords})$`),
    fits: end =>
      end !== null &&
      (end.says(end.isFromName ? receiving : to.said) ||
        (end.leadsThere && !end.says(from.said) && !end.says(byGiver) && !end.says(ofOther) && !end.othersSay(to.said))),
  },
  {
    preposition: /\b(under)$/,
    fits: end =>
      end?.says(
        /\b(?:under|manag|supervis|head|lead|led|report|belong|parent|part|within|govern|command|direct|subordinate)|[下属管归领导督级]|包含|组成/,
      ) === true,
  },
  { preposition: /\b(from)$|(来自|从)$/, fits: fitsFrom },
]; // prettier-ignore

/** Whether `from` may name the end: `products from Exotic` for `supplied_by` and `lives_in`, but `trips from Paris` not for `visits`. */
function fitsFrom(end: NamedEnd | null): boolean {
  if (end === null) return true;
  if (end.isFromName) return end.isOrderOfName || (!end.says(getting) && !end.says(to.name));
  if (end.says(from.said) || end.says(byGiver) || end.says(ofWhole)) return true;
  if (end.says(to.said) || end.says(visiting)) return false;
  // A thing does not come from what its verb leads to: `trips` that `visits` Paris. Persons may: `students` that `attends` a school.
  return end.isOfPersons || end.says(ofOther) || !(end.leadsThere && end.says(isVerb));
}

/**
 * Refuses `artifacts to Harbor Museum` if the relation at the name does not tell this direction. A relation that leads from the noun to the
 * name and tells no direction fits `to`, as in `trips to Paris`, but neither `under` nor `from`.
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
  for (const { preposition, fits } of directions) {
    const found = preposition.exec(ahead);
    const word = found?.slice(1).find(each => each !== undefined);
    const noun = found && words.find(each => each.labels.size > 0 && isJoinedBy(text, each.mention, [found.index, ahead.length], mention));
    if (word === undefined || !noun || fits(endOf(hops, noun, schema))) continue;
    throw unsaid(word, mention);
  }
}

const asVerb = /^\s*(?:(?:that|who|which)\s+)?(?:(?:is|are|was|were|come|comes|came)\s+|[都均]?是?)?$/;
const behindName = /^["'”’」》]?\s*(?:这里|那里|来)?的\s*$/;

/** Whether a preposition joins a name to a noun before it, or in Chinese behind the name: 来自A的发票. */
function isJoinedBy(text: string, noun: Mention, [start, end]: [number, number], name: Mention): boolean {
  if (noun.end <= start) return asVerb.test(text.slice(noun.end, start));
  return beginsWithFrom.test(text.slice(0, end)) && behindName.test(text.slice(name.end, noun.start));
}

function endOf([first]: Hop[], noun: SchemaWord, schema: PlanSchema): NamedEnd | null {
  if (!first) return null;
  const says = (type: string, word: RegExp): boolean => saysIn(namesOfRelation(schema, type), word);
  // Many hops may be of one relation, which has the same names for each of them.
  const otherTypes = (): Set<string> =>
    new Set(hopsFrom(schema, first.from).flatMap(hop => (leadsTo(hop, noun.labels, schema) ? [hop.type] : [])));
  return {
    says: word => says(first.type, word),
    isFromName: first.direction === 'out',
    leadsThere: first.direction === 'in' && noun.labels.has(first.to),
    isOrderOfName:
      first.direction === 'out' && noun.labels.has(first.to) && [...noun.labels, noun.mention.text].some(name => order.test(name)),
    othersSay: word => [...otherTypes()].some(type => says(type, word)),
    isOfPersons: [...noun.labels].every(label => isWho(schema, label)),
  };
}

function unsaid(word: string, { text }: Mention): UnplannableError {
  return new UnplannableError(
    `没有关系说明“${word} ${text}”的方向；请写出关系的动词`,
    `No relation on the way tells what "${word}" means before "${text}"; write the verb of the relation`,
  );
}

/**
 * Refuses `referrals from London to Surgery` if relations of the referrals tell both ends, and the way to London tells neither in any words:
 * a patient who lives in London is not an end. It also refuses a way that tells the opposite end.
 * @param place the place of the name, among the words for what is asked for
 * @param others the places of the other names
 * @throws UnplannableError
 */
export function refuseOtherEnd(
  place: NamePlace,
  others: readonly NamePlace[],
  asked: ReadonlySet<string>,
  hops: Hop[],
  schema: PlanSchema,
): void {
  const relations = schema.edges.filter(({ sourceLabel, targetLabel }) => asked.has(sourceLabel) || asked.has(targetLabel));
  const paired = pairedEnd(place, relations);
  const touching = hops.filter(hop => asked.has(hop.from) || asked.has(hop.to));
  const names = touching.flatMap(({ type }) => namesOfRelation(schema, type));
  if (!paired || hops.length === 0 || saysIn(names, paired.end.said)) return;
  const hasBoth = others.some(other => pairedEnd(other, relations)?.end === paired.opposite);
  if (hasBoth || saysIn(names, paired.opposite.name)) throw unsaid(paired.word, place.name);
}

function leadsTo({ to }: Hop, labels: ReadonlySet<string>, schema: PlanSchema): boolean {
  return labels.has(to) || hopsFrom(schema, to).some(next => labels.has(next.to));
}

const endsWithTo = new RegExp(`\\b(?:${toWords})$`);

/**
 * Refuses two directions of one name, as in `to and from A`, and of names that the question joins, as in `to A or from B`.
 * @param kinds the words for the kind of the named things
 * @throws UnplannableError
 */
export function refuseTwoDirections(text: string, { mention, terms }: Anchor, kinds: readonly Mention[]): void {
  const said = terms.map(term => aheadOf({ text }, term.mention, kinds));
  const saysFrom = said.some(ahead => /\bfrom$/.test(ahead));
  const word = said.flatMap(ahead => endsWithTo.exec(ahead)?.[0] ?? [])[0];
  const two = bothWays.exec(said[0] ?? '')?.[0] ?? (saysFrom && word !== undefined ? `${word} … from` : undefined);
  if (two === undefined) return;
  throw new UnplannableError(
    `“${two}”是“${mention.text}”的两个方向；请分开问`,
    `"${two}" are two directions of "${mention.text}"; ask for each apart`,
  );
}

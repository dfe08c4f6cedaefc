import { type LinkedQuestion } from './link-question.js';
import { applyNegations } from './negation.js';
import { fillPlaces, type Intent, intentsOf, isJoined, type MeaningOf, type Mention, meaningOf } from './meaning.js';
import { keepNamedProperties } from './named-properties.js';
import { type PropertyTerm, type QuestionTerms, type ValueTerm } from './question-terms.js';
import { isVerbForm } from './word-roots.js';
import { isEmptied, isOwnText, joinedToEmpty } from './text-conditions.js';

/**
 * Gives each mention one meaning, the first that it has in this order: label, relation, property, time, entity, value, question word.
 * With `namesFirst` a year that is also a name is read as the name.
 */
export function readTerms(linked: LinkedQuestion, namesFirst = false): QuestionTerms {
  const { text, today, mentions } = linked;
  const intent = <K extends Intent['kind']>(kind: K) =>
    mentions.flatMap(mention => {
      const own = mention.meanings[0]?.as === 'intent' ? intentsOf(mention, kind) : null;
      return own ? [{ mention, intent: own }] : [];
    });
  const tops = intent('top');
  const numbers = intent('number');
  const isTrend = ({ text: own }: Mention): boolean => /^(?:趋势|trend)$/.test(own);
  const grains = intent('grain').filter(({ mention }, _, all) => !isTrend(mention) || all.every(other => isTrend(other.mention)));
  const terms: QuestionTerms = {
    text,
    today,
    together: findTogether(text, mentions),
    labels: [],
    entities: [],
    relations: [],
    properties: [],
    values: [],
    times: [],
    compares: [
      ...intent('compare').map(({ mention, intent: { operator, value } }) => ({ mention, operator, value })),
      ...intent('between').flatMap(({ mention, intent: { low, high } }) => [
        { mention, operator: '>=' as const, value: low },
        { mention, operator: '<=' as const, value: high },
      ]),
    ],
    texts: intent('text').map(({ mention, intent: { operator, values, isDenied } }) => ({
      mention,
      operator,
      values,
      isDenied,
      property: null,
    })),
    top:
      tops.map(({ mention, intent: { descending, count, by = null, ofTwo = false } }) => ({
        mention,
        descending,
        count: count ?? numbers[0]?.intent.value ?? null,
        by,
        ofTwo,
      }))[0] ?? null,
    whether: intent('whether')[0]?.mention ?? null,
    counts: intent('count').map(({ mention }) => mention),
    groups: intent('group').flatMap(({ mention }) => (isAgentMark(text, mention, mentions) ? [] : mention)),
    whichs: intent('which').map(({ mention }) => mention),
    aggregate: intent('aggregate').map(({ mention, intent: own }) => ({ mention, function: own.function }))[0] ?? null,
    orders: intent('order').map(({ mention, intent: { descending } }) => ({ mention, descending })),
    statistic: intent('statistic')[0]?.mention ?? null,
    grain: grains[0]?.mention ?? null,
    than: intent('than')[0]?.mention ?? null,
    further: [
      ...tops.slice(1).filter(top => !isAgain(top.intent, tops[0]?.intent)),
      ...intent('aggregate').slice(1),
      ...intent('than').slice(1),
      ...grains.slice(1).filter(other => other.intent.grain !== grains[0]?.intent.grain),
      ...numbers.slice(tops.some(top => top.intent.count === null) ? 1 : 0),
    ].map(({ mention }) => mention),
    negations: [],
    denials: intent('negation').map(({ mention }) => mention),
  };
  const booleans: ValueTerm[] = [];
  for (const mention of mentions) {
    const label = meaningOf(mention, 'label');
    const relation = meaningOf(mention, 'relation');
    const owners = mention.meanings.filter(meaning => meaning.as === 'property');
    const entity = meaningOf(mention, 'entity');
    const values = mention.meanings.filter(meaning => meaning.as === 'value');
    const time = meaningOf(mention, 'time');
    if (label && !(values.length > 0 && isValueNotLabel(text, mention, values, mentions)))
      terms.labels.push({ mention, label: label.label });
    else if (relation && !(relation.part && isOfLabel(text, mention, owners, mentions)) && !followsOwner(text, mention, values, mentions))
      terms.relations.push({ mention, type: relation.type });
    else if (owners.length > 0 && isCondition(text, mention, owners, mentions)) {
      const term = { mention, values: owners.map(isTrue), negated: false };
      booleans.push(term);
      terms.values.push(term);
    } else if (owners.length > 0) terms.properties.push({ mention, owners });
    else if (time && !(namesFirst && (entity || values.length > 0)))
      terms.times.push({ mention, ...time.span, ...(time.isYearAssumed && { isYearAssumed: time.isYearAssumed }) });
    else if (entity && !(values.length > 0 && isOtherValue(text, mention, entity, values, mentions))) {
      const { nodes, approximate, isSet } = entity;
      terms.entities.push({ mention, nodes, approximate, ...(isSet && { isSet }), negated: false });
    } else if (values.length > 0) terms.values.push({ mention, values, negated: false });
  }
  // Drop `number of` in `the phone number of X`: it belongs to the property and counts nothing.
  terms.counts = terms.counts.filter(
    count => !/^number of$/.test(count.text) || !terms.properties.some(({ mention }) => text.slice(mention.end, count.start) === ' '),
  );
  const blank = fillPlaces(
    text,
    terms.labels.map(({ mention }) => mention),
  );
  const emptied: typeof terms.texts = [];
  for (const term of terms.texts) {
    const isOwn = ({ mention }: PropertyTerm): boolean =>
      term.operator === 'IS NULL' ? isEmptied(mention, text, term.mention) : isOwnText(mention, text, term.mention.start);
    term.property = terms.properties.find(isOwn) ?? null;
    if (term.operator === 'IS NULL' && term.property) {
      const joined = joinedToEmpty(text, blank, term.property, terms.properties);
      if (joined) emptied.push(...joined.map(property => ({ ...term, property })));
      else term.property = null;
    }
    terms.properties = terms.properties.filter(own => own !== term.property);
  }
  terms.properties = terms.properties.filter(own => !emptied.some(({ property }) => property === own));
  terms.texts.push(...emptied);
  keepNamedProperties(text, terms);
  const read = absorbAppositions(text, terms);
  const negations = applyNegations(linked, read);
  // `have not received dangerous shipments` denies the receiving, not that a shipment is dangerous.
  const isOfRelation = ({ mention }: ValueTerm): boolean => {
    const denial = terms.denials.findLast(({ end }) => end <= mention.start);
    return denial !== undefined && terms.relations.some(({ mention: own }) => own.start >= denial.end && own.end <= mention.start);
  };
  for (const term of booleans.filter(each => each.negated && !isOfRelation(each))) {
    term.negated = false;
    term.values = term.values.map(value => ({ ...value, value: 'false' }));
  }
  return { ...read, negations };
}

/**
 * Whether the name of a boolean property is a condition: `在职的医生`, `active doctors`. The name is not a condition if the question asks for
 * the value of the property (`孙刚的在职`) or lists the property beside other properties.
 */
function isCondition(text: string, mention: Mention, owners: MeaningOf<'property'>[], mentions: Mention[]): boolean {
  if (!owners.every(({ type, owner }) => type === 'boolean' && owner === 'node')) return false;
  const before = mentions.filter(({ end }) => end <= mention.start).at(-1);
  const after = mentions.find(({ start }) => start >= mention.end);
  const isGrouped =
    before !== undefined &&
    intentsOf(before, 'group') !== null &&
    !isAgentMark(text, before, mentions) &&
    /^\s*$/.test(text.slice(before.end, mention.start));
  const isBeforeLabel = after !== undefined && meaningOf(after, 'label') !== null && /^\s?的?$/.test(text.slice(mention.end, after.start));
  // `孙刚在职吗` asks for the value, but `孙刚是在职医生吗` asks whether he is one of the active doctors.
  const isAsked =
    !isBeforeLabel &&
    mentions.some(other => intentsOf(other, 'whether')) &&
    mentions.some(other => meaningOf(other, 'entity')?.nodes.some(({ label }) => owners.some(({ ownerName }) => ownerName === label)));
  if (isGrouped || isAsked || /(?:是否|\bwhether\b[^,]*)\s*$/.test(text.slice(0, mention.start))) return false;
  const labelsBefore = before?.meanings.flatMap(meaning => (meaning.as === 'label' ? meaning.label : meaning.as === 'entity' ? meaning.nodes.map(({ label }) => label) : [])) ?? []; // prettier-ignore
  const isOfName =
    !isBeforeLabel &&
    before !== undefined &&
    owners.some(({ ownerName }) => labelsBefore.includes(ownerName)) &&
    /^\s*的$|^['’]s?\s*$/.test(text.slice(before.end, mention.start));
  const isListed = [before, after].some(
    other =>
      other !== undefined &&
      meaningOf(other, 'property') !== null &&
      /^\s*(?:[,，、]|和|与|及|以及|\band\b)\s*$/.test(text.slice(Math.min(other.end, mention.end), Math.max(other.start, mention.start))),
  );
  return (
    !isOfName &&
    !isListed &&
    !/^\s*(?:是什么|是多少|值|情况|状态|不?[是为]?空|非空|\b(?:of|for)\b|(?:is|are) (?:not )?(?:null|empty|missing|blank)\b)/.test(
      text.slice(mention.end),
    )
  );
}

/** Whether a word for a boolean stands right before its label, though the word is also part of a relation's name: `hub airports`. */
function isOfLabel(text: string, mention: Mention, owners: MeaningOf<'property'>[], mentions: Mention[]): boolean {
  const after = mentions.find(({ start }) => isJoined(text, mention.end, start));
  const label = after && meaningOf(after, 'label')?.label;
  return owners.some(({ ownerName }) => ownerName === label) && isCondition(text, mention, owners, mentions);
}

/** Whether a value that is called like a relation stands right after its own property: 职级是副驾驶, `the rank captain`. */
function followsOwner(text: string, { start }: Mention, values: MeaningOf<'value'>[], mentions: Mention[]): boolean {
  return mentions.some(
    ({ end, meanings }) =>
      end <= start &&
      /^\s*(?:不?[是为]|(?:is|are|was|were|=)(?: not)?)?\s*$/.test(text.slice(end, start)) &&
      meanings.some(meaning => meaning.as === 'property' && values.some(({ property }) => property === meaning.property)),
  );
}

/** Whether a name is a value of the property before it, though an entity has the same name: `orders whose ship city is Berlin`. */
function isOtherValue(
  text: string,
  mention: Mention,
  { nodes }: MeaningOf<'entity'>,
  values: MeaningOf<'value'>[],
  mentions: Mention[],
): boolean {
  return followsOwner(
    text,
    mention,
    values.filter(value => !nodes.some(({ label }) => label === value.label)),
    mentions,
  );
}

/** Whether a word is a value instead of the label with the same name: `bookings through Booking`, `channel Booking`. */
function isValueNotLabel(text: string, mention: Mention, values: MeaningOf<'value'>[], mentions: Mention[]): boolean {
  const label = meaningOf(mention, 'label')?.label;
  const isOwner = (other: Mention): boolean =>
    other.meanings.some(meaning => meaning.as === 'property' && values.some(({ property }) => property === meaning.property)) &&
    /^\s*(?:是|为|is|=)?\s*$/.test(
      other.end <= mention.start ? text.slice(other.end, mention.start) : text.slice(mention.end, other.start),
    );
  const isAgain = mentions.some(
    other =>
      other.start > mention.end &&
      meaningOf(other, 'label')?.label === label &&
      /^[^,，]{0,20}$/.test(text.slice(mention.end, other.start)),
  );
  return isAgain || mentions.some(isOwner) || /(?:通过|经由|\b(?:through|via))\s*$/.test(text.slice(0, mention.start));
}

function isTrue({ ownerName, property }: MeaningOf<'property'>): MeaningOf<'value'> {
  return { as: 'value', label: ownerName, property, value: 'true' };
}

/**
 * Whether "by" only belongs to the relation before it and does not group: `placed by customers`. Behind a label that is called like the
 * relation it groups or sorts by a property of the label (`orders by freight`), or by a label alone: `number of orders by customer`.
 */
function isAgentMark(text: string, { text: own, start, end }: Mention, mentions: Mention[]): boolean {
  const before =
    own === 'by' &&
    mentions.find(mention => meaningOf(mention, 'relation') && mention.end <= start && text.slice(mention.end, start) === ' ');
  if (!before) return false;
  const label = isVerbForm(before.text) ? undefined : meaningOf(before, 'label')?.label;
  const next = mentions.find(mention => mention.start >= end && /^ (?:(?:the|their) )?$/.test(text.slice(end, mention.start)));
  if (label === undefined || !next) return true;
  const isProperty = next.meanings.some(meaning => meaning.as === 'property' && meaning.ownerName === label && meaning.type !== 'boolean');
  const isOne = !/s$/.test(next.text) || mentions.some(mention => intentsOf(mention, 'count'));
  return !isProperty && !(isOne && meaningOf(next, 'label') && next.start === end + 1 && endOfGroup.test(text.slice(next.end)));
}

/** Matches the text behind a label that nothing describes further. */
const endOfGroup = /^\s*(?:$|[,;?.]|in (?:the )?(?:de|a)scending|from (?:high|low)|(?:sorted|ordered|ranked) )/;

/** Whether a ranking only repeats the first ranking: `A的客户多还是B的客户多`. */
function isAgain(top: Extract<Intent, { kind: 'top' }>, first: Extract<Intent, { kind: 'top' }> | undefined): boolean {
  return top.ofTwo === true && first?.ofTwo === true && top.descending === first.descending && top.by === first.by;
}

/** Matches words that ask for all named things at once. It skips 都 in `都有哪些`, which only asks for a list, and in the name 成都. */
const togetherWords =
  /都(?!是?有?(?:哪|什么|多少|几|谁))|(?<![平人日月年户])均(?!价)|既|又|(?<![并而])且|同时|\b(?:both|each of|all of|as well as|simultaneously)\b/;

function findTogether(text: string, mentions: Mention[]): string | null {
  const names = mentions.filter(mention => mention.meanings[0]?.as !== 'intent');
  return togetherWords.exec(fillPlaces(text, names, '/'))?.[0] ?? null;
}

/** Takes out labels that only name the kind of the entity beside them: `客户 ALFKI`, `华东地区`, `supplier Exotic Liquids`. */
function absorbAppositions(text: string, terms: QuestionTerms): QuestionTerms {
  const labels = terms.labels.filter(term => {
    const entity = terms.entities.find(
      candidate => isBeside(text, term.mention, candidate.mention) && candidate.nodes.some(node => node.label === term.label),
    );
    if (entity) entity.nodes = entity.nodes.filter(node => node.label === term.label);
    const value = terms.values.find(
      candidate => isBeside(text, term.mention, candidate.mention) && term.mention.start < candidate.mention.start,
    );
    const isOfValue = value?.values.some(meaning => meaning.property === term.mention.text) ?? false;
    return !entity && !isOfValue;
  });
  return { ...terms, labels };
}

function isBeside(text: string, a: Mention, b: Mention): boolean {
  const between = a.end <= b.start ? text.slice(a.end, b.start) : b.end <= a.start ? text.slice(b.end, a.start) : null;
  return between !== null && /^[\s"'“”‘’《》「」：:#]*$/.test(between);
}

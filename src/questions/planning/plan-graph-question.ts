import { Pace } from '../../common/turns/pace.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { outsideNames } from '../linking/question-terms.js';
import { isDateOrYear, isTime } from '../linking/date-names.js';
import { type MeaningOf, type Mention } from '../linking/meaning.js';
import { isVerbForm } from '../linking/word-roots.js';
import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { groupAnchors } from './anchors.js';
import { isOfType, propertiesOfType } from './answer-types.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { follows, groupLabel, groupProperty, grouping } from './find-groups.js';
import { isNumeric } from '../linking/numerals.js';
import { measuredProperty } from './measures.js';
import { type GraphPlan, toUnplanned, UnplannableError, type Unplanned } from './question-plan.js';
import { type PlanSchema } from './schema-paths.js';
import { isOnlyRelation, isSaidToExist, type SchemaWord } from './schema-word.js';
import { countedValues } from './plan-counts.js';
import { PeriodPlanner } from './plan-periods.js';
import { refuseMisleading } from './refuse-misleading.js';
import { refuseMisplaced } from './refuse-misplaced.js';
import { refuseBareRole, refuseTurned } from './refuse-turned.js';
import { refuseConditionOfGroup } from './refuse-group-conditions.js';
import { refuseDegree } from './refuse-degrees.js';
import { refuseTwoKinds } from './refuse-two-kinds.js';
import { refuseTwoQuestions } from './refuse-two-questions.js';
import { refuseUniversals } from './refuse-universals.js';
import { type Identity, readIdentity, refuseKinds, refuseValueAsThing } from './said-identity.js';
import { refuseUnclearVoice } from './self-relations.js';
import { isTurned, notOrdered, saidOrder, type SortedColumn } from './said-order.js';
import { datesOfVerb } from './verb-dates.js';

/** Number of rows that a ranking fetches beyond the rows asked for, to show ties. */
export const mostTied = 30;

/**
 * Turns a linked question into one Cypher query, or gives the reason why it cannot. Each term of the question must be used: a term
 * without a place in the query makes the plan fail.
 * @param choices tokens by which the user chose among the meanings that an earlier answer offered
 */
export async function planGraphQuestion(
  linked: LinkedQuestion,
  schema: PlanSchema,
  entities: ReadonlyMap<number, AnswerNode>,
  language: Language,
  { pace = new Pace(), choices = [] }: { pace?: Pace; choices?: readonly string[] } = {},
): Promise<GraphPlan | Unplanned> {
  try {
    return await new GraphQuestionPlanner(linked, schema, entities, language, pace, choices).plan();
  } catch (error) {
    return toUnplanned(error);
  }
}

/** A returned property: `text` is Cypher with the name of the column, `place` is Cypher without it, `spoken` is the name in a sentence. */
interface Column extends SortedColumn {
  spoken: string;
  isNumber: boolean;
  isTime: boolean;
}

/** Matches the text between a property and a label that is listed beside it, without names. */
const besideOwned = /^\s*(?:of\s+(?:the\s+)?)?,?\s*(?:and|as well as)\s+(?:the|its|their|his|her)\s+$/;

/** `总共有多少运费` asks for a sum, like 合计, instead of single values. */
const inAll = /总共|一共|共计|\bin total\b|\baltogether\b/;

function countOfRelation({ mention: { text } }: SchemaWord): UnplannableError {
  return new UnplannableError(
    `“${text}”是关系，可能与同一个对象有多次，暂不能直接计数；请问有多少个对象，或改用 cypher`,
    `"${text}" is a relation, which may lead to one thing several times, and cannot be counted yet; ask how many things there are, or use cypher`,
  );
}

function whenItHappened({ text }: Mention, date: string, hasTime: boolean): UnplannableError {
  if (hasTime)
    return new UnplannableError(
      `“${text}”旁边没有时间；请给每个事件各写一个时间，例如“${text}在2025年”`,
      `No time stands beside "${text}"; write a time for each event, such as "${text} in 2025"`,
    );
  return new UnplannableError(
    `“${text}”只与日期“${date}”有关，不清楚这里要问什么；请加上时间，或问“${date}”`,
    `"${text}" only belongs to the date "${date}", and it is not clear what is asked; add a time, or ask for the "${date}"`,
  );
}

function noPlace({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `问的是哪里，而“${text}”只有时间；请写出关系或属性的名称`,
    `The question asks where, and "${text}" only has a time; name the relation or the property`,
  );
}

function sumOf(property: string): UnplannableError {
  return new UnplannableError(
    `问的是总和吗？请问“${property}合计”，或去掉“总共”“一共”`,
    `Is their sum asked for? Ask for the "total ${property}", or leave out "in total"`,
  );
}

function namesOfEach({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `不能为每个“${text}”分别列出，请问其中一个，或改用 cypher`,
    `The things of each "${text}" cannot be listed; ask about one of them, or use cypher`,
  );
}

class GraphQuestionPlanner extends PeriodPlanner {
  async plan(): Promise<GraphPlan> {
    const { terms } = this;
    refuseMisleading(terms);
    refuseMisplaced(terms, this.schema);
    refuseUniversals(terms);
    refuseTwoKinds(terms, this.asked.word);
    refuseTurned(terms, this.words, this.schema, null);
    refuseUnclearVoice(terms.text, this.words, this.schema);
    refuseBareRole(terms, this.words, this.schema);
    refuseTwoQuestions(terms);
    refuseDegree(terms);
    refuseConditionOfGroup(terms, this.words);
    const identity = readIdentity(terms, this.words);
    if (identity) return this.identify(identity);
    refuseKinds(terms);
    refuseValueAsThing(terms, this.words, this.schema);
    const period = this.periodToGroupBy();
    if (period) return this.byPeriod(period);
    const group = groupLabel(terms);
    const counted = this.thresholds.find(threshold => threshold.counted);
    if (terms.top) {
      if (this.asksLastOfRelation()) return this.lastOfRelation();
      const measured = measuredProperty(this.schema, terms, this.words, this.thresholds, true);
      if (measured && !this.ranksByNumber(measured.word) && isTurned(terms.top.mention, measured.property))
        terms.top = { ...terms.top, descending: !terms.top.descending, isTurned: true };
      if (terms.top.ofTwo) return this.compare(measured);
      if (terms.aggregate && measured) return this.aggregateOver(terms.aggregate.function, measured, this.rankedBeside(measured));
      return measured && !this.ranksByNumber(measured.word) ? this.rankByProperty(measured) : this.rankByCount();
    }
    if (counted) return this.countAbove(counted);
    const measured = terms.aggregate && measuredProperty(this.schema, terms, this.words, this.thresholds, false);
    if (group && terms.aggregate && measured) return this.aggregateByGroup(terms.aggregate.function, measured, this.wordOf(group.mention));
    if (group && this.asksForNames(group.mention)) throw namesOfEach(group.mention);
    if (group) return this.countByGroup(this.wordOf(group.mention));
    if (terms.aggregate && measured) return this.aggregate(terms.aggregate.function, measured);
    const { word } = this.asked;
    if (terms.counts.length > 0 && word && word.labels.size > 0) return this.count(word);
    if (terms.counts.length > 0 && word === null) {
      const label = this.words.find(({ labels }) => labels.size > 0);
      if (label) return this.count(label);
    }
    const kind = countedValues(terms, this.words);
    if (kind) return this.countValues(kind);
    const relation = this.words.find(isOnlyRelation);
    if (terms.counts.length > 0 && relation && this.words.every(isOnlyRelation)) throw countOfRelation(relation);
    return this.list();
  }

  /** Plans `Who is X?` as the node X, and `Is X a product?` as whether the node X has the label. */
  private identify({ term, label }: Identity): GraphPlan {
    if (label !== null) {
      const fit = term.nodes.filter(node => node.label === label);
      if (fit.length > 0) term.nodes = fit;
    }
    const writer = this.itself(term);
    const shape = { kind: 'identity' as const, subject: this.spokenLabel(writer.target), measure: null, spoken: [], descending: false };
    const plan = this.done(writer, `RETURN t${label === null ? '' : `, t:${quoteName(label)} AS ${quoteName(label)}`}`, shape);
    return { ...plan, shape: { ...plan.shape, whether: label !== null } };
  }

  /** Whether a question with groups asks for names instead of numbers: `各科室的医生是谁`, `list the doctors of each department`. */
  private asksForNames({ start }: Mention): boolean {
    const { counts, groups, whichs } = this.terms;
    const isEach = groups.some(({ text: word, end }) => end <= start && /^(?:[每各]|(?:for )?(?:each|every)$)/.test(word));
    const asks = whichs.some(({ text: word }) => /^(?:who|whom|which|谁|哪些|what)/.test(word));
    return counts.length === 0 && (asks || isEach);
  }

  private async list(): Promise<GraphPlan> {
    this.use({ property: () => true, lists: true, order: true });
    // `Did Anna direct Solaris` asks whether one of the named things leads to the other.
    const named = groupAnchors(this.terms);
    const last = this.terms.whether && this.asked.word === null && named.length > 1 ? named.at(-1) : undefined;
    const target = last?.labels.length === 1 ? (last.labels[0] ?? null) : null;
    const writer = await this.read({ asked: this.asked, target, endsAt: target === null ? null : (last?.mention ?? null) });
    this.requireKindOfValue(writer.target);
    this.refuseCompound();
    this.refuseSideBySide(writer.target);
    const columns = this.projected(writer);
    const element = this.labelOf(writer.target);
    if (!columns.some(({ isTime }) => isTime) && !(element && isOfType(element, 'when'))) this.refusePeriod();
    if (inAll.test(outsideNames(this.terms)) && columns.some(({ isNumber }) => isNumber)) throw sumOf(columns[0]?.spoken ?? '');
    const order = saidOrder(this.terms, columns);
    if (this.asksForValues(columns, writer.target)) return this.values(writer, columns);
    const { word } = this.asked;
    // 明光商贸的行业 asks for a value: 行业 is a label, but is read here as the property with the same name.
    const hasLabel =
      word !== null && word.labels.size > 0 && (columns.length === 0 || word.labels.has(writer.target) || word.properties.length === 0);
    const isProperty = !hasLabel && columns.length > 0;
    const isEntity = !hasLabel && columns.length === 0 && writer.edges.length === 0 && this.asked.type === null;
    if (columns.length === 0 && writer.edges.length === 0 && this.terms.entities.length > 0) this.refuseIdentity();
    const kind = isProperty ? 'property' : isEntity ? 'entity' : 'list';
    const sorted = order ? ` ORDER BY ${order}${this.thenDisplay(writer.target)}` : this.displayOrder(writer);
    const returns = `RETURN DISTINCT t${columns.map(({ text }) => `, ${text}`).join('')}${sorted}`;
    const plan = this.done(writer, returns, {
      kind,
      subject: this.subjectOf(hasLabel ? this.asked.word : null, writer.target),
      measure: columns[0]?.spoken ?? null,
      spoken: columns.map(({ spoken }) => spoken),
      descending: false,
    });
    return { ...plan, wantsOne: this.wantsOne() };
  }

  /** Refuses `How much is X?` and `Whose claim is X?`: returning the node X would not answer these questions. */
  private refuseIdentity(): void {
    const asking = /\bhow (?:much|old|long|big|far|often)\b|\bwhose\b|多少|多大|多久|怎么/.exec(outsideNames(this.terms));
    if (asking)
      throw new UnplannableError(
        `不清楚“${asking[0]}”问的是哪个属性，请写出属性`,
        `It is not clear which property "${asking[0]}" asks for; name it`,
      );
  }

  /** Refuses a label listed beside a property of another label: 订单的客人和金额, `the price of Emma, and its author`. */
  private refuseSideBySide(target: string): void {
    const { text } = this.terms;
    const blank = outsideNames(this.terms);
    const isOwned = ({ labels, properties }: SchemaWord): boolean => labels.size === 0 && properties.length > 0;
    const side = this.words.find(({ labels, mention }, i) => {
      if (labels.size === 0 || labels.has(target)) return false;
      const [before, next] = [this.words[i - 1], this.words[i + 1]];
      const isBehind = before && isOwned(before) && besideOwned.test(blank.slice(before.mention.end, mention.start));
      return isBehind === true || (next && isOwned(next) && /^\s*(?:和|与|及|以及|、|and)\s*$/.test(text.slice(mention.end, next.mention.start))); // prettier-ignore
    });
    if (!side) return;
    throw new UnplannableError(
      `不能在同一答案中并列“${side.mention.text}”与其他对象的属性，请分开问`,
      `"${side.mention.text}" cannot be listed beside a property of something else yet; ask for each apart`,
    );
  }

  /** Refuses `department heads`: the phrase means persons who head departments, but would be read as departments. */
  private refuseCompound(): void {
    const { word } = this.asked;
    const { text } = this.terms;
    if (!word || word.labels.size === 0) return;
    const noun = this.words.find(({ mention }) => mention.start - word.mention.end === 1 && /^[a-z]+s$/.test(mention.text));
    const goesOn = /^\s*(?:[?.!]|$|(?:are|is|were|was|who|that|have|has|had|with|earn)\b)/;
    if (!noun || !isOnlyRelation(noun) || isVerbForm(noun.mention.text) || !goesOn.test(text.slice(noun.mention.end))) return;
    throw new UnplannableError(
      `不清楚“${word.mention.text} ${noun.mention.text}”指谁；请写明，例如“which … ${noun.mention.text} a ${word.mention.text}”`,
      `It is not clear who "${word.mention.text} ${noun.mention.text}" are; ask for whoever it is that ${noun.mention.text}`,
    );
  }

  /** Refuses a target other than the things that have the named value: `有哪些后卫` asks for players with the value 后卫. */
  private requireKindOfValue(target: string): void {
    const { text, whichs, values } = this.terms;
    const named = values.find(({ mention }) =>
      whichs.some(({ end }) => text.slice(end, mention.start).trim() === '' && end <= mention.start),
    );
    if (!named || this.asked.word === null || named.values.some(({ label }) => label === target)) return;
    const { mention } = named;
    // `哪些德国客户`: the question asks for the label behind the value.
    const isBeforeLabel = this.words.some(word => word.labels.size > 0 && follows(word.mention, mention));
    const label = named.values[0]?.label ?? '';
    if (!isBeforeLabel)
      throw new UnplannableError(
        `问的是“${mention.text}”吗？请写明，例如“${mention.text}的${label}”`,
        `Is it "${mention.text}" that is asked for? Say so, such as "${mention.text} ${label}"`,
      );
  }

  private wantsOne(): boolean {
    const { word, type } = this.asked;
    return type === 'when' || (word !== null && type !== null && /^[a-z]*[a-rt-z]$/.test(word.mention.text));
  }

  /** Whether a question asks for values of a property instead of for their owners: `which countries do the suppliers come from`. */
  private asksForValues(columns: Column[], target: string): boolean {
    const { terms, asked } = this;
    const { word } = asked;
    if (!word || word.labels.size > 0 || word.properties.length === 0 || columns.length !== 1) return false;
    if (terms.entities.some(({ nodes }) => nodes.some(({ label }) => label === target))) return false;
    // `list the doctor titles`: the label stands right before the property.
    const isCompound = this.words.some(
      ({ labels, mention }) =>
        labels.has(target) && /^ ?$/.test(terms.text.slice(mention.end, word.mention.start)) && mention.end <= word.mention.start,
    );
    return (
      (isCompound && columns[0]?.isNumber === false) ||
      terms.whichs.some(({ end }) => terms.text.slice(end, word.mention.start).trim() === '')
    );
  }

  private values(writer: CypherWriter, [column]: Column[]): GraphPlan {
    const [order] = this.terms.orders;
    if (order) throw notOrdered(order.mention);
    const { text = '', place = '', spoken = '' } = column ?? {};
    writer.where(`${place} IS NOT NULL`);
    const shape = { kind: 'list' as const, subject: spoken, measure: null, spoken: [], descending: false };
    return this.done(writer, `RETURN DISTINCT ${text} ORDER BY ${text.slice(place.length + ' AS '.length)}`, shape);
  }

  private async count(target: SchemaWord): Promise<GraphPlan> {
    const label = this.onlyLabel(target);
    const group = groupProperty(this.terms, label);
    this.use({
      ...grouping(this.terms, group),
      property: term => this.isLimit(term.mention) || (group !== null && term.owners.includes(group)),
      counts: true,
      order: group !== null && this.isInOrder(null, true),
    });
    const writer = await this.read({ asked: { word: target, type: null }, without: group ? this.wordsOfProperty(group) : [] });
    const name = this.language === 'zh' ? '数量' : 'count';
    if (group) {
      const counted = this.spokenLabel(label);
      const measure = this.numberOf(counted);
      return this.byProperty(writer, group, { expression: 'count(DISTINCT t)', name }, measure);
    }
    const shape = { kind: 'count' as const, subject: this.subjectOf(target, writer.target), measure: null, spoken: [], descending: false };
    return this.done(writer, `RETURN count(DISTINCT t) AS ${name}`, shape);
  }

  /** The columns: named properties of the target and of the edges on the way. A property named twice is one column. */
  private projected(writer: CypherWriter): Column[] {
    const columns = new Map<string, Column>();
    const add = (variable: string, property: PropertySchema, mention: Mention | null): void => {
      const { name, type } = property;
      const place = `${variable}.${quoteName(name)}`;
      const text = `${place} AS ${quoteName(name)}`;
      const known = columns.get(name);
      if (known && known.text !== text)
        throw new UnplannableError(
          `“${known.mention.text}”和“${mention?.text ?? name}”同名，请分开问`,
          `"${known.mention.text}" and "${mention?.text ?? name}" have one name: ask apart`,
        );
      if (!known)
        columns.set(name, {
          text,
          place,
          spoken: this.spokenProperty(property, mention ?? undefined),
          isNumber: mention !== null && isNumeric(type),
          isTime: (mention === null && this.asked.type === 'when') || isDateOrYear(property),
          mention: mention ?? { text: name, start: 0, end: 0, meanings: [] },
          property,
        });
    };
    for (const word of this.words) {
      const isPlaced = word.labels.size + word.relations.size > 0 && word !== this.asked.word;
      const isDenied = this.negated.some(({ words }) => words.includes(word));
      if (word.properties.length === 0 || isPlaced || isDenied || this.usedProperties.has(word)) continue;
      const ofTarget = word.properties.find(({ owner, ownerName }) => owner === 'node' && ownerName === writer.target);
      const ofEdge = word.properties.find(({ owner, ownerName }) => owner === 'edge' && writer.follows(ownerName));
      const ofNode = word.properties.find(({ owner, ownerName }) => owner === 'node' && writer.passes(ownerName));
      const owner = ofTarget ?? ofEdge ?? ofNode;
      const variable = ofTarget
        ? 't'
        : ofEdge
          ? writer.edges.find(({ type }) => type === ofEdge.ownerName)?.variable
          : ofNode && writer.variableOf(ofNode.ownerName);
      if (!owner || variable == null) {
        if (word.labels.size > 0) continue;
        throw new UnplannableError(
          `“${word.mention.text}”不是所问对象的属性`,
          `"${word.mention.text}" is not a property of what is asked for`,
        );
      }
      this.refuseTruth(word, owner);
      this.refuseNested(word, owner.owner === 'node' && owner.ownerName === writer.target);
      // `products with any stock`: a number must not be 0, because a stock of 0 counts as missing.
      const isThere = isNumeric(owner.type) ? '<> 0' : 'IS NOT NULL';
      if (isSaidToExist(this.terms.text, word)) writer.where(`${variable}.${quoteName(owner.property)} ${isThere}`);
      else this.refuseUnsaidValue(word, owner);
      if ((owner.isEvent || (isTime(owner) && /^[a-z]+ed$/.test(word.mention.text))) && this.asked.type !== 'when')
        throw whenItHappened(word.mention, owner.property, this.terms.times.length > 0);
      add(variable, this.propertyOf(owner), word.mention);
    }
    const { type, word } = this.asked;
    const only = [...columns.values()];
    if (type === 'where' && word === null && only[0] && only.every(({ isTime }) => isTime)) throw noPlace(only[0].mention);
    const element = this.labelOf(writer.target);
    if (columns.size === 0 && word === null && element && (type === 'when' || type === 'where')) {
      const ofEdge = type === 'when' ? datesOfVerb(this.terms, this.words, writer, this.schema) : [];
      const found = ofEdge.length > 0 ? ofEdge : propertiesOfType(element, type).map(property => ({ variable: 't', property }));
      for (const { variable, property } of found) add(variable, property, null);
    }
    return [...columns.values()];
  }

  /** Refuses a property that limits by an unstated value: `drugs made by the manufacturer of aspirin`, `drugs in stock`. */
  private refuseNested({ mention }: SchemaWord, isOfTarget: boolean): void {
    const { text } = this.terms;
    const { word } = this.asked;
    if (word?.mention === mention) return;
    const isOf = !isOfTarget && word !== null && /^\s+of\s/.test(text.slice(mention.end));
    const isState = /\b(?:in|out of|have|has)\s$/.test(text.slice(0, mention.start)) && /^[a-z]/.test(mention.text);
    if (!isOf && !isState) return;
    throw new UnplannableError(
      `不清楚“${mention.text}”在这里怎样限定；请写出它的值，或先问它的值`,
      `It is not clear how "${mention.text}" limits the answer; give its value, or ask for that first`,
    );
  }

  /** Refuses 等级是优吗 if 优 is not a known value: showing the actual value would not answer whether the value is 优. */
  private refuseUnsaidValue({ mention, relations }: SchemaWord, { type }: MeaningOf<'property'>): void {
    // In `is he certified on A380` the word names a relation and its date, so it is not a question about an unknown value.
    if (this.terms.whether === null || type === 'boolean' || relations.size > 0) return;
    throw new UnplannableError(
      `不清楚“${mention.text}”是否为哪个值；请写出已知的值，或直接问“${mention.text}”`,
      `It is not clear which value of "${mention.text}" is asked about; give one that is known, or ask for the "${mention.text}"`,
    );
  }

  /** Refuses a boolean property that limits the answer instead of being asked for: `players who scored a penalty`, `who is the captain`. */
  private refuseTruth({ mention }: SchemaWord, { owner, type }: MeaningOf<'property'>): void {
    const isCounted = this.terms.counts.length > 0;
    if (type !== 'boolean' || this.terms.whether || (owner === 'node' && this.asked.type !== 'who' && !isCounted)) return;
    throw new UnplannableError(
      `“${mention.text}”的值是是或否，不清楚这里怎样限定，请写明“${mention.text}”为真或为假`,
      `"${mention.text}" is true or false, and it is not clear how it limits the answer; say that it is true or false`,
    );
  }
}

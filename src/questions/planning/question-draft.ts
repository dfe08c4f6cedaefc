import { type Bilingual } from '../../text/bilingual.js';
import { type Pace } from '../../common/turns/pace.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language, languageOf } from '../../text/language.js';
import { type LabelSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type Among, type LinkedQuestion } from '../linking/link-question.js';
import { asksWhichPeriod } from '../linking/asked-time.js';
import { isDateOrYear, isTime } from '../linking/date-names.js';
import { fillPlaces, type MeaningOf, type Mention } from '../linking/meaning.js';
import { languageOfTerms } from '../linking/question-language.js';
import { type EntityTerm, type QuestionTerms, unreadOf } from '../linking/question-terms.js';
import { readTerms } from '../linking/read-terms.js';
import { withoutPreposition } from '../linking/word-forms.js';
import { isVerbForm } from '../linking/word-roots.js';
import { pluralOf, singularOf } from '../linking/noun-forms.js';
import { spokenName, spokenProperty } from '../linking/spoken-name.js';
import { addLimits } from './add-limits.js';
import { groupAnchors, isOneOfTerms } from './anchors.js';
import { addTextLimits } from './add-text-limits.js';
import { askedThings, personsAsked, whyBareVerb } from './bare-verbs.js';
import { CypherWriter, quoteName } from './cypher-writer.js';
import { type Asked, findAsked } from './find-asked.js';
import { follows } from './find-groups.js';
import { isTimeOfEvent, saysHappened } from './happened.js';
import { kindOfValue } from './kind-of-value.js';
import { asDatedEvent, datesOf } from './label-dates.js';
import { readThresholds, type Threshold } from './measures.js';
import { NameChoices } from './name-choices.js';
import { withOwnNames } from './own-names.js';
import { saysExclusion, whyOthers } from './refuse-others.js';
import { whyCurrent, whyDimension, whyUnsaid } from './refuse-unsaid.js';
import { refuseTurned } from './refuse-turned.js';
import { type NegatedPart, negatedParts } from './negated-parts.js';
import { type AnswerShape, type GraphPlan, UnplannableError } from './question-plan.js';
import { readQuestion } from './read-question.js';
import { withRole } from './role-nouns.js';
import { type Hop, type PlanSchema } from './schema-paths.js';
import { endOfQuestion, isOfKind, isRanking, keyMarks, numberKeys, repeatsCount, wholeOrders } from './said-order.js';
import { type SchemaWord, schemaWords, withoutRepeatedObjects } from './schema-word.js';
import { whyNotTraded, whyNoTrader, withTrader } from './trade-verbs.js';
import { namesValue, type Used, whyUnused } from './why-unused.js';

/** A linked question on its way to a plan: its parts, and the methods common to all kinds of plan. */
export abstract class QuestionDraft {
  protected readonly paths: GraphPlan['paths'] = [];

  protected readonly notes: Bilingual[] = [];

  protected readonly terms: QuestionTerms;

  protected readonly words: SchemaWord[];

  /** Language of the grammar: an English question may contain Chinese names. */
  protected readonly grammar: Language;
  protected readonly asked: Asked;

  protected readonly thresholds: Threshold[];

  protected readonly negated: NegatedPart[];

  /** The question's words for things that must exist. */
  private readonly required: string[] = [];

  protected readonly usedProperties = new Set<SchemaWord>();

  protected countedEnd: string | null = null;

  /** The nodes of an earlier answer, if this question asks only about some of them; else null. */
  protected readonly among: Among | null;

  private isLimited = false;

  private isGuessed = false;

  protected readonly choices: NameChoices;

  /** The question with spaces in place of the words that name parts of the graph, and of negations. */
  private readonly unread: string;

  constructor(
    question: LinkedQuestion,
    protected readonly schema: PlanSchema,
    private readonly entities: ReadonlyMap<number, AnswerNode>,
    protected readonly language: Language,
    protected readonly pace: Pace,
    choices: readonly string[],
  ) {
    this.choices = new NameChoices(choices, entities, language);
    const linked = withOwnNames(question, schema);
    this.unread = unreadOf(linked);
    this.among = linked.among ?? null;
    this.terms = readTerms(linked, !hasDates(schema));
    const { terms } = this;
    this.grammar = languageOfTerms(terms);
    const named = new Set([...terms.entities, ...terms.values, ...terms.times].map(({ mention }) => mention));
    const isOfValue = new Set(terms.properties.filter(term => namesValue(terms, term)).map(({ mention }) => mention));
    const mentions = linked.mentions.filter(mention => !named.has(mention) && !isOfValue.has(mention));
    const repeated = numberKeys(terms).flatMap(key => (repeatsCount(terms, key) ? (key.label?.mention ?? []) : []));
    const all = withoutRepeatedObjects(
      terms.text,
      schemaWords(
        terms.text,
        mentions.filter(mention => !repeated.includes(mention)),
      ),
    ).map(word => asDatedEvent(word, terms, schema));
    // `A的订单多还是B的订单多` names the counted things twice.
    const words = terms.top?.ofTwo
      ? all.filter(({ mention: { text } }, i) => all.findIndex(word => word.mention.text === text) === i)
      : all;
    const asking = [...terms.whichs, ...terms.counts, ...(terms.grain && asksWhichPeriod(terms.grain.text) ? [terms.grain] : [])];
    if (asking.length > 0) terms.whether = null;
    // `is A the captain of B` asks neither for A nor for B, so `captain` is read only as a relation.
    const isAboutTwo = terms.whether !== null && groupAnchors(terms).length > 1;
    const roles = isAboutTwo ? words : words.map(word => withRole(terms.text, word, schema));
    const found = kindOfValue(terms, asking, words, schema) ?? findAsked(terms.text, asking, roles, [...named], this.grammar);
    this.asked = withTrader(found, this.unread, { whichs: terms.whichs, words }, schema, language);
    // Only the asked word is read as the persons at the end of its relation. The other words stay as they were.
    const { word: asked } = this.asked;
    this.words = words.map((word, i) => (roles[i] === asked ? asked : word));
    this.thresholds = readThresholds(terms, this.words, schema);
    this.negated = negatedParts(terms, this.words, this.asked.word, this.grammar);
    const reason =
      whyDimension(terms.text, linked.mentions) ??
      whyUnsaid(this.unread, terms.text, linked.mentions) ??
      whyBareVerb(this.unread, schema, personsAsked(this.asked, terms, schema));
    if (reason) throw new UnplannableError(reason.zh, reason.en);
  }

  protected async read(part: {
    asked?: Asked;
    target?: string | null;
    endsAt?: Mention | null;
    without?: SchemaWord[];
    words?: SchemaWord[];
    counted?: Hop[] | null;
  }): Promise<CypherWriter> {
    const limits = new Set([
      ...this.thresholds.flatMap(({ property, counted }) => [property, counted]),
      ...this.negated.flatMap(({ words, excluded }) => (excluded.size > 0 ? [] : words)),
    ]);
    const words = (part.words ?? this.words).filter(word => !part.without?.includes(word) && !limits.has(word));
    const asked = part.asked ?? { word: null, type: null };
    const context = {
      terms: this.terms,
      schema: this.schema,
      entities: this.entities,
      language: this.grammar,
      choices: this.choices,
      pace: this.pace,
    };
    const { writer, paths, notes, required, isGuessed } = await readQuestion(context, {
      words,
      allWords: this.words,
      asked,
      target: part.target ?? null,
      negatedParts: this.negated,
      endsAt: part.endsAt ?? null,
    });
    this.paths.push(...paths);
    this.notes.push(...notes);
    for (const { mention, labels } of required)
      this.required.push(labels.size === 0 ? mention.text : this.language === 'zh' ? `有${mention.text}` : `with ${mention.text}`);
    if (this.among) this.limitTo(writer, this.among);
    this.isGuessed ||= isGuessed;
    if (part.counted) {
      // With further edges in the pattern, a limit would apply to other nodes than the counted nodes.
      if (writer.edges.length > 0) throw countedOfSome();
      this.countedEnd = writer.addPath(part.counted);
    }
    const limited = addLimits(writer, this.terms, this.thresholds, this.words, this.schema, this.choices);
    const texts = addTextLimits(writer, this.terms, this.words, this.schema);
    for (const word of [...limited.used, ...texts]) this.usedProperties.add(word);
    this.notes.push(...limited.notes);
    return writer;
  }

  /** A pattern of the one node that a name means. @throws AmbiguousQuestionError when several nodes have the name */
  protected itself(term: EntityTerm): CypherWriter {
    const { id, label } = this.choices.requireOneAtAll(term);
    const writer = new CypherWriter(label);
    const named = { mention: term.mention, nodes: [{ id, label }], approximate: term.approximate, negated: false };
    writer.where(isOneOfTerms(writer, 't', label, [named], this.schema, this.entities));
    return writer;
  }

  /**
   * Limits a node of the pattern to the nodes of the earlier answer.
   * @throws UnplannableError unless exactly one node of their label is there
   */
  private limitTo(writer: CypherWriter, among: Among): void {
    const { label, nodes } = among;
    const places = writer.target === label ? ['t'] : writer.nodes.filter(node => node.label === label).map(({ variable }) => variable);
    const [place] = places;
    if (place === undefined || places.length > 1) throw notAmong(among);
    this.isLimited = true;
    writer.where(`id(${place}) IN ${writer.parameter(nodes.map(({ id }) => id))}`);
  }

  protected use(used: Partial<Used>): void {
    const unused = whyUnused(this.terms, used);
    if (unused) throw new UnplannableError(unused.zh, unused.en);
  }

  /** Whether a word for a property only limits the answer: in a comparison, a negation or a time. */
  protected isLimit(mention: Mention): boolean {
    const isDenied = this.negated.some(({ words }) => words.some(word => word.mention === mention));
    return (
      isDenied ||
      saysHappened(this.terms, this.wordOf(mention)) ||
      this.thresholds.some(({ property }) => property?.mention === mention) ||
      (this.terms.times.length > 0 && this.isDate(mention))
    );
  }

  /**
   * Whether the order that the question names is the one of the plan: `number of orders by customer in descending order`, 各客户的订单数从高到低.
   * @param key the word for the property by which the plan sorts; null for a number of things
   */
  protected isInOrder(key: Mention | null, isDescending: boolean): boolean {
    const { text, top, labels } = this.terms;
    const [order, other] = wholeOrders(this.terms);
    if (!order || other || isOfKind(order.mention)) return false;
    if (order.descending === null ? !isRanking(order.mention) || !isDescending : order.descending !== isDescending) return false;
    const { start, end } = order.mention;
    const rest = top ? fillPlaces(text, [top.mention, ...labels.map(({ mention }) => mention)]) : text;
    if (!endOfQuestion.test(rest.slice(end))) return false;
    // In Chinese a key behind 按 stands right before the order: 各地区的订单数按地区从高到低.
    const before = this.words.find(({ mention }) => mention.end <= start && /^[\s,，]*$/.test(text.slice(mention.end, start)));
    const isKey = !/^[a-z]/.test(order.mention.text) && keyMarks(this.terms).some(mark => before && follows(before.mention, mark));
    return !isKey || before?.mention === key;
  }

  protected isDate(mention: Mention): boolean {
    return this.words.some(word => word.mention === mention && word.properties.every(isTime));
  }

  protected wordOf(mention: Mention): SchemaWord {
    return this.words.find(word => word.mention === mention) ?? { mention, labels: new Set(), relations: new Set(), properties: [] };
  }

  protected wordsOfProperty(property: MeaningOf<'property'>): SchemaWord[] {
    return this.words.filter(({ properties }) => properties.includes(property));
  }

  protected onlyLabel({ mention, labels }: SchemaWord): string {
    const [label, other] = labels;
    if (label === undefined || other !== undefined)
      throw new UnplannableError(
        `“${mention.text}”可以指：${[...labels].join('、')}，请写明`,
        `"${mention.text}" may mean ${[...labels].join(' or ')}: say which`,
      );
    return label;
  }

  protected labelOf(name: string): LabelSchema | undefined {
    return this.schema.labels.find(label => label.name === name);
  }

  protected subjectOf(target: SchemaWord | null, label: string): string {
    const said =
      target && this.isSpoken(target.mention) && (this.language === 'en' || target.mention.meanings.some(({ as }) => as === 'label'));
    return said ? withoutPreposition(target.mention.text) : this.spokenLabel(label);
  }

  /** The question's own word for a label, else a name of the label in the language of the question. */
  protected spokenLabel(label: string): string {
    const said = this.words.find(({ labels, mention }) => labels.has(label) && this.isSpoken(mention));
    if (said) return withoutPreposition(said.mention.text);
    return spokenName(label, this.labelOf(label)?.aliases ?? [], this.language);
  }

  /**
   * Whether a word can stand for a thing in the sentence: in Chinese any Chinese word, in English any word except a verb. A pronoun for the
   * nodes of an earlier answer cannot.
   */
  private isSpoken({ text }: Mention): boolean {
    if (text === this.among?.text) return false;
    return this.language === 'zh' ? languageOf(text) === 'zh' : !isVerbForm(text);
  }

  /** The pronoun for the nodes of an earlier answer, in the form for use after a preposition: `them`. */
  private spokenSet({ text }: Mention): string {
    return this.language === 'zh' ? text : 'them';
  }

  protected numberOf(spoken: string): string {
    return this.language === 'zh' ? `${spoken}数` : `number of ${pluralOf(spoken)}`;
  }

  /** Words for the number of edges of a relation: `number of times scored`, `number of goals`. */
  protected timesOf({ mention: { text } }: SchemaWord): string {
    return this.language === 'en' && isVerbForm(text) ? `number of times ${text}` : this.numberOf(text);
  }

  /** The question's own word for a property, else the name of the property. */
  protected spokenProperty(property: PropertySchema, said?: Mention): string {
    const isCalled = ({ meanings }: Mention): boolean =>
      meanings.some(meaning => meaning.as === 'property' && meaning.property === property.name && !meaning.isEvent);
    const named = (said ? [said] : this.words.map(({ mention }) => mention)).find(isCalled);
    const isTold = this.language === 'zh' || !isDateOrYear(property) || (named !== undefined && namesTime.test(named.text));
    if (named && isTold && this.isSpoken(named)) return asNamed(named.text, property);
    const spoken = spokenProperty(property, this.language);
    if (this.language === 'zh') return spoken;
    // `opened` alone is not a noun, so add `date`.
    return spoken.replaceAll('_', ' ') + (isDateOrYear(property) && /^[a-z]+ed$/.test(spoken) ? ' date' : '');
  }

  protected spokenGroup(owner: MeaningOf<'property'>): string {
    return this.spokenProperty(this.propertyOf(owner));
  }

  protected propertyOf({ owner, ownerName, property, type }: MeaningOf<'property'>): PropertySchema {
    const { labels, edges } = this.schema;
    const elements = owner === 'node' ? labels.filter(({ name }) => name === ownerName) : edges.filter(edge => edge.type === ownerName);
    return elements.flatMap(({ properties }) => properties).find(({ name }) => name === property) ?? { name: property, type };
  }

  /** ORDER BY that puts the node named in the question last and sorts by display name; '' without a named node and a display property. */
  protected displayOrder({ target, named }: CypherWriter): string {
    const then = this.thenDisplay(target);
    if (named !== null) return ` ORDER BY ${named}${then}`;
    return then === '' ? '' : ` ORDER BY${then.slice(1)}`;
  }

  protected thenDisplay(label: string): string {
    const display = this.labelOf(label)?.displayProperty;
    return display == null || display === '' ? '' : `, t.${quoteName(display)}`;
  }

  protected displayOf({ mention, nodes }: Pick<EntityTerm, 'mention' | 'nodes'>): string {
    return this.entities.get(nodes[0]?.id ?? -1)?.display ?? mention.text;
  }

  /** Refuses words that name nothing in the graph and that the query does not express: 其他, or 买 in a question about suppliers. */
  private refuseUnsaid(writer: CypherWriter, cypher: string): void {
    const { entities, values, labels } = this.terms;
    const excludes = [...entities, ...values].some(({ negated }) => negated) && saysExclusion(this.terms.text);
    const leavesOut = excludes || / <> n\d/.test(cypher);
    const named = new Set([
      writer.target,
      ...labels.map(({ label }) => label),
      ...entities.flatMap(({ nodes }) => nodes.map(({ label }) => label)),
    ]);
    const asked = askedThings(this.terms, named, writer, this.schema);
    const reason =
      (leavesOut ? null : whyOthers(this.unread)) ??
      whyNotTraded(this.unread, named, this.schema) ??
      whyNoTrader(this.unread, asked.labels, asked.onTheWay.labels) ??
      whyBareVerb(this.unread, this.schema, asked) ??
      whyCurrent(this.unread, writer, this.schema);
    if (reason) throw new UnplannableError(reason.zh, reason.en);
  }

  /** Refuses an event that has happened and limits nothing: `customers with the most orders that have been shipped`. */
  private refuseUnlimitedEvent(): void {
    const { terms } = this;
    const isLimited = (word: SchemaWord): boolean =>
      terms.times.length === 0 ? this.usedProperties.has(word) : isTimeOfEvent(terms, word);
    const event = this.words.find(word => saysHappened(terms, word) && !isLimited(word))?.mention.text;
    if (event === undefined) return;
    throw new UnplannableError(
      `“${event}”不能与问题的其余部分一起限定答案，请分开问`,
      `"${event}" cannot limit the answer together with the rest of the question; ask apart`,
    );
  }

  protected done(writer: CypherWriter, returns: string, shape: Omit<AnswerShape, 'of' | 'whether' | 'first'>): GraphPlan {
    this.choices.requireUsed();
    refuseTurned(this.terms, this.words, this.schema, writer.edges.length);
    if (this.among && !this.isLimited) throw notAmong(this.among);
    this.refuseUnlimitedEvent();
    const cypher = writer.text(returns);
    this.refuseUnsaid(writer, cypher);
    const inNegation = new Set(this.negated.flatMap(({ terms, excluded }) => [...terms, ...excluded]).map(({ mention }) => mention));
    const names = [
      ...this.terms.entities
        .filter(({ mention }) => !inNegation.has(mention))
        .map(({ mention, nodes, negated, isSet }) => ({
          name: isSet ? this.spokenSet(mention) : this.displayOf({ mention, nodes }),
          negated,
        })),
      ...this.terms.values
        .filter(({ mention }) => !inNegation.has(mention))
        .map(({ mention, values, negated }) => {
          const value = values[0]?.value ?? 'true';
          const isBoolean = (value === 'true' || value === 'false') && mention.text !== value;
          return { name: isBoolean ? `${mention.text}${value === 'true' ? '' : ' = false'}` : value, negated };
        }),
    ];
    const of = {
      isAmong: this.among !== null,
      named: [...new Set(names.filter(({ negated }) => !negated).map(({ name }) => name))],
      excluded: [...new Set(names.filter(({ negated }) => negated).map(({ name }) => name))],
      times: [...new Set(this.terms.times.map(term => term.mention.text))],
      conditions: [
        ...new Set(this.thresholds.map(threshold => textOfThreshold(threshold, this.terms.text))),
        ...this.terms.texts.map(({ mention, property }) =>
          this.terms.text.slice(
            Math.min(property?.mention.start ?? Infinity, mention.start),
            Math.max(property?.mention.end ?? 0, mention.end),
          ),
        ),
        ...this.negated.map(({ text }) => text),
        ...this.required,
      ],
    };
    const { paths, notes } = this;
    return {
      cypher,
      parameters: writer.parameters,
      shape: { ...shape, of, whether: this.terms.whether !== null, first: null },
      top: null,
      isGuessed: this.isGuessed,
      wantsOne: false,
      paths,
      notes,
      undated: writer.undated(),
    };
  }
}

/** Matches a noun for a time, which shows that a word names a date: `date of birth`, but not `born`. */
const namesTime = /(?:date|day|year|time)s?\b/;

/** A word in the form of the property's name: `salaries` becomes `salary`, but `points` stays if the property is called `points`. */
function asNamed(text: string, { name, column = '' }: PropertySchema): string {
  const names = [name, column].map(own => own.replaceAll('_', ' ').toLowerCase());
  const one = singularOf(text);
  return names.includes(one) ? one : text;
}

function hasDates(schema: PlanSchema): boolean {
  return schema.labels.some(label => datesOf(label).length > 0);
}

/** Text of a comparison, from the word for the compared thing to the number with its unit. */
function textOfThreshold({ mention, property, counted, unit }: Threshold, text: string): string {
  const places = [mention, ...[property, counted].flatMap(word => word?.mention ?? [])];
  return text.slice(Math.min(...places.map(({ start }) => start)), Math.max(unit?.end ?? 0, ...places.map(({ end }) => end)));
}

function notAmong({ text, label }: Among): UnplannableError {
  return new UnplannableError(
    `“${text}”指上一答案中的“${label}”，而问的不是其中之一`,
    `"${text}" stands for "${label}" of the earlier answer, and something else is asked for`,
  );
}

export function countedOfSome(): UnplannableError {
  return new UnplannableError(
    '按数量排名或比较时，暂不支持再用关系另一端的事物限定，请分开问',
    'A ranking or comparison by number cannot be limited by what a relation leads to as well; ask apart',
  );
}

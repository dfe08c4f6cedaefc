import { type Bilingual } from '../../text/bilingual.js';
import { Pace } from '../../common/turns/pace.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { type MeaningOf, type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { readTerms } from '../linking/read-terms.js';
import { spokenName } from '../linking/spoken-name.js';
import { addLimits } from './add-limits.js';
import { type Anchor, groupAnchors, isEntity } from './anchors.js';
import { propertiesOfType } from './answer-types.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { type Asked, findAsked } from './find-asked.js';
import { follows, groupLabel, groupProperty, grouping } from './find-groups.js';
import { type MeasuredProperty, measuredProperty, readThresholds, type Threshold } from './measures.js';
import { NameChoices } from './name-choices.js';
import { type NegatedPart, negatedParts } from './negated-parts.js';
import { AmbiguousQuestionError, type AnswerShape, type GraphPlan, type QuestionChoice, UnplannableError } from './question-plan.js';
import { readQuestion } from './read-question.js';
import { describePath, type Hop, pathsFrom, type PlanSchema } from './schema-paths.js';
import { type SchemaWord, schemaWords } from './schema-word.js';
import { scorePath } from './score-path.js';
import { namesValue, type Used, whyUnused } from './why-unused.js';

const usualTop = 5;
/** As many more than asked for are fetched of a ranking, to show those that tie. */
export const mostTied = 30;

export interface Unplanned {
  reason: Bilingual;
  /** What it may mean, if it may mean several things. */
  choices?: QuestionChoice[];
}

/**
 * Turns a linked question into one Cypher query, or says why it cannot. Nothing that the question names is dropped: a term
 * without a place in the query makes the plan fail.
 * @param choices tokens of an earlier answer that asked back
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
    if (error instanceof UnplannableError) return { reason: error.reason };
    if (error instanceof AmbiguousQuestionError) return { reason: error.reason, choices: error.choices };
    throw error;
  }
}

interface Pattern {
  writer: CypherWriter;
  target: SchemaWord | null;
}

class GraphQuestionPlanner {
  private readonly paths: GraphPlan['paths'] = [];
  private readonly notes: Bilingual[] = [];
  private readonly terms: QuestionTerms;
  private readonly words: SchemaWord[];
  private readonly asked: Asked;
  private readonly thresholds: Threshold[];
  private readonly negated: NegatedPart[];
  private readonly usedProperties = new Set<SchemaWord>();

  constructor(
    linked: LinkedQuestion,
    private readonly schema: PlanSchema,
    private readonly entities: ReadonlyMap<number, AnswerNode>,
    private readonly language: Language,
    private readonly pace: Pace,
    private readonly choices: readonly string[],
  ) {
    this.terms = readTerms(linked, !hasDates(schema));
    const { terms } = this;
    const named = new Set([...terms.entities, ...terms.values, ...terms.times].map(({ mention }) => mention));
    const isOfValue = new Set(terms.properties.filter(term => namesValue(terms, term)).map(({ mention }) => mention));
    this.words = schemaWords(linked.mentions.filter(mention => !named.has(mention) && !isOfValue.has(mention)));
    const asking = [...terms.whichs, ...terms.counts, ...(terms.grain && /which|哪/.test(terms.grain.text) ? [terms.grain] : [])];
    if (asking.length > 0) terms.whether = null;
    this.asked = findAsked(terms.text, asking, this.words, [...named], language);
    this.thresholds = readThresholds(terms, this.words);
    this.negated = negatedParts(terms, this.words, this.asked.word, language);
  }

  async plan(): Promise<GraphPlan> {
    const { terms } = this;
    if (terms.grain && !/which|哪/.test(terms.grain.text))
      throw new UnplannableError('按时间分组需要一个指标', 'Grouping by time needs a metric');
    const group = groupLabel(terms);
    if (group && terms.aggregate)
      throw new UnplannableError('暂不支持按关系另一端分组求平均或合计', 'Averages and sums by what a relation leads to are not supported');
    const counted = this.thresholds.find(threshold => threshold.counted);
    if (terms.top?.ofTwo) this.requireTwo(terms.top.mention);
    if (terms.top) {
      const measured = measuredProperty(this.schema, terms, this.words, this.thresholds, true);
      return measured ? this.rankByProperty(measured) : this.rankByCount();
    }
    if (counted) return this.countAbove(counted);
    if (group) return this.countByGroup(this.wordOf(group.mention));
    const measured = terms.aggregate && measuredProperty(this.schema, terms, this.words, this.thresholds, false);
    if (terms.aggregate && measured) return this.aggregate(terms.aggregate.function, measured);
    const { word } = this.asked;
    if (terms.counts.length > 0 && word && word.labels.size > 0) return this.count(word);
    if (terms.counts.length > 0 && word === null) {
      const label = this.words.find(({ labels }) => labels.size > 0);
      if (label) return this.count(label);
    }
    return this.list();
  }

  private async list(): Promise<GraphPlan> {
    this.use({ property: () => true, lists: true });
    // `Did Anna direct Solaris` asks whether one of the named things leads to the other.
    const named = groupAnchors(this.terms);
    const last = this.terms.whether && this.asked.word === null && named.length > 1 ? named.at(-1) : undefined;
    const target = last?.labels.length === 1 ? (last.labels[0] ?? null) : null;
    const { writer } = await this.read({ asked: this.asked, target });
    const columns = this.projected(writer);
    const hasLabel = this.asked.word !== null && this.asked.word.labels.size > 0;
    const isProperty = !hasLabel && columns.length > 0;
    const isEntity = !hasLabel && columns.length === 0 && writer.edges.length === 0 && this.asked.type === null;
    const kind = isProperty ? 'property' : isEntity ? 'entity' : 'list';
    const returns = `RETURN DISTINCT t${columns.map(({ text }) => `, ${text}`).join('')}${this.displayOrder(writer.target)}`;
    return this.done(writer, returns, {
      kind,
      subject: this.subjectOf(hasLabel ? this.asked.word : null, writer.target),
      measure: columns[0]?.spoken ?? null,
      spoken: columns.map(({ spoken }) => spoken),
      descending: false,
    });
  }

  private async count(target: SchemaWord): Promise<GraphPlan> {
    const label = this.onlyLabel(target);
    const group = groupProperty(this.terms, label);
    this.use({
      ...grouping(this.terms, group),
      property: term => this.isLimit(term.mention) || (group !== null && term.owners.includes(group)),
      counts: true,
    });
    const { writer } = await this.read({ asked: { word: target, type: null }, without: group ? this.wordsOfProperty(group) : [] });
    const name = this.language === 'zh' ? '数量' : 'count';
    if (group) {
      const counted = this.spokenLabel(label);
      const measure = this.language === 'zh' ? `${counted}数` : `number of ${counted}`;
      return this.byProperty(writer, group, { expression: 'count(DISTINCT t)', name }, measure);
    }
    const shape = { kind: 'count' as const, subject: this.subjectOf(target, writer.target), measure: null, spoken: [], descending: false };
    return this.done(writer, `RETURN count(DISTINCT t) AS ${name}`, shape);
  }

  private async aggregate(by: 'avg' | 'sum', { property, label, word }: MeasuredProperty): Promise<GraphPlan> {
    const group = groupProperty(this.terms, label);
    const { groups, property: isGroup } = grouping(this.terms, group);
    this.use({ groups, property: term => isGroup(term) || term.mention === word?.mention || this.isLimit(term.mention), aggregate: true });
    const { writer } = await this.read({
      target: label,
      without: [...(word ? [word] : []), ...(group ? this.wordsOfProperty(group) : [])],
    });
    const name = this.spokenProperty(property);
    const [zh, en] = by === 'avg' ? [`平均${name}`, `average ${name}`] : [`${name}合计`, `total ${name}`];
    const measure = this.language === 'zh' ? zh : en;
    // A path may lead to one node several times; each counts once.
    const value = { expression: `${by}(t.${quoteName(property.name)})`, name: quoteName(measure) };
    const distinct = writer.edges.length > 0 ? 'WITH DISTINCT t ' : '';
    if (group) return this.byProperty(writer, group, value, measure, distinct);
    const shape = { kind: 'aggregate' as const, subject: this.spokenLabel(label), measure, spoken: [], descending: false };
    return this.done(writer, `${distinct}RETURN ${value.expression} AS ${value.name}`, shape);
  }

  private byProperty(
    writer: CypherWriter,
    group: MeaningOf<'property'>,
    value: { expression: string; name: string },
    measure: string,
    before = '',
  ): GraphPlan {
    const name = quoteName(group.property);
    const shape = { kind: 'group' as const, subject: this.spokenGroup(group), measure, spoken: [], descending: true };
    return this.done(
      writer,
      `${before}RETURN t.${name} AS ${name}, ${value.expression} AS ${value.name} ORDER BY ${value.name} DESC, ${name}`,
      shape,
    );
  }

  private async rankByProperty({ label, property, word }: MeasuredProperty): Promise<GraphPlan> {
    const { top } = this.terms;
    this.use({ property: term => term.mention === word?.mention || this.isLimit(term.mention) });
    const asked = this.asked.word;
    if (asked && asked !== word && asked.labels.size > 0 && !asked.labels.has(label)) return this.ofHighest(label, property, word);
    const target = this.words.find(({ labels }) => labels.has(label)) ?? null;
    const { writer } = await this.read({ target: label, asked: { word: target, type: null }, without: word ? [word] : [] });
    const measure = `t.${quoteName(property.name)}`;
    writer.where(`${measure} IS NOT NULL`);
    const name = quoteName(property.name);
    const returns = `RETURN DISTINCT t, ${measure} AS ${name} ORDER BY ${name} ${top?.descending === false ? 'ASC' : 'DESC'}${this.thenDisplay(label)}`;
    return this.ranked(writer, returns, target, label, this.spokenProperty(property));
  }

  /** `运费最高的订单是哪个客户下的`: asks for something of what has the highest value, and shows all if several have it. */
  private async ofHighest(label: string, property: PropertySchema, word: SchemaWord | null): Promise<GraphPlan> {
    const { top, entities, values, times } = this.terms;
    const inner = this.words.find(({ labels }) => labels.has(label));
    if (
      !top ||
      !inner ||
      (top.count ?? 1) !== 1 ||
      entities.length + values.length + times.length > 0 ||
      this.thresholds.length > 0 ||
      this.negated.length > 0
    )
      throw new UnplannableError(
        '排名与其余部分不能一起回答，请分开问',
        'The ranking cannot be answered together with the rest of the question; ask apart',
      );
    const target = this.asked.word;
    const label2 = target ? this.onlyLabel(target) : label;
    const others = this.words.filter(each => each !== word && each !== inner && each !== target);
    const way = this.wayTo(label2, label, others, inner);
    const { writer } = await this.read({ target: label2, words: [] });
    const end = writer.addPath(way);
    const place = `${end}.${quoteName(property.name)}`;
    const from = `MATCH (x:${quoteName(label)}) WITH ${top.descending ? 'max' : 'min'}(x.${quoteName(property.name)}) AS best `;
    writer.where(`${place} = best`);
    const shape = {
      kind: 'rank' as const,
      subject: this.subjectOf(target, label2),
      measure: this.spokenProperty(property),
      spoken: [],
      descending: top.descending,
    };
    const plan = this.done(writer, `RETURN DISTINCT t, ${place} AS ${quoteName(property.name)}${this.displayOrder(label2)}`, shape);
    return { ...plan, cypher: from + plan.cypher };
  }

  private async rankByCount(): Promise<GraphPlan> {
    this.use({ counts: true, property: term => term.mention === this.asked.word?.mention || this.isLimit(term.mention) });
    const { top } = this.terms;
    const { word } = this.asked;
    const labelled = this.words.filter(({ labels }) => labels.size > 0);
    if (top?.ofTwo) return this.compareCounts(labelled);
    if (word && word.labels.size === 0 && word.properties.length > 0 && labelled.length === 1 && labelled[0])
      return this.rankGroups(word, labelled[0]);
    const { target, counted, countedWord } = this.countedPair(labelled);
    const direction = top?.descending === false ? 'ASC' : 'DESC';
    return this.countOver(
      target,
      counted,
      countedWord,
      'rank',
      top?.descending === false,
      end => `RETURN t, count(DISTINCT ${end}) AS n ORDER BY n ${direction}`,
    );
  }

  /** `哪个国家的客户最多`: ranks the values of a property by how many have them. */
  private rankGroups(word: SchemaWord, counted: SchemaWord): Promise<GraphPlan> {
    return this.rankBy(this.groupOf(word, counted), counted, [word]);
  }

  private async rankBy(group: MeaningOf<'property'>, counted: SchemaWord, without: SchemaWord[]): Promise<GraphPlan> {
    const label = this.onlyLabel(counted);
    const { writer } = await this.read({ target: label, asked: { word: counted, type: null }, without });
    const name = quoteName(group.property);
    writer.where(`t.${name} IS NOT NULL`);
    const spoken = this.spokenLabel(label);
    const measure = this.language === 'zh' ? `${spoken}数` : `number of ${spoken}`;
    const direction = this.terms.top?.descending === false ? 'ASC' : 'DESC';
    const returns = `RETURN t.${name} AS ${name}, count(DISTINCT t) AS n ORDER BY n ${direction}, ${name}`;
    return this.ranked(writer, returns, null, this.spokenGroup(group), measure);
  }

  private groupOf(word: SchemaWord, counted: SchemaWord): MeaningOf<'property'> {
    const label = this.onlyLabel(counted);
    const group = word.properties.find(({ owner, ownerName }) => owner === 'node' && ownerName === label);
    if (group) return group;
    throw new UnplannableError(`“${word.mention.text}”不是“${label}”的属性`, `"${word.mention.text}" is not a property of "${label}"`);
  }

  private requireTwo(mention: Mention): Anchor {
    const two = groupAnchors(this.terms).find(({ terms, negated }) => terms.length > 1 && !negated);
    if (two) return two;
    throw new UnplannableError(`不清楚“${mention.text}”比较的是什么`, `It is not clear what "${mention.text}" compares`);
  }

  /** `Brazil和UK哪个国家的客户多`: ranks the named things only. */
  private compareCounts(labelled: SchemaWord[]): Promise<GraphPlan> {
    const { top } = this.terms;
    if (!top) throw new UnplannableError('没有排序', 'Nothing to rank by');
    const two = this.requireTwo(top.mention);
    const [label] = two.labels;
    const counted = labelled.find(({ labels }) => label === undefined || !labels.has(label) || !two.terms.every(isEntity));
    if (label === undefined || (two.labels.length > 1 && two.terms.every(isEntity)) || !counted)
      throw new UnplannableError(`不清楚“${top.mention.text}”比较的是什么`, `It is not clear what "${top.mention.text}" compares`);
    const [first] = two.terms;
    if (first && !isEntity(first)) {
      const value = first.values.find(each => counted.labels.has(each.label));
      if (!value)
        throw new UnplannableError(
          `“${first.mention.text}”不是“${counted.mention.text}”的值`,
          `"${first.mention.text}" is no value of "${counted.mention.text}"`,
        );
      const group = { as: 'property' as const, owner: 'node' as const, ownerName: value.label, property: value.property, type: 'string' };
      return this.rankBy(
        group,
        counted,
        this.words.filter(
          word => word !== counted && word.labels.size === 0 && word.properties.some(({ property }) => property === value.property),
        ),
      );
    }
    const target = labelled.find(({ labels }) => labels.has(label)) ?? {
      mention: two.mention,
      labels: new Set([label]),
      relations: new Set<string>(),
      properties: [],
    };
    const direction = top.descending ? 'DESC' : 'ASC';
    return this.countOver(
      target,
      this.onlyLabel(counted),
      counted,
      'rank',
      true,
      end => `RETURN t, count(DISTINCT ${end}) AS n ORDER BY n ${direction}`,
    );
  }

  private async countByGroup(group: SchemaWord): Promise<GraphPlan> {
    const counted = this.words.find(({ labels }) => labels.size > 0 && [...labels].every(label => !group.labels.has(label)));
    if (!counted) throw new UnplannableError('没有说明要统计什么', 'It is not said what to count');
    this.use({
      counts: true,
      groups: this.terms.groups.filter(word => word.text === '分别' || follows(group.mention, word)),
      property: term => this.isLimit(term.mention),
    });
    return this.countOver(
      group,
      this.onlyLabel(counted),
      counted,
      'group',
      true,
      end => `RETURN t, count(DISTINCT ${end}) AS n ORDER BY n DESC${this.thenDisplay(this.onlyLabel(group))}`,
    );
  }

  /** `customers with more than 20 orders` */
  private async countAbove({ counted, operator, value }: Threshold): Promise<GraphPlan> {
    if (!counted) throw new UnplannableError('没有说明要统计什么', 'It is not said what to count');
    this.use({ counts: true, property: term => this.isLimit(term.mention) });
    const target =
      this.words.find(
        word =>
          word !== counted && word.labels.size > 0 && (word === this.asked.word || this.asked.word === counted || this.asked.word === null),
      ) ?? null;
    if (!target) {
      const word = this.asked.word;
      if (word && word !== counted && word.properties.length > 0) return this.groupsAbove(word, counted, operator, value);
      throw new UnplannableError('不清楚问的是什么', 'It is not clear what is asked for');
    }
    return this.countOver(target, this.onlyLabel(counted), counted, 'list', operator.startsWith('<'), (end, writer) => {
      const limit = writer.parameter(value);
      return `WITH t, count(DISTINCT ${end}) AS n WHERE n ${operator} ${limit} RETURN t, n ORDER BY n DESC${this.thenDisplay(this.onlyLabel(target))}`;
    });
  }

  private async groupsAbove(word: SchemaWord, counted: SchemaWord, operator: string, value: number): Promise<GraphPlan> {
    const label = this.onlyLabel(counted);
    const group = this.groupOf(word, counted);
    this.usedProperties.add(word);
    const { writer } = await this.read({ target: label, asked: { word: counted, type: null }, without: [word] });
    const name = quoteName(group.property);
    const spoken = this.spokenLabel(label);
    const measure = this.language === 'zh' ? `${spoken}数` : `number of ${spoken}`;
    const shape = { kind: 'group' as const, subject: this.spokenGroup(group), measure, spoken: [], descending: true };
    writer.where(`t.${name} IS NOT NULL`);
    return this.done(
      writer,
      `WITH t.${name} AS ${name}, count(DISTINCT t) AS n WHERE n ${operator} ${writer.parameter(value)} RETURN ${name}, n ORDER BY n DESC, ${name}`,
      shape,
    );
  }

  /** Counts what each node of a label leads to. With `orNone` those that lead to nothing count too. */
  private async countOver(
    target: SchemaWord,
    counted: string,
    countedWord: SchemaWord | null,
    kind: 'rank' | 'group' | 'list',
    orNone: boolean,
    returns: (end: string, writer: CypherWriter) => string,
  ): Promise<GraphPlan> {
    const label = this.onlyLabel(target);
    const relations = this.words.filter(word => word.labels.size === 0 && word.relations.size > 0);
    const way = this.wayTo(label, counted, relations, countedWord);
    const onWay = relations.filter(({ relations: types }) => way.some(hop => types.has(hop.type)));
    const { writer } = await this.read({
      target: label,
      asked: { word: target, type: null },
      without: [...onWay, ...(countedWord ? [countedWord] : [])],
      counted: orNone && this.terms.times.length === 0 ? null : way,
    });
    const name = this.spokenLabel(counted);
    const end =
      writer.variableOf(counted) !== null && !(orNone && this.terms.times.length === 0) && counted !== label
        ? (this.countedEnd ?? '')
        : writer.addOptionalPath(way, () => null);
    if (orNone && this.terms.times.length > 0)
      this.notes.push({ zh: `没有“${name}”的未计入`, en: `Those without ${name} are not included` });
    const measure = this.language === 'zh' ? `${name}数` : `number of ${name}`;
    if (kind === 'rank') return this.ranked(writer, returns(end, writer) + this.thenDisplay(label), target, label, measure);
    return this.done(writer, returns(end, writer), { kind, subject: this.subjectOf(target, label), measure, spoken: [], descending: true });
  }

  private countedEnd: string | null = null;

  private ranked(writer: CypherWriter, returns: string, target: SchemaWord | null, label: string, measure: string): GraphPlan {
    const shape = {
      kind: 'rank' as const,
      subject: this.subjectOf(target, label),
      measure,
      spoken: [],
      descending: this.terms.top?.descending ?? true,
    };
    return { ...this.done(writer, returns, shape), top: this.topCount(target) };
  }

  /** The path by which things are counted: the shortest that the words name, if there is only one. */
  private wayTo(from: string, to: string, words: SchemaWord[], asked: SchemaWord | null): Hop[] {
    const scored = [...pathsFrom(this.schema, from)]
      .filter(hops => hops.length > 0 && hops.at(-1)?.to === to)
      .map(hops => ({
        hops,
        score: scorePath(
          { start: from, hops },
          { words: [...words, ...(asked ? [asked] : [])], ofTopic: null, asked, shared: null, namesEnd: () => true },
        ).score,
      }))
      .sort((a, b) => b.score - a.score || a.hops.length - b.hops.length);
    const [best, second] = scored;
    if (!best) throw new UnplannableError(`“${from}”与“${to}”之间没有关系路径`, `No relation leads from "${from}" to "${to}"`);
    this.paths.push(...scored.slice(0, 3).map(({ hops, score }) => ({ path: describePath(hops), score: Math.round(score * 100) / 100 })));
    if (second && best.score - second.score < 0.25)
      throw new UnplannableError(
        `从“${from}”到“${to}”可以经由 ${describePath(best.hops)} 或 ${describePath(second.hops)}，请写明`,
        `"${to}" may be reached from "${from}" by ${describePath(best.hops)} or ${describePath(second.hops)}: say which`,
      );
    return best.hops;
  }

  /** Finds what is ranked and what is counted: `订单最多的客户`, `哪个客户的订单最多`, `which customers placed the most orders`. */
  private countedPair(labelled: SchemaWord[]): { target: SchemaWord; counted: string; countedWord: SchemaWord | null } {
    const at = this.terms.top?.mention.start ?? 0;
    const before = labelled.filter(({ mention }) => mention.end <= at);
    const after = labelled.filter(({ mention }) => mention.start >= at);
    if (labelled.length >= 2) {
      const [target, counted] =
        this.language === 'zh'
          ? [after[0] ?? before.at(-2), before.at(-1) ?? after[1]]
          : before[0]
            ? [before[0], after[0]]
            : [after[0], after[1]];
      if (target && counted && this.onlyLabel(target) !== this.onlyLabel(counted))
        return { target, counted: this.onlyLabel(counted), countedWord: counted };
    }
    const [only] = labelled;
    const relation = this.words.find(({ relations, labels }) => relations.size > 0 && labels.size === 0);
    const ends = only && relation ? [...pathsFrom(this.schema, this.onlyLabel(only))].filter(hops => hops.length === 1 && relation.relations.has(hops[0]?.type ?? '')).flatMap(([hop]) => hop ?? []) : []; // prettier-ignore
    if (only && ends.length === 1 && ends[0]) return { target: only, counted: ends[0].to, countedWord: null };
    throw new UnplannableError('不清楚按什么排序', 'It is not clear what to rank by');
  }

  private async read(part: {
    asked?: Asked;
    target?: string | null;
    without?: SchemaWord[];
    words?: SchemaWord[];
    counted?: Hop[] | null;
  }): Promise<Pattern> {
    const limits = new Set([
      ...this.thresholds.flatMap(({ property, counted }) => [property, counted]),
      ...this.negated.flatMap(({ words }) => words),
    ]);
    const words = (part.words ?? this.words).filter(word => !part.without?.includes(word) && !limits.has(word));
    const asked = part.asked ?? { word: null, type: null };
    const context = {
      terms: this.terms,
      schema: this.schema,
      entities: this.entities,
      language: this.language,
      choices: new NameChoices(this.choices, this.entities),
      pace: this.pace,
    };
    const { writer, paths, notes } = await readQuestion(context, { words, asked, target: part.target ?? null, negatedParts: this.negated });
    this.paths.push(...paths);
    this.notes.push(...notes);
    if (part.counted) this.countedEnd = writer.addPath(part.counted);
    for (const word of addLimits(writer, this.terms, this.thresholds, this.words, this.schema)) this.usedProperties.add(word);
    return { writer, target: asked.word };
  }

  private use(used: Partial<Used>): void {
    const unused = whyUnused(this.terms, used);
    if (unused) throw new UnplannableError(unused.zh, unused.en);
  }

  /** Tells whether a property only says what is compared or when. */
  private isLimit(mention: Mention): boolean {
    return this.thresholds.some(({ property }) => property?.mention === mention) || (this.terms.times.length > 0 && this.isDate(mention));
  }

  private isDate(mention: Mention): boolean {
    return this.words.some(word => word.mention === mention && word.properties.every(({ type }) => /^date/.test(type)));
  }

  private wordOf(mention: Mention): SchemaWord {
    return this.words.find(word => word.mention === mention) ?? { mention, labels: new Set(), relations: new Set(), properties: [] };
  }

  private wordsOfProperty(property: MeaningOf<'property'>): SchemaWord[] {
    return this.words.filter(({ properties }) => properties.includes(property));
  }

  private onlyLabel({ mention, labels }: SchemaWord): string {
    const [label, other] = labels;
    if (label === undefined || other !== undefined)
      throw new UnplannableError(
        `“${mention.text}”可以指：${[...labels].join('、')}，请写明`,
        `"${mention.text}" may mean ${[...labels].join(' or ')}: say which`,
      );
    return label;
  }

  /** The columns: named properties of the target and of the edges on the way. A property named twice is one column. */
  private projected(writer: CypherWriter): { text: string; spoken: string }[] {
    const columns = new Map<string, { text: string; spoken: string; mention: Mention }>();
    const add = (variable: string, property: string, mention: Mention | null): void => {
      const text = `${variable}.${quoteName(property)} AS ${quoteName(property)}`;
      const known = columns.get(property);
      if (known && known.text !== text)
        throw new UnplannableError(
          `“${known.mention.text}”和“${mention?.text ?? property}”同名，请分开问`,
          `"${known.mention.text}" and "${mention?.text ?? property}" have one name: ask apart`,
        );
      const spoken = this.language === 'zh' || mention === null ? property : mention.text;
      if (!known) columns.set(property, { text, spoken, mention: mention ?? { text: property, start: 0, end: 0, meanings: [] } });
    };
    for (const word of this.words) {
      const isPlaced = word.labels.size + word.relations.size > 0 && word !== this.asked.word;
      if (word.properties.length === 0 || isPlaced || this.usedProperties.has(word)) continue;
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
      add(variable, owner.property, word.mention);
    }
    const { type, word } = this.asked;
    const element = this.schema.labels.find(({ name }) => name === writer.target);
    if (columns.size === 0 && word === null && element && (type === 'when' || type === 'where')) {
      const found = propertiesOfType(element, type);
      for (const { name } of found) add('t', name, null);
    }
    return [...columns.values()];
  }

  private topCount(target: SchemaWord | null): number {
    const { top, whichs } = this.terms;
    if (top?.count != null) return top.count;
    const plural = this.language === 'zh' ? whichs.some(mention => /些|几/.test(mention.text)) : /s$/.test(target?.mention.text ?? '');
    return plural ? usualTop : 1;
  }

  private subjectOf(target: SchemaWord | null, label: string): string {
    return this.language === 'zh' ? label : (target?.mention.text ?? this.spokenLabel(label));
  }

  /** The label in the question's words, else by an alias in its language. */
  private spokenLabel(label: string): string {
    const named = this.words.find(({ labels }) => labels.has(label))?.mention.text;
    if (this.language === 'en' && named !== undefined) return named;
    return spokenName(label, this.schema.labels.find(element => element.name === label)?.aliases ?? [], this.language);
  }

  private spokenProperty({ name, column }: PropertySchema): string {
    const named = this.words.find(({ properties }) => properties.some(owner => owner.property === name))?.mention.text;
    if (this.language === 'en' && named !== undefined) return named;
    return spokenName(name, column === undefined ? [] : [column], this.language);
  }

  private spokenGroup({ ownerName, property }: MeaningOf<'property'>): string {
    const found = this.schema.labels.find(({ name }) => name === ownerName)?.properties.find(({ name }) => name === property);
    return found ? this.spokenProperty(found) : property;
  }

  private displayOrder(label: string): string {
    const then = this.thenDisplay(label);
    return then === '' ? '' : ` ORDER BY${then.slice(1)}`;
  }

  private thenDisplay(label: string): string {
    const display = this.schema.labels.find(element => element.name === label)?.displayProperty;
    return display == null || display === '' ? '' : `, t.${quoteName(display)}`;
  }

  private done(writer: CypherWriter, returns: string, shape: Omit<AnswerShape, 'of' | 'whether'>): GraphPlan {
    const names = [
      ...this.terms.entities.map(({ mention, nodes, negated }) => ({
        name: this.entities.get(nodes[0]?.id ?? -1)?.display ?? mention.text,
        negated: negated || this.negated.some(({ terms }) => terms.some(term => term.mention === mention)),
      })),
      ...this.terms.values.map(({ mention, values, negated }) => ({ name: values[0]?.value ?? mention.text, negated })),
    ];
    const of = {
      named: names.filter(({ negated }) => !negated).map(({ name }) => name),
      excluded: names.filter(({ negated }) => negated).map(({ name }) => name),
      times: this.terms.times.map(term => term.mention.text),
    };
    const { paths, notes } = this;
    return {
      cypher: writer.text(returns),
      parameters: writer.parameters,
      shape: { ...shape, of, whether: this.terms.whether !== null },
      top: null,
      paths,
      notes,
    };
  }
}

function hasDates(schema: PlanSchema): boolean {
  return schema.labels.some(({ properties }) => properties.some(({ type }) => type === 'date' || type === 'datetime'));
}

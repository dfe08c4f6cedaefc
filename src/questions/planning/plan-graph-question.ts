import { type Bilingual } from '../../text/bilingual.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { addConstraints, comparedProperty, isNumeric, type PlanSchema, UnplannableError } from './add-constraints.js';
import { CypherWriter, quoteName } from './cypher-writer.js';
import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type MeaningOf, type Mention } from '../linking/meaning.js';
import { whyNegated } from '../linking/negation.js';
import { spokenName } from '../linking/spoken-name.js';
import { follows, grouping, groupLabel, groupProperty } from './find-groups.js';
import { hopsFrom, rankPaths } from './rank-paths.js';
import { namesValue, type Used, whyUnused } from './why-unused.js';
import { type LabelTerm, type PropertyTerm, type QuestionTerms } from '../linking/question-terms.js';

/** The limits of a question, in words. */
export interface Limits {
  named: string[];
  excluded: string[];
  times: string[];
}

/** Says how to put the rows of a planned question into words. */
export interface AnswerShape {
  kind: 'list' | 'count' | 'property' | 'rank' | 'group' | 'aggregate' | 'entity';
  /** The thing that is listed, counted or ranked, in the question's words. */
  subject: string;
  /** The names of its limits. */
  of: Limits;
  /** The measured quantity, in the sentence's words: `平均单价`, `订单数`. */
  measure: string | null;
  /** The names of the columns after the first, in the sentence's words. */
  spoken: string[];
  descending: boolean;
}

export interface GraphPlan {
  cypher: string;
  parameters: Record<string, unknown>;
  shape: AnswerShape;
  paths: { path: string; score: number }[];
  /** Notes on what the plan passes over. */
  notes: Bilingual[];
}

const usualTop = 5;

/**
 * Turns the terms of a question into one Cypher query, or says why it cannot. Nothing that the question names is dropped: a term
 * without a place in the query makes the plan fail.
 */
export function planGraphQuestion(
  terms: QuestionTerms,
  schema: PlanSchema,
  entities: ReadonlyMap<number, AnswerNode>,
  language: Language,
): GraphPlan | { reason: Bilingual } {
  try {
    return new GraphQuestionPlanner(terms, schema, entities, language).plan();
  } catch (error) {
    if (error instanceof UnplannableError) return { reason: error.reason };
    throw error;
  }
}

class GraphQuestionPlanner {
  private readonly paths: { path: string; score: number }[] = [];
  private readonly notes: Bilingual[] = [];

  constructor(
    private readonly terms: QuestionTerms,
    private readonly schema: PlanSchema,
    private readonly entities: ReadonlyMap<number, AnswerNode>,
    private readonly language: Language,
  ) {}

  plan(): GraphPlan {
    const { terms } = this;
    const negation = whyNegated(terms);
    if (negation) throw new UnplannableError(negation.zh, negation.en);
    if (terms.grain) throw new UnplannableError('按时间分组需要一个指标', 'Grouping by time needs a metric');
    if (terms.top) return this.measuredProperty(true) ? this.rankByProperty() : this.rankByCount();
    const group = groupLabel(this.terms);
    if (group && terms.aggregate)
      throw new UnplannableError('暂不支持按关系另一端分组求平均或合计', 'Averages and sums by what a relation leads to are not supported');
    if (group) return this.countByGroup(group);
    if (terms.aggregate && this.measuredProperty(false)) return this.aggregate(terms.aggregate.function);
    const target = this.target();
    if (terms.counts.length > 0 && target && (groupProperty(this.terms, target.label) || !this.isPropertyOf(target)))
      return this.count(target);
    return this.list(target);
  }

  private list(target: LabelTerm | null): GraphPlan {
    const { terms } = this;
    this.use({ property: () => true, lists: true });
    const label = target?.label ?? this.impliedLabel();
    const writer = new CypherWriter(label);
    this.constrain(writer, target);
    const columns = this.projected(writer);
    const isProperty = target === null && columns.length > 0;
    const isEntity = target === null && columns.length === 0 && terms.relations.length === 0;
    const order = this.displayOrder(label);
    const kind = isProperty ? 'property' : isEntity ? 'entity' : 'list';
    const returns = `DISTINCT t${columns.map(({ text }) => `, ${text}`).join('')}${order}`;
    return this.done(writer, returns, {
      kind,
      subject: this.subjectOf(target, label),
      measure: columns[0]?.spoken ?? null,
      spoken: columns.map(({ spoken }) => spoken),
      descending: false,
    });
  }

  private count(target: LabelTerm): GraphPlan {
    const group = groupProperty(this.terms, target.label);
    this.use({ ...grouping(this.terms, group), counts: true });
    const writer = new CypherWriter(target.label);
    this.constrain(writer, target);
    const name = this.language === 'zh' ? '数量' : 'count';
    if (group) {
      const counted = this.spokenLabel(target.label);
      return this.byProperty(
        writer,
        group,
        { expression: 'count(DISTINCT t)', name },
        this.language === 'zh' ? `${counted}数` : `number of ${counted}`,
      );
    }
    return this.done(writer, `count(DISTINCT t) AS ${name}`, {
      kind: 'count',
      subject: this.subjectOf(target, target.label),
      measure: null,
      spoken: [],
      descending: false,
    });
  }

  private aggregate(by: 'avg' | 'sum'): GraphPlan {
    const measured = this.measuredProperty(false);
    if (!measured) throw new UnplannableError('没有可计算的数值属性', 'There is no numeric property to compute with');
    const { property, label } = measured;
    const group = groupProperty(this.terms, label);
    const { groups, property: isGroup } = grouping(this.terms, group);
    this.use({ groups, property: term => isGroup(term) || isOf(term, label, property), aggregate: true });
    const writer = new CypherWriter(label);
    this.constrain(writer, this.terms.labels.find(term => term.label === label) ?? null);
    const name = this.spokenProperty(property);
    const [zh, en] = by === 'avg' ? [`平均${name}`, `average ${name}`] : [`${name}合计`, `total ${name}`];
    const measure = this.language === 'zh' ? zh : en;
    const value = { expression: `${by}(t.${quoteName(property.name)})`, name: quoteName(measure) };
    if (group) return this.byProperty(writer, group, value, measure);
    const shape = { kind: 'aggregate' as const, subject: this.spokenLabel(label), measure, spoken: [], descending: false };
    return this.done(writer, `${value.expression} AS ${value.name}`, shape);
  }

  private byProperty(
    writer: CypherWriter,
    group: MeaningOf<'property'>,
    value: { expression: string; name: string },
    measure: string,
  ): GraphPlan {
    const name = quoteName(group.property);
    const property = this.schema.labels
      .find(element => element.name === group.ownerName)
      ?.properties.find(own => own.name === group.property);
    const subject = property ? this.spokenProperty(property) : group.property;
    const shape = { kind: 'group' as const, subject, measure, spoken: [], descending: true };
    return this.done(writer, `t.${name} AS ${name}, ${value.expression} AS ${value.name} ORDER BY ${value.name} DESC, ${name}`, shape);
  }

  private use(used: Partial<Used>): void {
    const unused = whyUnused(this.terms, used);
    if (unused) throw new UnplannableError(unused.zh, unused.en);
  }

  private rankByProperty(): GraphPlan {
    const { terms } = this;
    const measured = this.measuredProperty(true);
    const top = terms.top;
    if (!measured || !top) throw new UnplannableError('没有可比较的数值属性', 'There is no numeric property to rank by');
    this.use({ property: term => isOf(term, measured.label, measured.property) });
    const target = terms.labels.find(term => term.label === measured.label) ?? null;
    const writer = new CypherWriter(measured.label);
    this.constrain(writer, target);
    const property = `t.${quoteName(measured.property.name)}`;
    writer.where(`${property} IS NOT NULL`);
    const returns = `DISTINCT t, ${property} AS ${quoteName(measured.property.name)} ORDER BY ${quoteName(measured.property.name)} ${top.descending ? 'DESC' : 'ASC'} LIMIT ${this.topCount(target)}`;
    return this.done(writer, returns, {
      kind: 'rank',
      subject: this.subjectOf(target, measured.label),
      measure: this.spokenProperty(measured.property),
      spoken: [],
      descending: top.descending,
    });
  }

  private rankByCount(): GraphPlan {
    const { terms } = this;
    const top = terms.top;
    this.use({ counts: true });
    const { target, counted } = this.countedPair();
    if (!top) throw new UnplannableError('没有排序', 'Nothing to rank by');
    const direction = top.descending ? 'DESC' : 'ASC';
    return this.countOver(target, counted, `ORDER BY n ${direction} LIMIT ${this.topCount(target)}`, 'rank', top.descending);
  }

  private countByGroup(group: LabelTerm): GraphPlan {
    const counted = this.terms.labels.find(term => term !== group && term.label !== group.label);
    if (!counted) throw new UnplannableError('没有说明要统计什么', 'It is not said what to count');
    this.use({ counts: true, groups: this.terms.groups.filter(word => follows(group.mention, word)) });
    return this.countOver(group, counted.label, 'ORDER BY n DESC', 'group', true);
  }

  private countOver(target: LabelTerm, counted: string, order: string, kind: 'rank' | 'group', descending: boolean): GraphPlan {
    const writer = new CypherWriter(target.label);
    const best = this.bestPath(target.label, counted);
    const end = writer.addPath(best.hops);
    this.constrain(writer, target);
    const name = this.spokenLabel(counted);
    const measure = this.language === 'zh' ? `${name}数` : `number of ${name}`;
    const shape = { kind, subject: this.subjectOf(target, target.label), measure, spoken: [], descending };
    return this.done(writer, `t, count(DISTINCT ${end}) AS n ${order}`, shape);
  }

  /** Finds what is ranked and what is counted: `订单最多的客户`, `哪个客户的订单最多`, `which customers placed the most orders`. */
  private countedPair(): { target: LabelTerm; counted: string } {
    const { labels, top, relations } = this.terms;
    const at = top?.mention.start ?? 0;
    const before = labels.filter(term => term.mention.end <= at);
    const after = labels.filter(term => term.mention.start >= at);
    if (labels.length >= 2) {
      const [target, counted] =
        this.language === 'zh'
          ? [after[0] ?? before.at(-2), before.at(-1) ?? after[1]]
          : before[0]
            ? [before[0], after[0]]
            : [after[0], after[1]];
      if (target && counted && target.label !== counted.label) return { target, counted: counted.label };
    }
    const only = labels[0];
    const relation = relations[0]?.type;
    const hop = only && hopsFrom(this.schema, only.label).find(candidate => candidate.type === relation);
    if (only && hop) return { target: only, counted: hop.to };
    throw new UnplannableError('不清楚按什么排序', 'It is not clear what to rank by');
  }

  /** The label that is asked for: the one right after a question word, else the last in Chinese and the first in English. */
  private target(): LabelTerm | null {
    const { labels, counts, whichs } = this.terms;
    const asked = [...counts, ...whichs].map(asking => labels.find(term => follows(term.mention, asking))).find(term => term !== undefined);
    return asked ?? (this.language === 'zh' ? labels.at(-1) : labels[0]) ?? null;
  }

  /** Without a label: the far end of a named relation, the owner of a named property, or the entity itself. */
  private impliedLabel(): string {
    const { entities, relations, properties, values } = this.terms;
    const entityLabels = [...new Set(entities.flatMap(term => term.nodes.map(node => node.label)))];
    const relation = relations[0]?.type;
    if (relation !== undefined) {
      const hop = entityLabels.flatMap(label => hopsFrom(this.schema, label)).find(candidate => candidate.type === relation);
      if (hop) return hop.to;
      const edge = this.schema.edges.find(candidate => candidate.type === relation);
      if (edge && entities.length === 0) return edge.sourceLabel;
      throw new UnplannableError(`“${relation}”与所提到的对象没有关系`, `"${relation}" does not lead to or from what is named`);
    }
    const owners = (properties[0]?.owners ?? []).filter(owner => owner.owner === 'node').map(owner => owner.ownerName);
    const own = owners.find(label => entityLabels.includes(label));
    const implied = own ?? (entityLabels.length === 0 ? (owners[0] ?? values[0]?.values[0]?.label) : (owners[0] ?? entityLabels[0]));
    if (implied === undefined) throw new UnplannableError('没有找到所问的对象', 'Nothing in the graph is asked for');
    return implied;
  }

  private constrain(writer: CypherWriter, target: LabelTerm | null): void {
    const { considered, notes } = addConstraints(writer, this.terms, target, this.schema, this.entities);
    this.paths.push(...considered);
    this.notes.push(...notes);
  }

  /** The columns: named properties of the target and of the edges on the way. A property named twice is one column. */
  private projected(writer: CypherWriter): { text: string; spoken: string }[] {
    const columns = new Map<string, { text: string; spoken: string; mention: Mention }>();
    for (const { mention, owners } of this.terms.properties) {
      const ofTarget = owners.find(owner => owner.owner === 'node' && owner.ownerName === writer.target);
      const ofEdge = owners.find(owner => owner.owner === 'edge' && writer.follows(owner.ownerName));
      const ofNode = owners.find(owner => owner.owner === 'node' && writer.passes(owner.ownerName));
      const owner = ofTarget ?? ofEdge ?? ofNode;
      const variable = ofTarget
        ? 't'
        : ofEdge
          ? writer.edges.find(edge => edge.type === ofEdge.ownerName)?.variable
          : ofNode && writer.variableOf(ofNode.ownerName);
      if (!owner || !variable)
        throw new UnplannableError(`“${mention.text}”不是所问对象的属性`, `"${mention.text}" is not a property of what is asked for`);
      const text = `${variable}.${quoteName(owner.property)} AS ${quoteName(owner.property)}`;
      const known = columns.get(owner.property);
      if (known && known.text !== text)
        throw new UnplannableError(
          `“${known.mention.text}”和“${mention.text}”同名，请分开问`,
          `"${known.mention.text}" and "${mention.text}" have one name: ask apart`,
        );
      if (!known) columns.set(owner.property, { text, spoken: this.language === 'zh' ? owner.property : mention.text, mention });
    }
    return [...columns.values()];
  }

  /** The numeric property to rank or compute by; for 最贵 and "cheapest" the price. */
  private measuredProperty(orPrice: boolean): { label: string; property: PropertySchema } | null {
    const wanted = this.terms.labels.map(term => term.label);
    const all = this.schema.labels.flatMap(label =>
      label.properties.filter(property => isNumeric(property.type)).map(property => ({ label: label.name, property })),
    );
    const compared = new Set(this.terms.compares.map(({ mention }) => comparedProperty(this.terms, mention)));
    for (const { owners } of this.terms.properties.filter(term => !compared.has(term))) {
      const named = all.filter(candidate =>
        owners.some(owner => owner.owner === 'node' && owner.ownerName === candidate.label && owner.property === candidate.property.name),
      );
      const best = named.find(candidate => wanted.includes(candidate.label)) ?? named[0];
      if (best) return best;
    }
    if (!orPrice || !/贵|便宜|expensive|cheap/.test(this.terms.top?.mention.text ?? '')) return null;
    return (
      all.find(
        ({ label, property }) =>
          (wanted.length === 0 || wanted.includes(label)) && /价|price/i.test(`${property.name} ${property.column ?? ''}`),
      ) ?? null
    );
  }

  private isPropertyOf(target: LabelTerm): boolean {
    return (
      this.terms.properties.some(
        term => !namesValue(this.terms, term) && term.owners.some(owner => owner.owner === 'node' && owner.ownerName === target.label),
      ) && this.terms.compares.length === 0
    );
  }

  private bestPath(from: string, to: string): { hops: ReturnType<typeof rankPaths>[number]['hops'] } {
    const hints = {
      relations: new Set(this.terms.relations.map(term => term.type)),
      labels: new Set(this.terms.labels.map(term => term.label)),
    };
    const best = rankPaths(this.schema, from, to, hints)[0];
    if (!best) throw new UnplannableError(`“${from}”与“${to}”之间没有关系路径`, `No relation leads from "${from}" to "${to}"`);
    return best;
  }

  private topCount(target: LabelTerm | null): number {
    const { top, whichs } = this.terms;
    if (top?.count != null) return top.count;
    const plural = this.language === 'zh' ? whichs.some(mention => /些|几/.test(mention.text)) : /s$/.test(target?.mention.text ?? '');
    return plural ? usualTop : 1;
  }

  private subjectOf(target: LabelTerm | null, label: string): string {
    return this.language === 'zh' ? label : (target?.mention.text ?? this.spokenLabel(label));
  }

  /** The label in the question's words, else by an alias in its language. */
  private spokenLabel(label: string): string {
    const named = this.terms.labels.find(term => term.label === label)?.mention.text;
    if (this.language === 'en' && named !== undefined) return named;
    return spokenName(label, this.schema.labels.find(element => element.name === label)?.aliases ?? [], this.language);
  }

  private spokenProperty({ name, column }: PropertySchema): string {
    const named = this.terms.properties.find(term => term.owners.some(owner => owner.property === name))?.mention.text;
    if (this.language === 'en' && named !== undefined) return named;
    return spokenName(name, column === undefined ? [] : [column], this.language);
  }

  private displayOrder(label: string): string {
    const display = this.schema.labels.find(element => element.name === label)?.displayProperty;
    return display == null || display === '' ? '' : ` ORDER BY t.${quoteName(display)}`;
  }

  private done(writer: CypherWriter, returns: string, shape: Omit<AnswerShape, 'of'>): GraphPlan {
    const names = [
      ...this.terms.entities.map(({ mention, nodes, negated }) => ({
        name: this.entities.get(nodes[0]?.id ?? -1)?.display ?? mention.text,
        negated,
      })),
      ...this.terms.values.map(({ mention, values, negated }) => ({ name: values[0]?.value ?? mention.text, negated })),
    ];
    const of = {
      named: names.filter(({ negated }) => !negated).map(({ name }) => name),
      excluded: names.filter(({ negated }) => negated).map(({ name }) => name),
      times: this.terms.times.map(term => term.mention.text),
    };
    const { paths, notes } = this;
    return { cypher: writer.text(returns), parameters: writer.parameters, shape: { ...shape, of }, paths, notes };
  }
}

function isOf({ owners }: PropertyTerm, label: string, { name }: PropertySchema): boolean {
  return owners.some(owner => owner.owner === 'node' && owner.ownerName === label && owner.property === name);
}

import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { isJoined, type MeaningOf, type Mention } from '../linking/meaning.js';
import { outsideNames, type QuestionTerms } from '../linking/question-terms.js';
import { spokenName } from '../linking/spoken-name.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { isWho } from './answer-types.js';
import { isDate, isTime } from '../linking/date-names.js';
import { type MeasuredProperty } from './measures.js';
import { type GraphPlan, UnplannableError } from './question-plan.js';
import { saysHighest } from './said-order.js';
import { pathsFrom } from './schema-paths.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';
import { CountPlanner } from './plan-counts.js';
import { dateOfRanked, datesOfVerb, hasOneDate, type PlacedDate, requireDateOfVerb } from './verb-dates.js';

/** Plans that rank things by a property or by a number of related things. */
export abstract class RankingPlanner extends CountPlanner {
  protected async rankByProperty({ label, property, word }: MeasuredProperty): Promise<GraphPlan> {
    const { top } = this.terms;
    this.use({
      than: top?.ofTwo === true,
      order: this.isInOrder(word?.mention ?? null, top?.descending !== false),
      property: term => term.mention === word?.mention || this.isLimit(term.mention),
    });
    const asked = this.asked.word;
    if (asked && asked !== word && asked.labels.size > 0 && !asked.labels.has(label)) return this.ofHighest(label, property, word);
    this.refuseOfFirst(label);
    if (word && asked === word) this.refuseOtherOwner(label, word);
    const target = this.words.find(({ labels }) => labels.has(label)) ?? null;
    const writer = await this.read({ target: label, asked: { word: target, type: null }, without: word ? [word] : [] });
    if (this.asked.type === 'when' && isDate(property.type) && (top?.count ?? 1) === 1) {
      if (!word) requireDateOfVerb(this.terms, this.words, writer, this.schema);
      return this.lastDate(writer, { variable: 't', property });
    }
    const ofVerb = word ? null : dateOfRanked(this.terms, this.words, writer, this.schema);
    const measured = ofVerb?.property ?? property;
    const measure = `${ofVerb?.variable ?? 't'}.${quoteName(measured.name)}`;
    if (!this.terms.than) writer.where(`${measure} IS NOT NULL`);
    const [name, isLast] = [quoteName(measured.name), top?.descending !== false];
    // A node may have several edges, and counts with the last of them.
    const column = ofVerb ? `t, ${isLast ? 'max' : 'min'}(${measure})` : `DISTINCT t, ${measure}`;
    const returns = `RETURN ${column} AS ${name} ORDER BY ${name} ${isLast ? 'DESC' : 'ASC'}${this.thenDisplay(label)}`;
    return this.ranked(writer, returns, target, label, this.spokenProperty(measured));
  }

  /** Refuses a question for a thing related to the first node of a ranking: `the home port of the largest ship`. */
  private refuseOfFirst(label: string): void {
    const { top, entities, values } = this.terms;
    const { word, type } = this.asked;
    const named = [...entities, ...values];
    const isLast = ({ mention }: SchemaWord): boolean =>
      named.every(term => term.mention.end <= mention.start) && mention.start > (top?.mention.end ?? 0);
    const isOther = type === 'who' && !isWho(this.schema, label);
    const ranked = this.words.find(({ labels }) => labels.has(label))?.mention.start ?? 0;
    // `which captain commanded the voyage`: the relation stands before the ranked thing, so the question asks for the captain.
    const isFirst = ({ mention }: SchemaWord): boolean =>
      mention.end <= ranked &&
      ((word === null && type !== null) || /^\s+of\s+(?:the\s+)?$/.test(this.terms.text.slice(mention.end, ranked)));
    const asksFor = this.words.find(
      each => isOnlyRelation(each) && (each === word || isFirst(each) || (this.grammar === 'zh' && isLast(each)) || isOther),
    );
    if (!asksFor || type === 'when') return;
    throw new UnplannableError(
      `问的是排在第一的“${label}”的“${asksFor.mention.text}”，暂不能一起回答；请先问是哪一个，再问它的“${asksFor.mention.text}”`,
      `"${asksFor.mention.text}" is asked of the first "${label}", which cannot be answered together yet; ask which one it is, then for its ${asksFor.mention.text}`,
    );
  }

  /** Refuses `哪个科室费用最高` if only visits have a fee: the question may mean the fee of one visit or the sum of the fees. */
  private refuseOtherOwner(label: string, { mention }: SchemaWord): void {
    const before = this.words.filter(({ mention: { end } }) => end <= mention.start).at(-1);
    if (!before || before.labels.has(label) || !/^[的\s]?$/.test(this.terms.text.slice(before.mention.end, mention.start))) return;
    const { entities, values, whichs } = this.terms;
    const isOfName = [...entities, ...values].some(term => term.mention.end === before.mention.start);
    // `哪位导演票房最高`: 导演 names a relation instead of a label.
    const isRole = before.relations.size > 0 && whichs.some(({ end }) => end === before.mention.start);
    if (isOfName || (before.labels.size === 0 && !isRole)) return;
    const aliases = this.labelOf(label)?.aliases ?? [];
    const [own, of] = [before.mention.text, mention.text];
    const [zh, en] = [spokenName(label, aliases, 'zh'), spokenName(label, aliases, 'en')];
    throw new UnplannableError(
      `“${of}”是“${zh}”的属性，不清楚“${own}”按哪一个或按总和排；请问“${of}最高的${zh}”，或为总和定义指标`,
      `"${of}" is a property of "${en}", so it is not clear whether "${own}" ranks by one of them or by their sum; ask for the "${en}" with the highest "${of}", or define a metric for the sum`,
    );
  }

  /** Whether a question asks when a relation that has a date last happened: `When did Ann last borrow a book`. */
  protected asksLastOfRelation(): boolean {
    const { top } = this.terms;
    if (this.asked.type !== 'when' || top?.by !== 'date' || (top.count ?? 1) !== 1 || top.ofTwo) return false;
    const isNamed = this.words.some(({ properties }) => properties.some(each => each.owner === 'node' && isTime(each)));
    return !isNamed && this.words.some(word => isOnlyRelation(word) && hasOneDate(this.schema, word));
  }

  protected async lastOfRelation(): Promise<GraphPlan> {
    this.use({ property: term => this.isLimit(term.mention) });
    const writer = await this.read({ asked: this.asked });
    const [date] = datesOfVerb(this.terms, this.words, writer, this.schema);
    if (!date) throw notRanked(this.terms.top?.mention ?? { text: '', start: 0, end: 0, meanings: [] });
    return this.lastDate(writer, date);
  }

  /** Plans a question for the first or the last date: `when was the first order placed`. */
  private lastDate(writer: CypherWriter, { variable, property }: PlacedDate): GraphPlan {
    const isLast = this.terms.top?.descending !== false;
    const name = this.spokenProperty(property);
    const [zh, en] = isLast ? [`最近的${name}`, `latest ${name}`] : [`最早的${name}`, `earliest ${name}`];
    const measure = this.language === 'zh' ? zh : en;
    const subject = this.spokenLabel(writer.target);
    const shape = { kind: 'aggregate' as const, subject, measure, spoken: [], descending: isLast };
    const place = `${variable}.${quoteName(property.name)}`;
    return this.done(writer, `RETURN ${isLast ? 'max' : 'min'}(${place}) AS ${quoteName(measure)}`, shape);
  }

  /** Plans a question for things related to the nodes with the highest value: `运费最高的订单是哪个客户下的`. Several nodes may have this value. */
  protected async ofHighest(label: string, property: PropertySchema, word: SchemaWord | null): Promise<GraphPlan> {
    const { top, entities, values, times } = this.terms;
    const inner = this.words.find(({ labels }) => labels.has(label));
    if (
      !top ||
      !inner ||
      (top.count ?? 1) !== 1 ||
      entities.length + values.length + times.length > 0 ||
      this.thresholds.length > 0 ||
      this.negated.length > 0 ||
      this.among
    )
      throw new UnplannableError(
        '排名与其余部分不能一起回答，请分开问',
        'The ranking cannot be answered together with the rest of the question; ask apart',
      );
    const target = this.asked.word;
    const label2 = target ? this.onlyLabel(target) : label;
    const others = this.words.filter(each => each !== word && each !== inner && each !== target);
    const way = await this.wayTo(label2, label, others, inner);
    const writer = await this.read({ target: label2, words: [] });
    const end = writer.addPath(way);
    const place = `${end}.${quoteName(property.name)}`;
    const from = `MATCH (x:${quoteName(label)}) WITH ${top.descending ? 'max' : 'min'}(x.${quoteName(property.name)}) AS best `;
    writer.where(`${place} = best`);
    const shape = {
      kind: 'rank' as const,
      subject: this.subjectOf(target, label2),
      measure: this.spokenProperty(property),
      spoken: [],
      descending: saysHighest(this.terms),
    };
    const plan = this.done(writer, `RETURN DISTINCT t, ${place} AS ${quoteName(property.name)}${this.displayOrder(writer)}`, shape);
    return { ...plan, cypher: from + plan.cypher };
  }

  protected async rankByCount(): Promise<GraphPlan> {
    const { top } = this.terms;
    this.use({
      counts: true,
      order: this.isInOrder(null, top?.descending !== false),
      property: term => term.mention === this.asked.word?.mention || this.isLimit(term.mention),
    });
    if (top && !ranksNumbers(this.terms)) throw notRanked(top.mention);
    const { word } = this.asked;
    const labelled = this.words.filter(({ labels }) => labels.size > 0);
    const isProperty = word !== null && word.labels.size === 0 && word.properties.length > 0;
    const ofFirst = isProperty && labelled.some(owner => this.isOf(word, owner)) && this.ranksByNumber(word);
    if (isProperty && !ofFirst && labelled.length === 1 && labelled[0]) return this.rankGroups(word, labelled[0]);
    // `which disease category has the most patients`: the ranked values belong to another label than the counted nodes.
    if (isProperty && !ofFirst && labelled.length > 1 && word.mention.start < (top?.mention.start ?? 0))
      throw new UnplannableError(
        `暂不能按“${word.mention.text}”的值统计再排名，请改用 cypher`,
        `The values of "${word.mention.text}" cannot be ranked by what is related to them yet; use cypher`,
      );
    const { target, counted, countedWord } = this.countedPair(labelled);
    const direction = top?.descending === false ? 'ASC' : 'DESC';
    const property = isProperty ? this.groupOf(word, target) : null;
    const column = property ? `, t.${quoteName(property.property)} AS ${quoteName(property.property)}` : '';
    const plan = await this.countOver(
      target,
      counted,
      countedWord,
      'rank',
      top?.descending === false,
      end => `RETURN t, count(DISTINCT ${end}) AS n${column} ORDER BY n ${direction}`,
    );
    return property ? { ...plan, shape: { ...plan.shape, spoken: [this.spokenGroup(property)] } } : plan;
  }

  /** Whether a property word belongs to an owner word: `供应零件最多的供应商的电话`, `the phone of the supplier with the most parts`. */
  private isOf({ mention }: SchemaWord, owner: SchemaWord): boolean {
    const { text } = this.terms;
    if (this.grammar === 'en') return /^\s+of\s+(?:the\s+)?$/.test(text.slice(mention.end, owner.mention.start));
    const between = mention.start >= owner.mention.end ? text.slice(owner.mention.end, mention.start) : null;
    return (
      between !== null &&
      owner.mention.start >= (this.terms.top?.mention.end ?? 0) &&
      /^(?:的|在?哪个?|是?(?:什么|哪个)|[在是]|\s)+$/.test(between)
    );
  }

  /** Whether the ranking is by the number of the things named beside it, not by the measured property: 设备最多, `the most equipment`. */
  protected ranksByNumber(measured: SchemaWord | null): boolean {
    const beside = this.words.find(({ mention }) => this.isBesideTop(mention));
    return beside !== undefined && beside !== measured && beside.properties.length === 0 && ranksNumbers(this.terms);
  }

  /** Ranks the values of a property by the number of nodes that have each value: `哪个国家的客户最多`. */
  protected rankGroups(word: SchemaWord, counted: SchemaWord): Promise<GraphPlan> {
    return this.rankBy(this.groupOf(word, counted), counted, [word]);
  }

  protected async rankBy(group: MeaningOf<'property'>, counted: SchemaWord, without: SchemaWord[]): Promise<GraphPlan> {
    const label = this.onlyLabel(counted);
    const writer = await this.read({ target: label, asked: { word: counted, type: null }, without });
    const name = quoteName(group.property);
    writer.where(`t.${name} IS NOT NULL`);
    const spoken = this.spokenLabel(label);
    const measure = this.numberOf(spoken);
    const direction = this.terms.top?.descending === false ? 'ASC' : 'DESC';
    const returns = `RETURN t.${name} AS ${name}, count(DISTINCT t) AS n ORDER BY n ${direction}, ${name}`;
    return this.ranked(writer, returns, null, this.spokenGroup(group), measure);
  }

  /** The counted word right after the ranking; null if this word is asked for: `最多患者服用的药品`, `the most patients take which drug`. */
  private countedByMost([next]: SchemaWord[]): SchemaWord | null {
    const { top } = this.terms;
    const rest = outsideNames(this.terms);
    if (!top || !next || (next === this.asked.word && this.grammar === 'en')) return null;
    const isNext = isJoined(rest, top.mention.end, next.mention.start);
    const { word } = this.asked;
    if (this.grammar === 'en') {
      const isAskedLater =
        word !== null && this.terms.whichs.some(({ start, end }) => start > next.mention.end && end < word.mention.start);
      return isNext && isAskedLater && /\b(?:most|fewest|least)$/.test(top.mention.text) ? next : null;
    }
    const isAfterCounted = this.words.some(
      ({ labels, mention }) =>
        labels.size > 0 && /^(?:数量?)?$/.test(rest.slice(mention.end, top.mention.start)) && mention.end <= top.mention.start,
    );
    return isNext && !/的$/.test(top.mention.text) && !isAfterCounted ? next : null;
  }

  /** The word for the ranked label and the word for the counted label. */
  private rankedAndCounted(labelled: SchemaWord[]): [SchemaWord | undefined, SchemaWord | undefined] {
    const at = this.terms.top?.mention.start ?? 0;
    const before = labelled.filter(({ mention }) => mention.end <= at);
    const after = labelled.filter(({ mention }) => mention.start >= at);
    const most = this.countedByMost(after);
    if (most) {
      const asked = labelled.find(word => word !== most && word === this.asked.word);
      return [asked ?? after.find(word => word !== most) ?? before.at(-1), most];
    }
    if (this.grammar === 'zh') return [after[0] ?? before.at(-2), before.at(-1) ?? after[1]];
    return before[0] ? [before[0], after[0]] : [after[0], after[1]];
  }

  /** Whether a word stands right beside the ranking: `the most clubs`, 社团最多. */
  private isBesideTop(mention: Mention): boolean {
    return this.sideOfTop(mention) !== null;
  }

  /** Whether the ranking counts a thing, which it then does not rank: 借展最多的借出馆, `the most loans`. */
  private isCountedByMost(mention: Mention): boolean {
    const side = this.sideOfTop(mention);
    if (this.grammar === 'zh') return side === 'before';
    return side === 'behind' && /\b(?:most|fewest|least)$/.test(this.terms.top?.mention.text ?? '');
  }

  /** The side of the ranking on which a word stands right beside it; null if other words are between the two. */
  private sideOfTop({ start, end }: Mention): 'before' | 'behind' | null {
    const { top } = this.terms;
    if (!top) return null;
    const rest = outsideNames(this.terms);
    if (isJoined(rest, top.mention.end, start)) return 'behind';
    return end <= top.mention.start && /^(?:数量?)?$/.test(rest.slice(end, top.mention.start)) ? 'before' : null;
  }

  /** Finds the ranked and the counted things: `订单最多的客户`, `哪个客户的订单最多`, `which customers placed the most orders`. */
  protected countedPair(labelled: SchemaWord[]): { target: SchemaWord; counted: string; countedWord: SchemaWord | null } {
    if (labelled.length >= 2) {
      const [target, counted] = this.rankedAndCounted(labelled);
      if (target && counted && this.onlyLabel(target) !== this.onlyLabel(counted))
        return { target, counted: this.onlyLabel(counted), countedWord: counted };
    }
    const [only] = labelled;
    const relation = this.words.find(({ relations, labels }) => relations.size > 0 && labels.size === 0);
    const ends = only && relation ? [...pathsFrom(this.schema, this.onlyLabel(only))].filter(hops => hops.length === 1 && relation.relations.has(hops[0]?.type ?? '')).flatMap(([hop]) => hop ?? []) : []; // prettier-ignore
    const [end, ...others] = ends;
    if (only && relation && end && others.length === 0) {
      // `who commanded the most voyages`, 谁参加的社团最多: rank the persons at one end of the relation by the number of nodes at the other end.
      const isCounted = this.isBesideTop(only.mention) || !isWho(this.schema, end.from);
      const isOtherEnd = end.to !== this.onlyLabel(only) && this.isCountedByMost(only.mention);
      if (isOtherEnd || (this.asked.type === 'who' && isCounted && isWho(this.schema, end.to)))
        return { target: { ...relation, labels: new Set([end.to]), relations: new Set() }, counted: end.from, countedWord: only };
      return { target: only, counted: end.to, countedWord: null };
    }
    throw new UnplannableError('不清楚按什么排序', 'It is not clear what to rank by');
  }
}

/** Whether a ranking is by number: by "most" or "fewest", or with a word for a number. "The largest order" is ranked by another measure. */
export function ranksNumbers({ top, counts }: QuestionTerms): boolean {
  if (!top || top.by !== null) return false;
  return counts.length > 0 || /[多少]|\b(?:most|fewest|least|more|fewer|less)\b/.test(top.mention.text);
}

export function notRanked({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `不清楚“${text}”按什么排：请写出属性，按数量排请用“最多”或“最少”`,
    `It is not clear by what "${text}" ranks: name a property, or use "most" or "fewest" to rank by number`,
  );
}

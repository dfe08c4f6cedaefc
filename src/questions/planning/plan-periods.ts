import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { asksWhichPeriod } from '../linking/asked-time.js';
import { isDate, isTime } from '../linking/date-names.js';
import { intentsOf, type Mention, type Period } from '../linking/meaning.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { dateOfEvent, timesOf } from './label-dates.js';
import { type MeasuredProperty, measuredProperty } from './measures.js';
import { isEach } from './find-groups.js';
import { dateOfPeriod } from './period-dates.js';
import { periodKey, periodNames, shownPeriod } from './period-keys.js';
import { AggregatePlanner } from './plan-aggregates.js';
import { notRanked, ranksNumbers } from './plan-rankings.js';
import { type GraphPlan, UnplannableError, usualTop } from './question-plan.js';
import { type SchemaWord } from './schema-word.js';

const isWhat = /^(?:what|什么)$/;

interface AddedProperty extends MeasuredProperty {
  by: 'avg' | 'sum';
}

/** A count or aggregate of the nodes of a label by periods of a date. `measured` is null for a count. */
interface PeriodNumbers {
  period: Period;
  date: PropertySchema;
  label: string;
  measured: AddedProperty | null;
}

/** Plans that count or aggregate by years, months and other periods. */
export abstract class PeriodPlanner extends AggregatePlanner {
  /** The period to group by; null if there is none. `which year` alone asks for a date, like `in which year was the last order`. */
  protected periodToGroupBy(): Mention | null {
    const { grain, top, counts, aggregate } = this.terms;
    if (!grain || !asksWhichPeriod(grain.text)) return grain;
    if (top) return top.by === 'date' || top.ofTwo ? null : grain;
    return counts.length > 0 || aggregate !== null || this.thresholds.some(({ counted }) => counted) ? grain : null;
  }

  /** Refuses `which months had bookings`, because the answer would list bookings instead of months. */
  protected refusePeriod(): void {
    const { grain } = this.terms;
    if (grain)
      throw new UnplannableError(
        `“${grain.text}”暂不能这样回答；请问每段时间各有多少，例如“每个月的…数”`,
        `"${grain.text}" cannot be answered with a list yet; ask for the number in each, such as "number of ... per month"`,
      );
  }

  /** Plans a count or an aggregate by period: `哪个月入住的订单最多`, `number of bookings per month`, `total amount per quarter`. */
  protected async byPeriod(grain: Mention): Promise<GraphPlan> {
    const { terms } = this;
    this.refuseBeyondPeriods(grain);
    const measured = this.measuredByPeriod(grain);
    const counted = measured ? null : this.countedByPeriod(grain);
    const label = measured?.label ?? counted?.label ?? '';
    const word = this.words.find(({ labels }) => labels.has(label)) ?? null;
    const others = this.words.filter(({ labels }) => labels.size > 0 && !labels.has(label));
    this.refuseListed(others);
    const namesOther = terms.entities.length + terms.values.length + others.length > 0;
    const { date, words, isAssumed } = dateOfPeriod(this.schema, label, this.words, grain, namesOther, this.choices);
    const period = intentsOf(grain, 'grain')?.grain ?? 'day';
    const denied = this.negated.find(({ words: those }) => those.some(each => words.includes(each)));
    if (denied) throw neverHappened(denied.text, grain);
    if (!isDate(date.type) && period !== 'year') throw onlyYears(date.name, grain);
    const used = [...words, ...(measured?.word ? [measured.word] : [])];
    this.use({
      counts: !measured,
      aggregate: true,
      groups: terms.groups.filter(({ text }) => isEach(text) || text === '各'),
      property: ({ mention }) => used.some(each => each.mention === mention) || this.isLimit(mention),
    });
    // A relation that names the event of the date may also lead to the named things, so keep it among the words of the path.
    const without = used.filter(({ relations }) => relations.size === 0 || !namesOther);
    const writer = await this.read({ target: label, asked: { word, type: null }, without });
    if (isAssumed) this.assume(grain, date, periodNames[period][this.language].column, writer);
    return this.numbersByPeriod(writer, { period, date, label, measured });
  }

  private numbersByPeriod(writer: CypherWriter, { period, date, label, measured }: PeriodNumbers): GraphPlan {
    const { language } = this;
    const { top, grain } = this.terms;
    const names = periodNames[period][language];
    const place = `t.${quoteName(date.name)}`;
    writer.whereDated(`${place} IS NOT NULL`, { variable: 't', owner: 'node', ownerName: label, property: date.name }, 'period');
    if (measured) writer.where(`t.${quoteName(measured.property.name)} IS NOT NULL`);
    const spoken = this.spokenLabel(label);
    const measure = measured ? this.spokenAggregate(measured.by, measured.property) : this.numberOf(spoken);
    const value = measured ? `${measured.by}(t.${quoteName(measured.property.name)})` : 'count(t)';
    const n = measured ? quoteName(measure) : 'n';
    // A path may lead to one node several times, but the node counts once.
    const distinct = writer.edges.length > 0 ? 'WITH DISTINCT t ' : '';
    const order = top ? `${n} ${top.descending ? 'DESC' : 'ASC'}, period` : 'period';
    const returns =
      `${distinct}WITH ${periodKey(period, place, isDate(date.type))} AS period, ${value} AS ${n} ` +
      `RETURN ${shownPeriod(period, language)} AS ${quoteName(names.column)}, ${n} ORDER BY ${order}`;
    const shape = { subject: names.spoken, measure, spoken: [], descending: top?.descending ?? true };
    if (!top) return this.done(writer, returns, { kind: 'group', ...shape });
    if (!top.descending)
      this.notes.push({ zh: `没有“${spoken}”的${names.column}未计入`, en: `A ${names.column} without ${spoken} is not included` });
    const isSeveral = /哪[些几]|s$/.test(grain?.text ?? '');
    return { ...this.done(writer, returns, { kind: 'rank', ...shape }), top: top.count ?? (isSeveral ? usualTop : 1) };
  }

  /** Refuses questions that ask more than one number for each period: `每月订单最多的客户`, `每个月都有订单的客户`, `各月的订单有哪些`. */
  private refuseBeyondPeriods(grain: Mention): void {
    const { top, together, whether, whichs } = this.terms;
    const isEach = top !== null && !asksWhichPeriod(grain.text);
    const asksMore = whichs.some(({ text }) => !isWhat.test(text));
    if (isEach || asksMore || together !== null || whether || this.thresholds.some(({ counted }) => counted)) throw beyondPeriods(grain);
  }

  /**
   * The property to aggregate; null to count nodes. A property whose word contains `total` or 总 is summed: 总金额.
   * @throws UnplannableError if the question does not say how to aggregate another property, or of which label the property is
   */
  private measuredByPeriod(grain: Mention): AddedProperty | null {
    const { terms } = this;
    const numbers = this.words.filter(({ properties }) => !properties.some(isTime));
    const measured = measuredProperty(this.schema, terms, numbers, this.thresholds, false);
    if (!measured) {
      if (terms.aggregate?.function === 'avg')
        throw new UnplannableError(`不清楚按“${grain.text}”求什么的平均`, `It is not clear what is averaged by "${grain.text}"`);
      return null;
    }
    const owners = new Set(measured.word?.properties.filter(({ owner }) => owner === 'node').map(({ ownerName }) => ownerName));
    if (owners.size > 1 && !this.words.some(({ labels }) => labels.has(measured.label)))
      throw new UnplannableError(
        `“${measured.word?.mention.text ?? ''}”可以指：${[...owners].join('、')}，请写明`,
        `"${measured.word?.mention.text ?? ''}" may be of ${[...owners].join(' or ')}: say which`,
      );
    // `平均每月的金额` asks for the mean of the sums of the months.
    const isMeanOfPeriods = terms.aggregate !== null && /^(?:的|\s)*$/.test(terms.text.slice(terms.aggregate.mention.end, grain.start));
    const by = terms.aggregate?.function ?? (/总|total/i.test(measured.word?.mention.text ?? '') ? 'sum' : null);
    const name = measured.word?.mention.text ?? measured.property.name;
    if (by === null || (by === 'avg' && isMeanOfPeriods))
      throw new UnplannableError(
        `不清楚“${grain.text}”的“${name}”怎样计算：请写明合计（“总”）还是每个的平均（“平均${name}”）`,
        `It is not clear how "${name}" is computed by "${grain.text}": say whether it is the total or the average ${name}`,
      );
    return { ...measured, by };
  }

  /** The label whose nodes are counted. The question names the label, or an event of the label: `the most hires`. */
  private countedByPeriod(grain: Mention): { label: string } {
    const { top, text, counts, aggregate, whichs } = this.terms;
    if (top && !ranksNumbers(this.terms)) throw notRanked(top.mention);
    const labelled = this.words.filter(({ labels }) => labels.size > 0);
    // `每月的订单` may ask for a list of orders, but `orders by month` asks for numbers of orders.
    const isBefore = ({ mention }: SchemaWord): boolean => mention.start - grain.end === 1;
    const mayBeNumber = this.grammar === 'en' ? !/ly$/.test(grain.text) || labelled.some(isBefore) : /^按|趋势|月度/.test(grain.text);
    const lists = whichs.length > 0 || /\blist\b|列出|列举/.test(text);
    if (!top && counts.length === 0 && !aggregate && (lists || !mayBeNumber)) throw beyondPeriods(grain);
    const counted = top ? this.rankedByPeriod(labelled, top.mention) : this.headOfPeriod(labelled);
    if (counted) {
      const label = this.onlyLabel(counted);
      const dated = labelled.find(
        word => word !== counted && !word.labels.has(label) && [...word.labels].some(name => this.hasTimes(name)),
      );
      if (!dated) return { label };
      throw new UnplannableError(
        `不清楚“${grain.text}”按“${counted.mention.text}”还是“${dated.mention.text}”的日期，请分开问`,
        `It is not clear whether "${grain.text}" is by the date of "${counted.mention.text}" or of "${dated.mention.text}"; ask apart`,
      );
    }
    const owners = [...new Set(this.words.flatMap(word => this.ownersOfDate(word)))];
    const [owner] = owners;
    if (labelled.length === 0 && owner !== undefined && owners.length === 1) return { label: owner };
    throw new UnplannableError(`不清楚按“${grain.text}”统计什么`, `It is not clear what is counted by "${grain.text}" in "${text}"`);
  }

  /** The labels with a date of the event that the word names, such as 入职 or `hires`. */
  private ownersOfDate({ properties, mention }: SchemaWord): string[] {
    if (properties.length === 0) return this.schema.labels.flatMap(label => (dateOfEvent(label, mention) ? [label.name] : []));
    return properties.filter(isTime).flatMap(({ owner, ownerName }) => (owner === 'node' ? [ownerName] : []));
  }

  /** The counted word beside the ranking: `哪个月入职的员工最多`, `which month had the most bookings`. Null if another thing is ranked. */
  private rankedByPeriod(labelled: SchemaWord[], top: Mention): SchemaWord | null {
    const { text } = this.terms;
    const before = labelled.filter(({ mention }) => mention.end <= top.start);
    const after = labelled.filter(({ mention }) => mention.start >= top.end);
    if (this.grammar === 'en') {
      const isOfOther = before.some(({ mention }) => /\b(?:with|who|that|which|whose|having)\b/.test(text.slice(mention.end, top.start)));
      return isOfOther ? null : (after[0] ?? before.at(-1) ?? null);
    }
    if (after.length === 0) return before.at(-1) ?? null;
    return before.length === 0 && after.length === 1 && /有$/.test(text.slice(0, top.start)) ? (after[0] ?? null) : null;
  }

  /** The word for the counted things: `hotel bookings per month` counts bookings. */
  private headOfPeriod(labelled: SchemaWord[]): SchemaWord | null {
    const asked = labelled.find(word => word === this.asked.word) ?? (labelled.length === 1 ? labelled[0] : undefined);
    const follows = (word: SchemaWord): SchemaWord =>
      labelled.find(({ mention }) => this.grammar === 'en' && mention.start - word.mention.end === 1) ?? word;
    return asked ? follows(asked) : null;
  }

  /** Refuses a second grouping: `by month and hotel`. */
  private refuseListed(others: SchemaWord[]): void {
    const listed = others.find(({ mention }) => /(?:[,，、和与及]|\band|\bby)\s*$/.test(this.terms.text.slice(0, mention.start)));
    if (!listed) return;
    throw new UnplannableError(
      `暂不能同时按时间和“${listed.mention.text}”统计，请分开问`,
      `Numbers by time and by "${listed.mention.text}" at once are not supported yet; ask apart`,
    );
  }

  private assume(grain: Mention, date: PropertySchema, period: string, writer: CypherWriter): void {
    const dated = [
      ...writer.nodes.slice(1).flatMap(({ label }) => (this.hasTimes(label) ? [label] : [])),
      ...this.schema.edges.flatMap(edge => (writer.follows(edge.type) && timesOf(edge).length > 0 ? [edge.type] : [])),
    ];
    if (dated.length > 0)
      throw new UnplannableError(
        `不清楚“${grain.text}”按“${writer.target}”还是“${dated.join('、')}”的日期，请写明日期`,
        `It is not clear whether "${grain.text}" is by the date of "${writer.target}" or of "${dated.join(', ')}": name the date`,
      );
    const spoken = this.spokenProperty(date);
    this.notes.push({ zh: `${period}按“${spoken}”计`, en: `The ${period} is that of "${spoken}"` });
  }

  private hasTimes(name: string): boolean {
    const label = this.labelOf(name);
    return label !== undefined && timesOf(label).length > 0;
  }
}

function beyondPeriods({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `按“${text}”暂只能统计数量、合计或平均，或问哪一个最多，请换一种问法`,
    `By "${text}" there can only be numbers, sums or averages yet, or which has the most; ask in another way`,
  );
}

function neverHappened(negation: string, { text }: Mention): UnplannableError {
  return new UnplannableError(
    `“${negation}”没有日期，不能按“${text}”统计`,
    `The part "${negation}" has no date, so it cannot be grouped by "${text}"`,
  );
}

function onlyYears(property: string, { text }: Mention): UnplannableError {
  return new UnplannableError(
    `“${property}”只有年份，不能按“${text}”统计；请按年`,
    `"${property}" is only a year, so nothing can be grouped by "${text}"; ask by year`,
  );
}

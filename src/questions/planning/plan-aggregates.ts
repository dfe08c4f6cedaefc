import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type MeaningOf, type Mention } from '../linking/meaning.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { follows, groupProperty, grouping, isEach } from './find-groups.js';
import { type MeasuredProperty } from './measures.js';
import { ComparisonPlanner } from './plan-comparisons.js';
import { type GraphPlan, UnplannableError } from './question-plan.js';
import { leadsToOne, reversed } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';

/** Plans for averages and sums. */
export abstract class AggregatePlanner extends ComparisonPlanner {
  /** Plans an average or a sum for each member of a group: `the average freight per order`, `total freight by customer`. */
  protected aggregateByGroup(by: 'avg' | 'sum', measured: MeasuredProperty, group: SchemaWord): Promise<GraphPlan> {
    const words = this.terms.groups.filter(word => isEach(word.text) || follows(group.mention, word));
    // Each measured thing is a group of its own, so the average is taken over all things.
    if (by === 'avg' && group.labels.has(measured.label)) return this.aggregate(by, measured, words);
    return this.aggregateOver(by, measured, group, words);
  }

  /**
   * The word for the things that are ranked by an aggregate over other things: `the customers with the highest total freight`.
   * @throws UnplannableError if it is unclear which things are ranked
   */
  protected rankedBeside({ label }: MeasuredProperty): SchemaWord {
    const asked = this.asked.word ?? this.words.find(({ labels }) => labels.size > 0 && !labels.has(label));
    if (asked && asked.labels.size > 0) return asked;
    throw new UnplannableError('不清楚排的是什么', 'It is not clear what is ranked');
  }

  /** Aggregates a property over nodes that are one hop from each thing. On a longer path it is unclear how often a node counts. */
  protected async aggregateOver(
    by: 'avg' | 'sum',
    measured: MeasuredProperty,
    target: SchemaWord,
    groups: Mention[] = [],
  ): Promise<GraphPlan> {
    const { label, property, word } = measured;
    const { top } = this.terms;
    this.use({
      aggregate: true,
      groups,
      order: this.isInOrder(word?.mention ?? null, top?.descending !== false),
      property: term => term.mention === word?.mention || this.isLimit(term.mention),
    });
    const to = this.onlyLabel(target);
    const relations = this.words.filter(each => each.labels.size === 0 && each.relations.size > 0);
    const way = to === label ? [] : await this.wayTo(to, label, relations, null);
    if (way.length !== 1)
      throw new UnplannableError(
        `“${to}”与“${label}”不是一步相连，无法按它求平均或合计`,
        `Averages and sums of "${label}" by "${to}" need one relation between the two`,
      );
    const onWay = this.words.filter(each => each.labels.has(label) || each.relations.has(way[0]?.type ?? ''));
    const without = [...onWay, ...(word ? [word] : [])].filter(each => each !== target);
    const writer = await this.read({ target: to, asked: { word: target, type: null }, without, counted: way });
    const end = this.countedEnd ?? '';
    const measure = this.spokenAggregate(by, property);
    const direction = top?.descending === false ? 'ASC' : 'DESC';
    const name = quoteName(measure);
    const returns = `WITH DISTINCT t, ${end} WHERE ${end}.${quoteName(property.name)} IS NOT NULL RETURN t, ${by}(${end}.${quoteName(property.name)}) AS ${name} ORDER BY ${name} ${direction}${this.thenDisplay(to)}`;
    if (top) return this.ranked(writer, returns, target, to, measure);
    const shape = { kind: 'group' as const, subject: this.subjectOf(target, to), measure, spoken: [], descending: true };
    return this.done(writer, returns, shape);
  }

  /** @param each the grouping words that stand for the measured things themselves: `per order` in `the average freight per order` */
  protected async aggregate(by: 'avg' | 'sum', { property, label, word }: MeasuredProperty, each: Mention[] = []): Promise<GraphPlan> {
    const group = groupProperty(this.terms, label);
    const { groups, property: isGroup } = grouping(this.terms, group);
    this.use({
      groups: [...groups, ...each],
      property: term => isGroup(term) || term.mention === word?.mention || this.isLimit(term.mention),
      aggregate: true,
      order: group !== null && this.isInOrder(word?.mention ?? null, true),
    });
    const writer = await this.read({
      target: label,
      without: [...(word ? [word] : []), ...(group ? this.wordsOfProperty(group) : [])],
    });
    const measure = this.spokenAggregate(by, property);
    // A path may lead to one node several times, but each node counts once.
    const value = { expression: `${by}(t.${quoteName(property.name)})`, name: quoteName(measure) };
    const weighed = this.weighedBy(writer, label, word);
    const distinct = weighed !== null ? `WITH DISTINCT t, ${weighed} ` : writer.edges.length > 0 ? 'WITH DISTINCT t ' : '';
    if (group) return this.byProperty(writer, group, value, measure, distinct);
    const shape = { kind: 'aggregate' as const, subject: this.spokenLabel(label), measure, spoken: [], descending: false };
    return this.done(writer, `${distinct}RETURN ${value.expression} AS ${value.name}`, shape);
  }

  /**
   * Finds the nodes for each of which a measured value counts once. In `total seats of the aircraft of Delta` the type of an aircraft has
   * the property, but the seats count once for each aircraft, not once for each type.
   * @returns the variable of the named nodes (aircraft); null if the question names the measured nodes (types) themselves
   * @throws UnplannableError if a named node leads to several measured nodes
   */
  private weighedBy(writer: CypherWriter, label: string, measured: SchemaWord | null): string | null {
    const labelled = this.words.filter(word => word.labels.size > 0 && word !== measured);
    if (measured === null || labelled.some(({ labels }) => labels.has(label))) return null;
    const distance = ({ mention }: SchemaWord): number => Math.abs(mention.start - measured.mention.start);
    const [nearest] = labelled.sort((a, b) => distance(a) - distance(b));
    const nodes = writer.nodes.filter(node => nearest?.labels.has(node.label));
    const [node] = nodes;
    if (!nearest || !node) return null;
    const { text } = nearest.mention;
    const [out, back] = [node.way, reversed(node.way)].map(way => leadsToOne(way, this.schema.toOne));
    if (nodes.length > 1 || (!out && !back))
      throw new UnplannableError(
        `“${label}”才有这个属性，一个“${text}”可能对应几个，不清楚怎样计；请问“${label}”的，或改用 cypher`,
        `Only "${label}" has this property, and one of "${text}" may lead to several, so it is not clear how they count; ask for that of "${label}", or use cypher`,
      );
    this.notes.push({ zh: `每个“${text}”各计一次`, en: `Each of "${text}" counts once` });
    return node.variable;
  }

  protected byProperty(
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

  protected spokenAggregate(by: 'avg' | 'sum', property: PropertySchema): string {
    const name = this.spokenProperty(property);
    if (by === 'sum' && /^(?:总|total )/i.test(name)) return name;
    const [zh, en] = by === 'avg' ? [`平均${name}`, `average ${name}`] : [`${name}合计`, `total ${name}`];
    return this.language === 'zh' ? zh : en;
  }
}

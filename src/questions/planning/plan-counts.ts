import { type Comparison, type MeaningOf } from '../linking/meaning.js';
import { pluralOf, singularOf } from '../linking/noun-forms.js';
import { outsideNames, type QuestionTerms } from '../linking/question-terms.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { follows, isEach } from './find-groups.js';
import { type Threshold } from './measures.js';
import { countedOfSome, QuestionDraft } from './question-draft.js';
import { type GraphPlan, UnplannableError, usualTop } from './question-plan.js';
import { saysHighest } from './said-order.js';
import { refuseUnit } from './refuse-units.js';
import { describePath, type Hop, hopsFrom, pathsFrom } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';
import { scorePath } from './score-path.js';

/** Plans that count the nodes to which other nodes lead. */
export abstract class CountPlanner extends QuestionDraft {
  protected async countByGroup(group: SchemaWord): Promise<GraphPlan> {
    const counted = this.words.find(({ labels }) => labels.size > 0 && [...labels].every(label => !group.labels.has(label)));
    if (!counted) throw new UnplannableError('没有说明要统计什么', 'It is not said what to count');
    const { text, counts } = this.terms;
    // `doctors by visits in descending order` may count the doctors or the visits.
    const isGroup = counts.length > 0 || singularOf(group.mention.text) === group.mention.text;
    const further = this.words.find(
      word => word !== counted && /^\s*(?:和|与|及|、|and)\s*$/.test(text.slice(group.mention.end, word.mention.start)),
    );
    if (further)
      throw new UnplannableError('暂不能按两者一起分组，请分开问', 'Groups by two things at once cannot be made yet; ask for each apart');
    this.use({
      counts: true,
      groups: this.terms.groups.filter(word => isEach(word.text) || follows(group.mention, word)),
      property: term => this.isLimit(term.mention),
      order: isGroup && this.isInOrder(null, true),
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

  /** Counts the different values of a property: `How many categories are there?`, 有多少种类别. */
  protected async countValues(word: SchemaWord): Promise<GraphPlan> {
    const target = this.words.find(({ labels }) => labels.size > 0) ?? null;
    const owners = word.properties.filter(({ owner, ownerName }) => owner === 'node' && (!target || target.labels.has(ownerName)));
    const [property, other] = owners;
    if (!property || other)
      throw new UnplannableError(
        `不清楚“${word.mention.text}”是什么的属性，请写明`,
        `It is not clear of what "${word.mention.text}" is a property; name that as well`,
      );
    this.use({ counts: true, property: term => term.mention === word.mention || this.isLimit(term.mention) });
    const writer = await this.read({ target: property.ownerName, asked: { word: target, type: null }, without: [word] });
    const name = this.language === 'zh' ? '数量' : 'count';
    const shape = { kind: 'count' as const, subject: this.spokenGroup(property), measure: null, spoken: [], descending: false };
    return this.done(writer, `RETURN count(DISTINCT t.${quoteName(property.property)}) AS ${name}`, shape);
  }

  /** Plans a question with a bound on a number of related nodes: `customers with more than 20 orders`. */
  protected async countAbove(threshold: Threshold): Promise<GraphPlan> {
    const { counted } = threshold;
    // `between 4 and 5 policies` sets two bounds on one number.
    const bounds = this.thresholds.filter(other => other.mention === threshold.mention);
    if (!counted) throw new UnplannableError('没有说明要统计什么', 'It is not said what to count');
    refuseUnit(threshold, null);
    this.use({ counts: true, property: term => this.isLimit(term.mention) });
    if (counted.labels.size === 0) return this.followedAbove(counted, bounds);
    const target =
      this.words.find(
        word =>
          word !== counted && word.labels.size > 0 && (word === this.asked.word || this.asked.word === counted || this.asked.word === null),
      ) ?? null;
    if (!target) {
      const word = this.asked.word;
      if (word && word !== counted && word.properties.length > 0) return this.groupsAbove(word, counted, bounds);
      throw new UnplannableError('不清楚问的是什么', 'It is not clear what is asked for');
    }
    return this.listAbove(target, this.onlyLabel(counted), counted, bounds);
  }

  /** Plans a question with a bound on the number of nodes to which a relation leads: `下单超过20次的客户`. */
  private followedAbove(counted: SchemaWord, bounds: Threshold[]): Promise<GraphPlan> {
    const target = this.asked.word ?? this.words.find(({ labels }) => labels.size > 0);
    const ends = target ? hopsFrom(this.schema, this.onlyLabel(target)).filter(({ type }) => counted.relations.has(type)) : [];
    const [end] = ends;
    if (!target || !end || ends.length > 1)
      throw new UnplannableError(`不清楚“${counted.mention.text}”的是什么`, `It is not clear what is counted by "${counted.mention.text}"`);
    return this.listAbove(target, end.to, null, bounds);
  }

  private listAbove(target: SchemaWord, counted: string, word: SchemaWord | null, bounds: Threshold[]): Promise<GraphPlan> {
    if (allHold(0, bounds) && !allHold(1, bounds) && this.terms.times.length > 0) throw noneWithin();
    const order = `ORDER BY n DESC${this.thenDisplay(this.onlyLabel(target))}`;
    return this.countOver(
      target,
      counted,
      word,
      'list',
      allHold(0, bounds),
      (end, writer) => `WITH t, count(DISTINCT ${end}) AS n WHERE ${withinBounds(writer, bounds)} RETURN t, n ${order}`,
    );
  }

  protected async groupsAbove(word: SchemaWord, counted: SchemaWord, bounds: Threshold[]): Promise<GraphPlan> {
    const label = this.onlyLabel(counted);
    const group = this.groupOf(word, counted);
    this.usedProperties.add(word);
    const writer = await this.read({ target: label, asked: { word: counted, type: null }, without: [word] });
    const name = quoteName(group.property);
    const spoken = this.spokenLabel(label);
    const measure = this.numberOf(spoken);
    const shape = { kind: 'group' as const, subject: this.spokenGroup(group), measure, spoken: [], descending: true };
    writer.where(`t.${name} IS NOT NULL`);
    return this.done(
      writer,
      `WITH t.${name} AS ${name}, count(DISTINCT t) AS n WHERE ${withinBounds(writer, bounds)} RETURN ${name}, n ORDER BY n DESC, ${name}`,
      shape,
    );
  }

  /** Counts the nodes to which each node of a label leads. With `orNone`, nodes without such a node are included with a count of 0. */
  protected async countOver(
    target: SchemaWord,
    counted: string,
    countedWord: SchemaWord | null,
    kind: 'rank' | 'group' | 'list',
    orNone: boolean,
    returns: (counted: string, writer: CypherWriter) => string,
  ): Promise<GraphPlan> {
    const label = this.onlyLabel(target);
    const relations = this.words.filter(word => word.labels.size === 0 && word.relations.size > 0);
    // `the captain with the most flights`: the noun for a role also names the relation of the path.
    const role = target.isRole ? [{ ...target, labels: new Set<string>() }] : [];
    const way = await this.wayTo(label, counted, [...role, ...relations], countedWord);
    const isOnWay = way.some(({ type }) => target.relations.has(type));
    const onWay = relations.filter(({ relations: types }) => way.some(hop => types.has(hop.type)));
    const writer = await this.read({
      target: label,
      asked: {
        word: isOnWay ? { mention: target.mention, labels: target.labels, relations: new Set(), properties: [] } : target,
        type: null,
      },
      without: [...onWay, ...(isOnWay ? [target] : []), ...(countedWord ? [countedWord] : [])],
      counted: orNone && this.terms.times.length === 0 ? null : way,
    });
    const { entities, values } = this.terms;
    const limitsOthers =
      entities.some(({ nodes }) => !nodes.some(node => node.label === label)) ||
      values.some(term => !term.values.some(value => value.label === label));
    if (orNone && limitsOthers && writer.edges.some(({ type }) => type === way[0]?.type)) throw countedOfSome();
    const name = this.spokenLabel(counted);
    const end =
      writer.variableOf(counted) !== null && !(orNone && this.terms.times.length === 0) && counted !== label
        ? (this.countedEnd ?? '')
        : writer.addOptionalPath(way, () => null);
    if (orNone && this.terms.times.length > 0)
      this.notes.push({ zh: `没有“${name}”的未计入`, en: `Those without ${pluralOf(name)} are not included` });
    // A relation is counted by its edges: a player may score several times in one match.
    const [relation] = countedWord === null && way.length === 1 ? relations : [];
    const of = relation ? (writer.edges.findLast(({ type }) => type === way[0]?.type)?.variable ?? end) : end;
    const measure = relation ? this.timesOf(relation) : this.numberOf(name);
    if (kind === 'rank') return this.ranked(writer, returns(of, writer) + this.thenDisplay(label), target, label, measure);
    return this.done(writer, returns(of, writer), { kind, subject: this.subjectOf(target, label), measure, spoken: [], descending: true });
  }

  protected ranked(writer: CypherWriter, returns: string, target: SchemaWord | null, label: string, measure: string): GraphPlan {
    const shape = {
      kind: 'rank' as const,
      subject: this.subjectOf(target, label),
      measure,
      spoken: [],
      descending: saysHighest(this.terms),
    };
    return { ...this.done(writer, returns, shape), top: this.topCount(target) };
  }

  /** The path by which nodes are counted: the shortest path that the words name, if there is only one. */
  protected async wayTo(from: string, to: string, words: SchemaWord[], asked: SchemaWord | null): Promise<Hop[]> {
    const clues = { words: [...words, ...(asked ? [asked] : [])], ofTopic: null, asked, shared: null, namesEnd: () => true };
    const scored: { hops: Hop[]; score: number }[] = [];
    for (const hops of pathsFrom(this.schema, from)) {
      if (this.pace.isOverdue) await this.pace.turn();
      if (hops.length > 0 && hops.at(-1)?.to === to) scored.push({ hops, score: scorePath({ start: from, hops }, clues).score });
    }
    scored.sort((a, b) => b.score - a.score || a.hops.length - b.hops.length);
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

  protected groupOf(word: SchemaWord, counted: SchemaWord): MeaningOf<'property'> {
    const label = this.onlyLabel(counted);
    const group = word.properties.find(({ owner, ownerName }) => owner === 'node' && ownerName === label);
    if (group) return group;
    throw new UnplannableError(`“${word.mention.text}”不是“${label}”的属性`, `"${word.mention.text}" is not a property of "${label}"`);
  }

  protected topCount(target: SchemaWord | null): number {
    const { top, whichs } = this.terms;
    if (top?.count != null) return top.count;
    // `which of the ships has the highest capacity`, `who has the highest salary among the pilots`: the singular verb asks for one thing.
    if (/\bwhich of\b|\b(?:who|which one|what) (?:had|[a-z]*s)\b/.test(outsideNames(this.terms))) return 1;
    const plural = this.language === 'zh' ? whichs.some(mention => /些|几/.test(mention.text)) : /s$/.test(target?.mention.text ?? '');
    return plural ? usualTop : 1;
  }
}

const beforeValues = /^(?:种|类|个|\s|different\b|distinct\b)*$/;

/** The word for a property of texts whose values a question counts: 多少种类别, `how many categories`, 类别有几种. Null if there is none. */
export function countedValues({ text, counts }: QuestionTerms, words: SchemaWord[]): SchemaWord | null {
  const isCounted = ({ mention, labels, relations, properties }: SchemaWord): boolean =>
    labels.size + relations.size === 0 &&
    properties.length > 0 &&
    properties.every(({ type }) => type === 'string') &&
    counts.some(
      count =>
        (count.end <= mention.start && beforeValues.test(text.slice(count.end, mention.start))) ||
        (mention.end === count.start && /[种个类]$/.test(count.text)),
    );
  return words.find(isCounted) ?? null;
}

function withinBounds(writer: CypherWriter, bounds: Threshold[]): string {
  return bounds.map(({ operator, value }) => `n ${operator} ${writer.parameter(value)}`).join(' AND ');
}

function allHold(count: number, bounds: Threshold[]): boolean {
  return bounds.every(({ operator, value }) => holds(count, operator, value));
}

function holds(left: number, operator: Comparison, right: number): boolean {
  switch (operator) {
    case '>':
      return left > right;
    case '<':
      return left < right;
    case '>=':
      return left >= right;
    case '<=':
      return left <= right;
    case '=':
      return left === right;
    default:
      return operator satisfies never;
  }
}

function noneWithin(): UnplannableError {
  return new UnplannableError(
    '暂不能找出某段时间内一个也没有的，请改用 cypher',
    'Those that have none within a time cannot be found yet; use cypher',
  );
}

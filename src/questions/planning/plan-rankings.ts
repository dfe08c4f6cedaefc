import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type MeaningOf, type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { type Anchor, groupAnchors, isEntity } from './anchors.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { follows } from './find-groups.js';
import { isDate } from './label-dates.js';
import { type MeasuredProperty, type Threshold } from './measures.js';
import { type GraphPlan, UnplannableError } from './question-plan.js';
import { describePath, type Hop, pathsFrom } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';
import { scorePath } from './score-path.js';
import { QuestionDraft } from './question-draft.js';

const usualTop = 5;

/** Plans that rank, group or count over a relation. */
export abstract class RankingPlanner extends QuestionDraft {
  protected async rankByProperty({ label, property, word }: MeasuredProperty): Promise<GraphPlan> {
    const { top } = this.terms;
    this.use({ property: term => term.mention === word?.mention || this.isLimit(term.mention) });
    const asked = this.asked.word;
    if (asked && asked !== word && asked.labels.size > 0 && !asked.labels.has(label)) return this.ofHighest(label, property, word);
    const target = this.words.find(({ labels }) => labels.has(label)) ?? null;
    const writer = await this.read({ target: label, asked: { word: target, type: null }, without: word ? [word] : [] });
    const measure = `t.${quoteName(property.name)}`;
    if (this.asked.type === 'when' && isDate(property.type) && (top?.count ?? 1) === 1) return this.lastDate(writer, label, property);
    writer.where(`${measure} IS NOT NULL`);
    const name = quoteName(property.name);
    const returns = `RETURN DISTINCT t, ${measure} AS ${name} ORDER BY ${name} ${top?.descending === false ? 'ASC' : 'DESC'}${this.thenDisplay(label)}`;
    return this.ranked(writer, returns, target, label, this.spokenProperty(property));
  }

  /** `when was the first order placed` */
  private lastDate(writer: CypherWriter, label: string, property: PropertySchema): GraphPlan {
    const isLast = this.terms.top?.descending !== false;
    const name = this.spokenProperty(property);
    const [zh, en] = isLast ? [`最近的${name}`, `latest ${name}`] : [`最早的${name}`, `earliest ${name}`];
    const measure = this.language === 'zh' ? zh : en;
    const shape = { kind: 'aggregate' as const, subject: this.spokenLabel(label), measure, spoken: [], descending: isLast };
    return this.done(writer, `RETURN ${isLast ? 'max' : 'min'}(t.${quoteName(property.name)}) AS ${quoteName(measure)}`, shape);
  }

  /** `运费最高的订单是哪个客户下的`: asks for something of what has the highest value, and shows all if several have it. */
  protected async ofHighest(label: string, property: PropertySchema, word: SchemaWord | null): Promise<GraphPlan> {
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
      descending: top.descending,
    };
    const plan = this.done(writer, `RETURN DISTINCT t, ${place} AS ${quoteName(property.name)}${this.displayOrder(label2)}`, shape);
    return { ...plan, cypher: from + plan.cypher };
  }

  protected async rankByCount(): Promise<GraphPlan> {
    this.use({ counts: true, property: term => term.mention === this.asked.word?.mention || this.isLimit(term.mention) });
    const { top } = this.terms;
    if (top && !ranksNumbers(this.terms)) throw notRanked(top.mention);
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
  protected rankGroups(word: SchemaWord, counted: SchemaWord): Promise<GraphPlan> {
    return this.rankBy(this.groupOf(word, counted), counted, [word]);
  }

  protected async rankBy(group: MeaningOf<'property'>, counted: SchemaWord, without: SchemaWord[]): Promise<GraphPlan> {
    const label = this.onlyLabel(counted);
    const writer = await this.read({ target: label, asked: { word: counted, type: null }, without });
    const name = quoteName(group.property);
    writer.where(`t.${name} IS NOT NULL`);
    const spoken = this.spokenLabel(label);
    const measure = this.language === 'zh' ? `${spoken}数` : `number of ${spoken}`;
    const direction = this.terms.top?.descending === false ? 'ASC' : 'DESC';
    const returns = `RETURN t.${name} AS ${name}, count(DISTINCT t) AS n ORDER BY n ${direction}, ${name}`;
    return this.ranked(writer, returns, null, this.spokenGroup(group), measure);
  }

  protected groupOf(word: SchemaWord, counted: SchemaWord): MeaningOf<'property'> {
    const label = this.onlyLabel(counted);
    const group = word.properties.find(({ owner, ownerName }) => owner === 'node' && ownerName === label);
    if (group) return group;
    throw new UnplannableError(`“${word.mention.text}”不是“${label}”的属性`, `"${word.mention.text}" is not a property of "${label}"`);
  }

  protected requireTwo(mention: Mention): Anchor {
    const two = groupAnchors(this.terms).find(({ terms, negated }) => terms.length > 1 && !negated);
    if (two) return two;
    throw new UnplannableError(`不清楚“${mention.text}”比较的是什么`, `It is not clear what "${mention.text}" compares`);
  }

  /** `Brazil和UK哪个国家的客户多`: ranks the named things only. */
  protected compareCounts(labelled: SchemaWord[]): Promise<GraphPlan> {
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

  protected async countByGroup(group: SchemaWord): Promise<GraphPlan> {
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
  protected async countAbove({ counted, operator, value }: Threshold): Promise<GraphPlan> {
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

  protected async groupsAbove(word: SchemaWord, counted: SchemaWord, operator: string, value: number): Promise<GraphPlan> {
    const label = this.onlyLabel(counted);
    const group = this.groupOf(word, counted);
    this.usedProperties.add(word);
    const writer = await this.read({ target: label, asked: { word: counted, type: null }, without: [word] });
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
  protected async countOver(
    target: SchemaWord,
    counted: string,
    countedWord: SchemaWord | null,
    kind: 'rank' | 'group' | 'list',
    orNone: boolean,
    returns: (end: string, writer: CypherWriter) => string,
  ): Promise<GraphPlan> {
    const label = this.onlyLabel(target);
    const relations = this.words.filter(word => word.labels.size === 0 && word.relations.size > 0);
    const way = await this.wayTo(label, counted, relations, countedWord);
    const onWay = relations.filter(({ relations: types }) => way.some(hop => types.has(hop.type)));
    const writer = await this.read({
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

  protected ranked(writer: CypherWriter, returns: string, target: SchemaWord | null, label: string, measure: string): GraphPlan {
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

  /** Finds what is ranked and what is counted: `订单最多的客户`, `哪个客户的订单最多`, `which customers placed the most orders`. */
  protected countedPair(labelled: SchemaWord[]): { target: SchemaWord; counted: string; countedWord: SchemaWord | null } {
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

  protected topCount(target: SchemaWord | null): number {
    const { top, whichs } = this.terms;
    if (top?.count != null) return top.count;
    const plural = this.language === 'zh' ? whichs.some(mention => /些|几/.test(mention.text)) : /s$/.test(target?.mention.text ?? '');
    return plural ? usualTop : 1;
  }
}

/** Only "most" and "fewest" rank by how many there are, or a word for a number: the largest order is not the most orders. */
function ranksNumbers({ top, counts }: QuestionTerms): boolean {
  if (!top || top.by !== null) return false;
  return counts.length > 0 || /[多少]|\b(?:most|fewest|least|more|fewer|less)\b/.test(top.mention.text);
}

function notRanked({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `不清楚“${text}”按什么排：请写出属性，按数量排请用“最多”或“最少”`,
    `It is not clear by what "${text}" ranks: name a property, or use "most" or "fewest" to rank by number`,
  );
}

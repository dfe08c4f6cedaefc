import { type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { type Anchor, groupAnchors, isEntity } from './anchors.js';
import { type MeasuredProperty } from './measures.js';
import { notRanked, RankingPlanner, ranksNumbers } from './plan-rankings.js';
import { type GraphPlan, UnplannableError } from './question-plan.js';

/** Plans that compare two named things. */
export abstract class ComparisonPlanner extends RankingPlanner {
  /**
   * Ranks two named things by a property or by a count: `Brazil和UK哪个国家的客户多`, `Is Chai more expensive than Chang`. A question with
   * "than" wants yes or no, and its answer shows both things.
   * @throws UnplannableError when it is not clear which two things are compared
   */
  protected async compare(measured: MeasuredProperty | null): Promise<GraphPlan> {
    const { top, than } = this.terms;
    if (!top) throw new UnplannableError('没有排序', 'Nothing to rank by');
    const two = this.requireTwo(top.mention);
    const [first, second] = two.terms;
    const isOrdered = than === null || (first && second && first.mention.end <= than.start && than.end <= second.mention.start);
    if (two.terms.length > 2 || !first || !isOrdered || (than !== null && this.terms.whether === null))
      throw notCompared(than ?? top.mention);
    // `Does Brazil or the UK have more customers` asks which of the two has more, so the answer is not yes or no.
    if (than === null && two.join === 'or') this.terms.whether = null;
    if (measured && !two.labels.includes(measured.label)) throw notCompared(top.mention);
    const plan = measured ? await this.rankByProperty(measured) : await this.compareCounts(two, top);
    if (than === null) return plan;
    const name = isEntity(first) ? this.displayOf(first) : first.values[0]?.value;
    return { ...plan, top: two.terms.length, shape: { ...plan.shape, first: name ?? first.mention.text } };
  }

  private requireTwo(mention: Mention): Anchor {
    const two = groupAnchors(this.terms).find(({ terms, negated }) => terms.length > 1 && !negated);
    if (two) return two;
    throw notCompared(mention);
  }

  private compareCounts(two: Anchor, top: NonNullable<QuestionTerms['top']>): Promise<GraphPlan> {
    this.use({ counts: true, than: true, property: term => term.mention === this.asked.word?.mention || this.isLimit(term.mention) });
    if (!ranksNumbers(this.terms)) throw notRanked(top.mention);
    const labelled = this.words.filter(({ labels }) => labels.size > 0);
    const [label] = two.labels;
    const areNodes = two.terms.every(isEntity);
    // The counted noun follows the ranking in `more orders`, but precedes it in 订单多.
    const counted = /^[a-z]/.test(top.mention.text) ? labelled.find(({ mention }) => mention.start >= top.mention.end) : labelled.filter(({ mention }) => mention.end <= top.mention.start).at(-1); // prettier-ignore
    const isKnown = (name: string): boolean => (areNodes && name === label) || (counted?.labels.has(name) ?? false);
    const isClear = labelled.every(({ labels }) => [...labels].some(isKnown)) && !(areNodes && (two.labels.length > 1 || counted?.labels.has(label ?? ''))); // prettier-ignore
    if (label === undefined || !counted || !isClear) throw notCompared(top.mention);
    const [first] = two.terms;
    if (first && !isEntity(first)) {
      const value = first.values.find(each => counted.labels.has(each.label));
      if (!value)
        throw new UnplannableError(
          `“${first.mention.text}”不是“${counted.mention.text}”的值`,
          `"${first.mention.text}" is not a value of "${counted.mention.text}"`,
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
      mention: { ...two.mention, text: this.spokenLabel(label) },
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
}

function notCompared({ text }: Mention): UnplannableError {
  return new UnplannableError(`不清楚“${text}”比较的是什么`, `It is not clear what "${text}" compares`);
}

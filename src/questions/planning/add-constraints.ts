import { type Bilingual } from '../../text/bilingual.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { describePath, type Hop, hopsFrom, isComplete, leadsToOne, type PathHints, rankPaths, type ToOne } from './rank-paths.js';
import { type Mention } from '../linking/meaning.js';
import { type EntityTerm, type LabelTerm, type PropertyTerm, type QuestionTerms } from '../linking/question-terms.js';

/** The question has no plan. The answer gives the reason instead of guessing. */
export class UnplannableError extends Error {
  readonly reason: Bilingual;

  constructor(zh: string, en: string) {
    super(en);
    this.reason = { zh, en };
  }
}

type Ranked = { path: string; score: number }[];

/** A graph's schema, with the edge types that lead to one node at most. */
export type PlanSchema = GraphSchema & { toOne: ToOne };

export function isNumeric(type: string): boolean {
  return /^(?:int|bigint|float|decimal(?:\(.*\))?)$/.test(type);
}

/**
 * Limits the query by everything else that the question names: entities, values, comparisons, times, relations and labels on the
 * way. Several entities of one label, and several values of one property, are alternatives, or else refused. Returns the paths
 * considered and a note on what an exclusion passes over.
 */
export function addConstraints(
  writer: CypherWriter,
  terms: QuestionTerms,
  target: LabelTerm | null,
  schema: PlanSchema,
  entities: ReadonlyMap<number, AnswerNode>,
): { considered: Ranked; notes: Bilingual[] } {
  const hints: PathHints = {
    relations: new Set(terms.relations.map(term => term.type)),
    labels: new Set(terms.labels.filter(term => term !== target).map(term => term.label)),
  };
  const considered: Ranked = [];
  const notes: Bilingual[] = [];
  const bestPaths = new Map<string, Hop[]>();
  const bestPath = (label: string): Hop[] => {
    const known = bestPaths.get(label);
    if (known) return known;
    const ranked = rankPaths(schema, writer.target, label, hints);
    considered.push(...ranked.map(({ hops, score }) => ({ path: describePath(hops), score })));
    if (!ranked[0])
      throw new UnplannableError(
        `“${writer.target}”与“${label}”之间没有关系路径`,
        `No relation leads from "${writer.target}" to "${label}"`,
      );
    bestPaths.set(label, ranked[0].hops);
    return ranked[0].hops;
  };
  /** Returns the variable of a node with this label, on the best path there. */
  const reach = (label: string): string => (label === writer.target ? 't' : writer.addPath(bestPath(label)));
  /** Does the same for an excluded node. This is sound only if there is at most one such node. */
  const reachOne = (label: string, mention: Mention): string => {
    if (label === writer.target) return 't';
    const hops = bestPath(label);
    if (!leadsToOne(hops, schema.toOne))
      throw new UnplannableError(
        `无法排除“${mention.text}”：一个“${writer.target}”可以有多个“${label}”`,
        `"${mention.text}" cannot be excluded: one "${writer.target}" may have several "${label}"`,
      );
    const way = describePath(hops);
    if (!isComplete(hops, schema))
      notes.push({ zh: `没有 ${way} 的“${writer.target}”未计入`, en: `"${writer.target}" without ${way} is not included` });
    return writer.addPath(hops);
  };

  const byLabel = groupBy(terms.entities, term => {
    const label = chooseLabel(term, writer.target, schema, hints);
    return { key: JSON.stringify([label, term.negated]), label };
  });
  for (const { label, members } of byLabel) {
    const [first] = members;
    const nodes = members.flatMap(term => term.nodes.filter(node => node.label === label).map(node => entities.get(node.id)));
    if (first.negated) writer.where(`NOT (${isOneOf(writer, reachOne(label, first.mention), label, nodes, schema)})`);
    else {
      if (label !== writer.target) refuseTogether(members, terms, () => leadsToOne(bestPath(label), schema.toOne));
      writer.where(isOneOf(writer, reach(label), label, nodes, schema));
    }
  }
  const byProperty = groupBy(terms.values, ({ mention, values, negated }) => {
    const best = values.find(value => value.label === writer.target) ?? values.find(value => writer.passes(value.label)) ?? values[0];
    if (!best) throw new UnplannableError(`不清楚“${mention.text}”指什么`, `It is not clear what "${mention.text}" is`);
    return { key: JSON.stringify([best.label, best.property, negated]), best };
  });
  for (const { best, members } of byProperty) {
    const [first] = members;
    const found = members.flatMap(term =>
      term.values.filter(value => value.label === best.label && value.property === best.property).map(value => value.value),
    );
    const isList = typeOf(schema, best) === 'string[]';
    if (!first.negated)
      refuseTogether(members, terms, () => !isList && (best.label === writer.target || leadsToOne(bestPath(best.label), schema.toOne)));
    const variable = first.negated ? reachOne(best.label, first.mention) : (writer.variableOf(best.label) ?? reach(best.label));
    const property = `${variable}.${quoteName(best.property)}`;
    const holds = isList ? holdsOneOf(writer, property, found) : equalsOneOf(writer, property, found);
    writer.where(first.negated ? `(NOT (${holds}) OR ${property} IS NULL)` : holds);
  }
  // Labels and relations that no path has passed yet must at least exist: `有订单的客户`.
  for (const { label } of terms.labels) if (label !== writer.target && !writer.passes(label)) reach(label);
  for (const { type, mention } of terms.relations) {
    if (writer.follows(type)) continue;
    const hops = hopsFrom(schema, writer.target).filter(candidate => candidate.type === type);
    const hop = hops.find(candidate => candidate.to !== writer.target);
    // The names do not say which of the two ends is asked for.
    if (!hop && hops.length > 0)
      throw new UnplannableError(
        `“${mention.text}”连接两个“${writer.target}”，不清楚问的是哪一端`,
        `"${mention.text}" leads from one "${writer.target}" to another, and it is not clear which is asked for`,
      );
    if (!hop)
      throw new UnplannableError(`“${mention.text}”与所问的对象没有关系`, `"${mention.text}" does not lead to or from what is asked for`);
    writer.addPath([hop]);
  }
  addComparisons(writer, terms);
  addTimes(writer, terms, schema);
  return { considered, notes };
}

function typeOf(schema: GraphSchema, { label, property }: { label: string; property: string }): string | undefined {
  return schema.labels.find(({ name }) => name === label)?.properties.find(({ name }) => name === property)?.type;
}

function equalsOneOf(writer: CypherWriter, property: string, values: string[]): string {
  return values.length === 1 ? `${property} = ${writer.parameter(values[0])}` : `${property} IN ${writer.parameter(values)}`;
}

function holdsOneOf(writer: CypherWriter, list: string, values: string[]): string {
  const each = values.map(value => `${writer.parameter(value)} IN ${list}`);
  return each.length === 1 ? each.join('') : `(${each.join(' OR ')})`;
}

/**
 * Refuses a question that wants all of several things at once, which is not supported. "and" between them asks for that, except
 * when there can be only one.
 */
function refuseTogether(members: { mention: Mention }[], { text, together }: QuestionTerms, isOne: () => boolean): void {
  if (members.length < 2) return;
  const [first, ...others] = members.map(term => term.mention).sort((a, b) => a.start - b.start);
  const joins = others.map((mention, i) => text.slice((i === 0 ? first : others[i - 1])?.end, mention.start));
  const word = together ?? (joins.some(join => /\band\b/.test(join)) && !isOne() ? 'and' : null);
  if (word === null) return;
  const [zh, en] = [`“${first?.text ?? ''}”等`, `"${first?.text ?? ''}" and the others`];
  throw new UnplannableError(
    `“${word}”要求同时满足${zh}，暂不支持；可用“或”来问其中任意一个`,
    `"${word}" asks for ${en} all at once, which is not supported; "or" asks for any of them`,
  );
}

function groupBy<T, G extends { key: string }>(terms: T[], groupOf: (term: T) => G): (G & { members: [T, ...T[]] })[] {
  const groups = new Map<string, G & { members: [T, ...T[]] }>();
  for (const term of terms) {
    const group = groupOf(term);
    const known = groups.get(group.key);
    if (known) known.members.push(term);
    else groups.set(group.key, { ...group, members: [term] });
  }
  return [...groups.values()];
}

/** Several times are alternatives: `2023年和2025年的订单`. */
function addTimes(writer: CypherWriter, { times }: QuestionTerms, schema: GraphSchema): void {
  const [first] = times;
  if (!first) return;
  const dated = writer.nodes.flatMap(node => datesOf(schema, node.label).map(property => `${node.variable}.${quoteName(property)}`))[0];
  if (dated === undefined)
    throw new UnplannableError(
      `所问的对象没有日期，无法限定“${first.mention.text}”`,
      `What is asked for has no date to limit to "${first.mention.text}"`,
    );
  const spans = times.map(({ from, to, isOpen }) =>
    [`${dated} >= ${writer.parameter(from)}`, ...(isOpen ? [] : [`${dated} < ${writer.parameter(to)}`])].join(' AND '),
  );
  writer.where(spans.length === 1 ? (spans[0] ?? '') : `(${spans.map(span => `(${span})`).join(' OR ')})`);
}

/** The property that a comparison is about: the last one before it. */
export function comparedProperty({ properties }: QuestionTerms, compare: Mention): PropertyTerm | undefined {
  return properties.filter(term => term.mention.end <= compare.start).at(-1) ?? properties[0];
}

function addComparisons(writer: CypherWriter, terms: QuestionTerms): void {
  for (const { mention, operator, value } of terms.compares) {
    const named = comparedProperty(terms, mention);
    const owner =
      named?.owners.find(candidate => candidate.owner === 'node' && candidate.ownerName === writer.target) ??
      named?.owners.find(candidate => writer.passes(candidate.ownerName));
    const variable = owner && writer.variableOf(owner.ownerName);
    const isCounted = terms.counts.some(count => named && named.mention.end <= count.start && count.end <= mention.start);
    if (!owner || !variable || !isNumeric(owner.type) || isCounted)
      throw new UnplannableError(`不清楚“${mention.text}”比较的是什么`, `It is not clear what "${mention.text}" compares`);
    writer.where(`${variable}.${quoteName(owner.property)} ${operator} ${writer.parameter(value)}`);
  }
}

/** Chooses among namesakes with several labels: the label asked for, or the nearest to it. */
function chooseLabel(term: EntityTerm, target: string, schema: GraphSchema, hints: PathHints): string {
  const labels = [...new Set(term.nodes.map(node => node.label))];
  if (labels.length === 1 || labels.includes(target)) return labels.includes(target) ? target : (labels[0] ?? target);
  const scored = labels.map(label => ({ label, score: rankPaths(schema, target, label, hints)[0]?.score ?? 0 }));
  return scored.sort((a, b) => b.score - a.score)[0]?.label ?? target;
}

/** `n.编号 = $p`: compares the key if it is a single property, else the id. */
function isOneOf(writer: CypherWriter, variable: string, label: string, nodes: (AnswerNode | undefined)[], schema: GraphSchema): string {
  const found = nodes.filter(node => node !== undefined);
  const keys = schema.labels.find(element => element.name === label)?.keyProperties ?? [];
  const key = keys.length === 1 && keys[0] !== '' ? keys[0] : undefined;
  const values = key === undefined ? [] : found.map(node => node.properties[key]);
  const byKey =
    key !== undefined && values.every(value => typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value)));
  const left = byKey ? `${variable}.${quoteName(key)}` : `id(${variable})`;
  const right = byKey ? values : found.map(node => node.id);
  return right.length === 1 ? `${left} = ${writer.parameter(right[0])}` : `${left} IN ${writer.parameter(right)}`;
}

function datesOf(schema: GraphSchema, label: string): string[] {
  const properties = schema.labels.find(element => element.name === label)?.properties ?? [];
  return properties.filter(property => property.type === 'date' || property.type === 'datetime').map(property => property.name);
}

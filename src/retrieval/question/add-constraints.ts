import { type ErrorText } from '../../common/errors/api-error.js';
import { type AnswerNode } from '../protocol.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { type QuestionSchema } from './lexicon.js';
import { describePath, hopsFrom, type PathHints, rankPaths } from './rank-paths.js';
import { type EntityTerm, type LabelTerm, type QuestionTerms } from './question-terms.js';

/** Why a question has no plan; the answer says so instead of guessing. */
export class UnplannableError extends Error {
  readonly reason: ErrorText;

  constructor(zh: string, en: string) {
    super(en);
    this.reason = { zh, en };
  }
}

type Ranked = { path: string; score: number }[];

export function isNumeric(type: string): boolean {
  return /^(int|bigint|decimal|float)/.test(type);
}

/**
 * Limits what is asked for by everything else that the question names: entities, values, comparisons, times, relations and labels on
 * the way. Returns the paths that were considered.
 */
export function addConstraints(
  writer: CypherWriter,
  terms: QuestionTerms,
  target: LabelTerm | null,
  schema: QuestionSchema,
  entities: ReadonlyMap<number, AnswerNode>,
): Ranked {
  const hints: PathHints = {
    relations: new Set(terms.relations.map(term => term.type)),
    labels: new Set(terms.labels.filter(term => term !== target).map(term => term.label)),
  };
  const considered: Ranked = [];
  /** The variable of a node with this label, by the best path there. */
  const reach = (label: string): string => {
    if (label === writer.target) return 't';
    const ranked = rankPaths(schema, writer.target, label, hints);
    considered.push(...ranked.map(({ hops, score }) => ({ path: describePath(hops), score })));
    if (!ranked[0])
      throw new UnplannableError(
        `“${writer.target}”与“${label}”之间没有关系路径`,
        `No relation leads from "${writer.target}" to "${label}"`,
      );
    return writer.addPath(ranked[0].hops);
  };

  for (const term of terms.entities) {
    const label = chooseLabel(term, writer.target, schema, hints);
    const variable = reach(label);
    writer.where(
      isOneOf(
        writer,
        variable,
        label,
        term.nodes.filter(node => node.label === label).map(node => entities.get(node.id)),
        schema,
      ),
    );
  }
  for (const { mention, values } of terms.values) {
    const best = values.find(value => value.label === writer.target) ?? values.find(value => writer.passes(value.label)) ?? values[0];
    if (!best) throw new UnplannableError(`不清楚“${mention.text}”指什么`, `It is not clear what "${mention.text}" is`);
    const variable = writer.variableOf(best.label) ?? reach(best.label);
    writer.where(`${variable}.${quoteName(best.property)} = ${writer.parameter(best.value)}`);
  }
  // Labels and relations that no path has passed yet must at least exist: `有订单的客户`.
  for (const { label } of terms.labels) if (label !== writer.target && !writer.passes(label)) reach(label);
  for (const { type, mention } of terms.relations) {
    if (writer.follows(type)) continue;
    const hop = hopsFrom(schema, writer.target).find(candidate => candidate.type === type);
    if (!hop)
      throw new UnplannableError(`“${mention.text}”与所问的对象没有关系`, `"${mention.text}" does not lead to or from what is asked for`);
    writer.addPath([hop]);
  }
  addComparisons(writer, terms);
  for (const { mention, from, to } of terms.times) {
    const dated = writer.nodes.flatMap(node => datesOf(schema, node.label).map(property => `${node.variable}.${quoteName(property)}`))[0];
    if (dated === undefined)
      throw new UnplannableError(
        `所问的对象没有日期，无法限定“${mention.text}”`,
        `What is asked for has no date to limit to "${mention.text}"`,
      );
    writer.where(`${dated} >= ${writer.parameter(from)} AND ${dated} < ${writer.parameter(to)}`);
  }
  return considered;
}

function addComparisons(writer: CypherWriter, terms: QuestionTerms): void {
  for (const { mention, operator, value } of terms.compares) {
    const named = terms.properties.filter(term => term.mention.end <= mention.start).at(-1) ?? terms.properties[0];
    const owner =
      named?.owners.find(candidate => candidate.owner === 'node' && candidate.ownerName === writer.target) ??
      named?.owners.find(candidate => writer.passes(candidate.ownerName));
    const variable = owner && writer.variableOf(owner.ownerName);
    if (!owner || !variable)
      throw new UnplannableError(`不清楚“${mention.text}”比较的是什么`, `It is not clear what "${mention.text}" compares`);
    writer.where(`${variable}.${quoteName(owner.property)} ${operator} ${writer.parameter(value)}`);
  }
}

/** Of namesakes with several labels, the one that is asked for or that is nearest to it. */
function chooseLabel(term: EntityTerm, target: string, schema: QuestionSchema, hints: PathHints): string {
  const labels = [...new Set(term.nodes.map(node => node.label))];
  if (labels.length === 1 || labels.includes(target)) return labels.includes(target) ? target : (labels[0] ?? target);
  const scored = labels.map(label => ({ label, score: rankPaths(schema, target, label, hints)[0]?.score ?? 0 }));
  return scored.sort((a, b) => b.score - a.score)[0]?.label ?? target;
}

/** `n.编号 = $p`: by the key where it is a property, else by the id. */
function isOneOf(writer: CypherWriter, variable: string, label: string, nodes: (AnswerNode | undefined)[], schema: QuestionSchema): string {
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

function datesOf(schema: QuestionSchema, label: string): string[] {
  const properties = schema.labels.find(element => element.name === label)?.properties ?? [];
  return properties.filter(property => property.type === 'date' || property.type === 'datetime').map(property => property.name);
}

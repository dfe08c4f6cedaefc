import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { type Mention } from '../linking/meaning.js';
import { type EntityTerm, type QuestionTerms, type ValueTerm } from '../linking/question-terms.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { UnplannableError } from './question-plan.js';

/** Things that a question names together: one node or value, or several nodes or values joined by "and", "or" or a comma. */
export interface Anchor {
  /** The stretch of the question from the first to the last term. */
  mention: Mention;
  terms: (EntityTerm | ValueTerm)[];
  /** The labels of the nodes that may be meant. */
  labels: string[];
  negated: boolean;
  /** The conjunction between the terms: `and` if all terms are meant at once; null if no conjunction stands between them. */
  join: 'and' | 'or' | null;
}

const joining = /^\s*(?:[,，、]\s*)?(?:(和|与|及|以及|且|又|and)|或者?|or)?\s*(?:(?:the|in|from|of|又|还)\s*)*$/;
/** Matches a preposition that no conjunction precedes, which joins nothing: `loans to A from B`. */
const apart = /^\s*(?:in|from|of)\b/;

export function isEntity(term: EntityTerm | ValueTerm): term is EntityTerm {
  return 'nodes' in term;
}

/** Groups the entities and values that a question joins. Members of a group have a label in common. */
export function groupAnchors({ text, entities, values, top }: QuestionTerms): Anchor[] {
  const anchors: Anchor[] = [];
  const terms = [...entities, ...values].sort((a, b) => a.mention.start - b.mention.start);
  for (const term of terms) {
    const labels = labelsOf(term);
    const last = anchors.at(-1);
    const between = last ? text.slice(last.mention.end, term.mention.start) : '';
    const match = apart.test(between) ? null : joining.exec(between);
    const shared = last?.labels.filter(label => labels.includes(label)) ?? [];
    // `A的客户比B多`: a comparison joins the two named things A and B.
    const isJoined =
      last &&
      (match || (top?.ofTwo === true && terms.length === 2)) &&
      shared.length > 0 &&
      last.negated === term.negated &&
      between !== '';
    if (isJoined && areAlike(last.terms[0], term)) {
      last.terms.push(term);
      last.labels = shared;
      last.mention = { ...last.mention, end: term.mention.end, text: text.slice(last.mention.start, term.mention.end) };
      last.join = match?.[1] === undefined ? (last.join ?? 'or') : 'and';
    } else anchors.push({ mention: term.mention, terms: [term], labels, negated: term.negated, join: null });
  }
  return anchors;
}

function labelsOf(term: EntityTerm | ValueTerm): string[] {
  return [...new Set(isEntity(term) ? term.nodes.map(node => node.label) : term.values.map(value => value.label))];
}

/** Whether two terms are both nodes, or both values of one property. */
export function areAlike(a: EntityTerm | ValueTerm | undefined, b: EntityTerm | ValueTerm | undefined): boolean {
  if (!a || !b || isEntity(a) !== isEntity(b)) return false;
  if (isEntity(a) || isEntity(b)) return true;
  return a.values.some(one => b.values.some(other => one.property === other.property && one.label === other.label));
}

/** Returns the only property of a value. @throws UnplannableError if several properties have the value */
export function requireOneProperty(text: string, properties: string[]): string {
  const [property = '', ...others] = new Set(properties);
  if (others.length === 0) return property;
  const names = [property, ...others];
  throw new UnplannableError(
    `“${text}”可以是${names.join('、')}的值，请写明，例如“${property}是${text}”`,
    `"${text}" may be a value of ${names.join(' or ')}: say which, such as "whose ${property} is ${text}"`,
  );
}

/** Cypher condition that a node of the label `label` is one of the nodes that the terms name, or has one of their values. */
export function isOneOfTerms(
  writer: CypherWriter,
  variable: string,
  label: string,
  terms: Anchor['terms'],
  schema: GraphSchema,
  entities: ReadonlyMap<number, AnswerNode>,
): string {
  const first = terms[0];
  if (first && !isEntity(first)) {
    const values = terms.flatMap(term => (isEntity(term) ? [] : term.values.filter(value => value.label === label)));
    const property = requireOneProperty(
      terms.map(({ mention }) => mention.text).join(', '),
      values.map(value => value.property),
    );
    const type = schema.labels.find(({ name }) => name === label)?.properties.find(({ name }) => name === property)?.type;
    const texts = values.map(({ value }) => (type === 'boolean' ? value === 'true' : value));
    const place = `${variable}.${quoteName(property)}`;
    if (type?.endsWith('[]') !== true)
      return texts.length === 1 ? `${place} = ${writer.parameter(texts[0])}` : `${place} IN ${writer.parameter(texts)}`;
    const each = texts.map(value => `${writer.parameter(value)} IN ${place}`);
    return each.length === 1 ? each.join('') : `(${each.join(' OR ')})`;
  }
  const nodes = terms.flatMap(term => (isEntity(term) ? term.nodes.filter(node => node.label === label) : []));
  return isOneOf(
    writer,
    variable,
    label,
    nodes.flatMap(node => entities.get(node.id) ?? []),
    schema,
  );
}

/** Cypher condition `n.编号 = $p`: compares the key if the key is a single property, else the id. */
function isOneOf(writer: CypherWriter, variable: string, label: string, nodes: AnswerNode[], schema: GraphSchema): string {
  const keys = schema.labels.find(element => element.name === label)?.keyProperties ?? [];
  const key = keys.length === 1 && keys[0] !== '' ? keys[0] : undefined;
  const values = key === undefined ? [] : nodes.map(node => node.properties[key]);
  const byKey =
    key !== undefined && values.every(value => typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value)));
  const left = byKey ? `${variable}.${quoteName(key)}` : `id(${variable})`;
  const right = byKey ? values : nodes.map(node => node.id);
  return right.length === 1 ? `${left} = ${writer.parameter(right[0])}` : `${left} IN ${writer.parameter(right)}`;
}

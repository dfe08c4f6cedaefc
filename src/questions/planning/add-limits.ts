import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { isNumeric, type Threshold } from './measures.js';
import { UnplannableError } from './question-plan.js';
import { type SchemaWord } from './schema-word.js';

/** Limits a pattern by comparisons of properties and by times. Returns the words for properties that this has used. */
export function addLimits(
  writer: CypherWriter,
  terms: QuestionTerms,
  thresholds: Threshold[],
  words: SchemaWord[],
  schema: GraphSchema,
): SchemaWord[] {
  const used: SchemaWord[] = [];
  for (const { mention, operator, value, property } of thresholds) {
    if (!property) continue;
    const owners = property.properties.filter(({ type }) => isNumeric(type));
    const node =
      owners.find(({ owner, ownerName }) => owner === 'node' && ownerName === writer.target) ??
      owners.find(({ owner, ownerName }) => owner === 'node' && writer.passes(ownerName));
    const edge = node ? undefined : owners.find(({ owner, ownerName }) => owner === 'edge' && writer.follows(ownerName));
    const variable = node ? writer.variableOf(node.ownerName) : writer.edges.find(({ type }) => type === edge?.ownerName)?.variable;
    const owner = node ?? edge;
    if (!owner || variable == null)
      throw new UnplannableError(`不清楚“${mention.text}”比较的是什么`, `It is not clear what "${mention.text}" compares`);
    writer.where(`${variable}.${quoteName(owner.property)} ${operator} ${writer.parameter(value)}`);
    used.push(property);
  }
  return [...used, ...addTimes(writer, terms, words, schema)];
}

/** Several times are alternatives: `2023年和2025年的订单`. A date that the question names is meant, else the only one. */
function addTimes(writer: CypherWriter, { times }: QuestionTerms, words: SchemaWord[], schema: GraphSchema): SchemaWord[] {
  const [first] = times;
  if (!first) return [];
  const dates = writer.nodes.flatMap(node => datesOf(schema, node.label).map(property => ({ ...node, property })));
  const word = words.find(({ properties }) =>
    properties.some(({ ownerName, property }) => dates.some(date => date.label === ownerName && date.property === property)),
  );
  const named = dates.find(({ label, property }) =>
    word?.properties.some(owner => owner.ownerName === label && owner.property === property),
  );
  const found = named ?? dates[0];
  if (!found)
    throw new UnplannableError(
      `所问的对象没有日期，无法限定“${first.mention.text}”`,
      `What is asked for has no date to limit to "${first.mention.text}"`,
    );
  const others = dates.filter(({ variable, property }) => variable === found.variable && property !== found.property);
  if (!named && others.length > 0) {
    const names = [found, ...others].map(({ property }) => property);
    throw new UnplannableError(
      `“${first.mention.text}”可以指：${names.join('、')}，请写明`,
      `"${first.mention.text}" may limit ${names.join(' or ')}: say which`,
    );
  }
  const dated = `${found.variable}.${quoteName(found.property)}`;
  const spans = times.map(({ from, to, isOpen }) =>
    [`${dated} >= ${writer.parameter(from)}`, ...(isOpen ? [] : [`${dated} < ${writer.parameter(to)}`])].join(' AND '),
  );
  writer.where(spans.length === 1 ? (spans[0] ?? '') : `(${spans.map(span => `(${span})`).join(' OR ')})`);
  return word && named ? [word] : [];
}

function datesOf(schema: GraphSchema, label: string): string[] {
  const properties = schema.labels.find(element => element.name === label)?.properties ?? [];
  return properties.filter(property => property.type === 'date' || property.type === 'datetime').map(property => property.name);
}

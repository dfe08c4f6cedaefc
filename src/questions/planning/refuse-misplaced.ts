import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { statedValues } from '../linking/named-properties.js';
import { type PropertyTerm, type QuestionTerms } from '../linking/question-terms.js';
import { senseOf } from '../linking/synonyms.js';
import { type PlanSchema } from './schema-paths.js';
import { UnplannableError } from './question-plan.js';

/**
 * Refuses `customers whose country is Germany` if only suppliers are in Germany: a value is looked for only in the property that is named
 * beside the value.
 * @throws UnplannableError
 */
export function refuseMisplaced(terms: QuestionTerms, schema: PlanSchema): void {
  const stated = statedValues(terms, terms.values);
  for (const [{ mention, values }, { property, of }] of stated) {
    const owned = schema.labels.find(({ name }) => name === of)?.properties.filter(each => isCalled(each, of, property)) ?? [];
    const isOwn = values.some(value =>
      owned.length > 0
        ? value.label === of && owned.some(({ name }) => name === value.property)
        : property.owners.some(owner => owner.ownerName === value.label && owner.property === value.property),
    );
    if (!isOwn) throw noSuchValue(mention.text, property.mention.text, owned.length > 0 ? of : null);
  }
  for (const [{ mention, nodes }, { property }] of statedValues(terms, terms.entities))
    if (!property.owners.some(({ ownerName }) => nodes.some(({ label }) => label === ownerName)))
      throw noSuchValue(mention.text, property.mention.text, null);
  // `products whose name is 食品` is refused if 食品 is only a value of another property.
  const named = /(?:\bwhose name (?:is|was) (?:not )?|(?<![的\p{Script=Han}])名[称字](?:不?是|为))$/u;
  const value = terms.values.find(({ mention: { start } }) => named.test(terms.text.slice(0, start)));
  if (value && !stated.has(value)) throw noSuchName(value.mention.text);
}

/** Whether a word names a property of a label, or has the same general sense as the name of this property. */
function isCalled({ name, column = name }: PropertySchema, label: string | null, { mention, owners }: PropertyTerm): boolean {
  return (
    owners.some(({ ownerName, property }) => ownerName === label && property === name) ||
    [name, column].some(own => senseOf(own) === senseOf(mention.text))
  );
}

function noSuchValue(value: string, property: string, label: string | null): UnplannableError {
  const [zh, en] = label === null ? ['', ''] : [`“${label}”的`, `of "${label}" `];
  return new UnplannableError(`${zh}“${property}”没有已知的值“${value}”`, `"${property}" ${en}has no known value "${value}"`);
}

function noSuchName(value: string): UnplannableError {
  return new UnplannableError(
    `没有名称为“${value}”的节点；“${value}”是一个属性的值`,
    `Nothing has the name "${value}"; it is a value of a property`,
  );
}

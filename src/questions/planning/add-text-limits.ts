import { type GraphSchema, type LabelSchema } from '../../cypher/semantics/graph-schema.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { placesOf } from './add-limits.js';
import { type CypherWriter, quoteName } from './cypher-writer.js';
import { UnplannableError } from './question-plan.js';
import { type SchemaWord } from './schema-word.js';

type TextTerm = QuestionTerms['texts'][number];

/**
 * Limits a pattern by conditions on texts, ignoring case, and by `IS NULL` conditions on properties of any type. Returns the words for
 * properties that these limits use.
 * @throws UnplannableError if the owner of the property is unclear, or if the property cannot meet the condition (`mayHold`)
 */
export function addTextLimits(writer: CypherWriter, terms: QuestionTerms, words: SchemaWord[], schema: GraphSchema): SchemaWord[] {
  for (const term of terms.texts) {
    const { mention, operator, values, isDenied } = term;
    if (operator === 'IS NULL' && !term.property)
      throw new UnplannableError(
        `不清楚“${mention.text}”说的是哪些属性；请给每个属性各写一次，例如“类别为空且单价为空”，或分开问`,
        `It is not clear of which properties "${mention.text}" is said; say it of each one, as in "whose category is empty and whose price is empty", or ask apart`,
      );
    const label = labelOf(writer, terms, term, words);
    const property =
      label !== null &&
      propertyOf(
        term,
        schema.labels.find(({ name }) => name === label),
      );
    const places = label !== null && property ? placesOf(writer, terms, 'node', label, mention.text) : [];
    if (!property || places.length === 0)
      throw new UnplannableError(`不清楚“${mention.text}”说的是什么`, `It is not clear what "${mention.text}" is said of`);
    if (operator === 'IS NULL') {
      for (const place of places) writer.where(`${place}.${quoteName(property)} ${isDenied ? 'IS NOT NULL' : 'IS NULL'}`);
      continue;
    }
    const parameters = values.map(value => writer.parameter(value));
    for (const place of places) {
      const text = `toLower(${place}.${quoteName(property)})`;
      const condition = parameters.map(parameter => `${text} ${operator} ${parameter}`).join(' OR ');
      writer.where(isDenied ? `NOT (${condition})` : parameters.length > 1 ? `(${condition})` : condition);
    }
  }
  return words.filter(word => terms.texts.some(({ property }) => property?.mention === word.mention));
}

/** Label of the noun beside the condition, else of the target: `客户购买的名称含电的产品`, `customers who bought products whose name contains tea`. */
function labelOf(
  { target }: CypherWriter,
  { text }: QuestionTerms,
  { mention, operator, property }: TextTerm,
  words: SchemaWord[],
): string | null {
  const owners = new Set(
    (property?.owners ?? []).filter(({ owner, type }) => owner === 'node' && mayHold(operator, type)).map(own => own.ownerName),
  );
  const isPossible = (label: string): boolean => property === null || owners.has(label);
  const nouns = words.filter(({ labels }) => [...labels].some(isPossible));
  const after = nouns.find(({ mention: own }) => own.start >= mention.end && /^\s*的/.test(text.slice(mention.end, own.start)));
  const start = property?.mention.start ?? mention.start;
  const before = nouns.filter(({ mention: own }) => own.end <= start).at(-1);
  const [label, other] = [...((after ?? before)?.labels ?? (owners.size === 1 ? owners : [target]))].filter(isPossible);
  return other === undefined ? (label ?? null) : null;
}

/** Whether a property of a type can meet a condition. Any property may be empty; other conditions are about texts. */
function mayHold(operator: TextTerm['operator'], type: string): boolean {
  return operator === 'IS NULL' || type === 'string';
}

const nameWords = ['name', '名称', '名字', '姓名'];

/** The named property if it can meet the condition; without a named property, the property for the name of the thing. Else null. */
function propertyOf({ operator, property }: TextTerm, label: LabelSchema | undefined): string | null {
  if (!label) return null;
  const own = property?.owners.find(
    ({ owner, ownerName, type }) => owner === 'node' && ownerName === label.name && mayHold(operator, type),
  );
  if (property) return own?.property ?? null;
  const texts = label.properties.filter(({ type }) => type === 'string');
  const called = texts.find(({ name, aliases = [] }) => [name, ...aliases].some(each => nameWords.includes(each.toLowerCase())));
  return (called ?? texts.find(({ name }) => name === label.displayProperty))?.name ?? null;
}

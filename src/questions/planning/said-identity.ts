import { fillPlaces, type Mention } from '../linking/meaning.js';
import { type EntityTerm, type QuestionTerms } from '../linking/question-terms.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { isWho } from './answer-types.js';
import { UnplannableError } from './question-plan.js';
import { type SchemaWord } from './schema-word.js';

const whoIs =
  /^\s*(?:(?:who|what)(?:['’]s|\s+(?:is|are|was|were))\s+(?:(?:the|an?)\s+)?#|#\s*(?:到底|究竟)?(?:是|就是|叫)?(?:谁|什么人?|什么东西|啥|哪[个位家])|谁是\s*#)\s*[?？.。!！]*$/;
const be = '(?:is|was|are|were|has|had|have|can|could|may|might|would|will)';
/** Words between a thing and its kind. A kind does not change, so `ever` and 曾经 ask the same. */
const adverbs = '(?:(?:really|actually|also|ever|already|currently|now|been|be)\\s+)*';
const chineseAdverbs = '(?:曾经?|已经?|现在|目前|还|也|就|到底)*';
const article = '(?:an?|the|one of (?:the|our))';
const chineseIs = '(?:是|属于|算|是不是|是否是|算不算)(?:一\\p{Script=Han}|[个家名位种款件])?';
const ending = '\\s*[?？.。!！]*$';
const isA = new RegExp(
  `^\\s*(?:${be}\\s+(?:the\\s+)?#\\s+${adverbs}${article}\\s+@|(?:是否|是不是)?#\\s*${chineseAdverbs}${chineseIs}\\s*@\\s*[吗么嘛]?)${ending}`,
  'u',
);
/** Matches a question that says of a kind that it is another kind, perhaps with a name of neither: `is the museum Jade Cup an artifact`. */
const kindIsA = new RegExp(
  `^\\s*(?:${be}\\s+(?:${article}\\s+)?@[\\s@]*#?\\s+${adverbs}${article}\\s+@|(?:是否|是不是)?@[\\s@]*#?\\s*${chineseAdverbs}${chineseIs}\\s*@\\s*[吗么嘛])${ending}`,
  'u',
);

/** A question for what a named thing is. `label` is the label `product` in `Is X a product?`; null in `Who is X?`. */
export interface Identity {
  term: EntityTerm;
  label: string | null;
}

/** Reads `Who is X?` and `Is X a product?`. Null for a question that says anything more. */
export function readIdentity({ text, entities, values, times }: QuestionTerms, words: SchemaWord[]): Identity | null {
  const [term, other] = entities;
  if (!term || other || term.isSet || term.negated || values.length + times.length > 0) return null;
  const isKind = ({ mention, labels: of }: SchemaWord): boolean =>
    isBeside(text, mention, term.mention) && term.nodes.some(({ label }) => of.has(label));
  const kinds = words.filter(each => !isKind(each));
  const [word, further] = kinds;
  if (further) return null;
  const [label, ...labels] = word?.labels ?? [];
  const withoutKinds = fillPlaces(
    text,
    words.filter(isKind).map(({ mention }) => mention),
  );
  const plain = shapeOf(withoutKinds, term.mention, word ? [word.mention] : []);
  if (!word) return whoIs.test(plain) ? { term, label: null } : null;
  return label !== undefined && labels.length === 0 && word.relations.size === 0 && isA.test(plain) ? { term, label } : null;
}

/** The question with `#` in place of a name and `@` in place of words for kinds, without quotes around them. */
function shapeOf(text: string, name: Mention | null, kinds: readonly Mention[]): string {
  const places = [...(name ? [{ ...name, as: '#' }] : []), ...kinds.map(kind => ({ ...kind, as: '@' }))];
  const shape = places
    .sort((a, b) => b.start - a.start)
    .reduce((rest, { start, end, as }) => rest.slice(0, start) + as + rest.slice(end), text);
  return shape.replace(/["'“‘「《]?([#@])["'”’」》]?/g, '$1');
}

/** Matches names of properties whose values name the persons that have them: the captain, 护士. */
const role = /(?:^|[ _])(?:role|position|job|post|profession|occupation|title)$|角色|职[位务称业]|岗位|头衔/i;

/**
 * The label of the persons for whom `Who is the captain?` and 谁是护士 ask by a role. Null if the question says more, or if the value is not
 * the role of a person.
 */
export function personsOfRole({ text, entities, values }: QuestionTerms, words: readonly SchemaWord[], schema: GraphSchema): string | null {
  const [term, other] = values;
  const places = term?.values ?? [];
  const [place] = places;
  if (!term || !place || other || term.negated || entities.length + words.length > 0) return null;
  const isOne = places.every(({ label, property }) => label === place.label && role.test(property));
  return isOne && isWho(schema, place.label) && /\bwho\b|谁/.test(text) && whoIs.test(shapeOf(text, term.mention, [])) ? place.label : null;
}

/**
 * Refuses `Is Spain a player?` and `Who is Spain?` of a value: a path would find the players whose nationality is Spain.
 * @throws UnplannableError
 */
export function refuseValueAsThing(terms: QuestionTerms, words: readonly SchemaWord[], schema: GraphSchema): void {
  const { text, entities, values } = terms;
  if (personsOfRole(terms, words, schema) !== null) return;
  const [term, other] = values;
  const [place] = term?.values ?? [];
  if (!term || !place || other || entities.length > 0 || words.length > 1) return;
  const shape = shapeOf(text, term.mention, words.map(({ mention }) => mention)); // prettier-ignore
  if (!whoIs.test(shape) && !(words.some(({ labels }) => labels.size > 0) && isA.test(shape))) return;
  const { label, property } = place;
  const { text: value } = term.mention;
  throw new UnplannableError(
    `“${value}”是“${label}”的“${property}”的值，本身不是一个对象；请问哪些“${label}”的“${property}”是“${value}”`,
    `"${value}" is a value of "${property}" of "${label}", and not a thing of its own; ask which "${label}" has the ${property} "${value}"`,
  );
}

/** Whether a label stands right before a name: `Who is supplier X?`. */
function isBeside(text: string, label: Mention, name: Mention): boolean {
  return label.end <= name.start && /^["'“‘「《\s]*$/.test(text.slice(label.end, name.start));
}

/**
 * Whether a question says that a named thing is one of a kind: `Is X a German supplier?`, X是华东的客户吗.
 * @param blank the question without its values
 */
export function isSaidToBe(blank: string, name: Mention, { mention, labels, relations }: SchemaWord): boolean {
  if (labels.size === 0 || relations.size > 0 || mention.start < name.end) return false;
  const between = blank.slice(name.end, mention.start);
  if (saidBefore.test(blank.slice(0, name.start))) return saidBetween.test(between);
  return /[吗么嘛]\s*[?？]?\s*$|是不是/.test(blank) && saidInChinese.test(between);
}

const saidBefore = new RegExp(`^\\s*${be}\\s+(?:the\\s+)?["'“‘]?$`);
const saidBetween = new RegExp(`^["'”’]?\\s+${adverbs}${article}\\s+$`);
const saidInChinese = new RegExp(`^["”』」》]?\\s*${chineseAdverbs}(?:是不是|是|属于|算)(?:一[个家名位种款件]|[个家名位种款件])?\\s*的?$`);

/**
 * Refuses `Is the museum Jade Cup an artifact?` if no museum is called so, and `Is the museum an artifact?`: a path between the two labels
 * would answer whether they are related.
 * @throws UnplannableError
 */
export function refuseKinds({ text, entities, labels }: QuestionTerms): void {
  const [kind] = labels;
  if (!kind || labels.length < 2 || entities.length > 1) return;
  const named = entities[0]?.mention ?? null;
  if (!kindIsA.test(shapeOf(text, named, labels.map(({ mention }) => mention)))) return; // prettier-ignore
  const name = named?.text;
  if (name === undefined)
    throw new UnplannableError(
      `不清楚问的是哪一个“${kind.mention.text}”；请把名称写在引号里`,
      `It is not clear which "${kind.mention.text}" is meant; write its name in quotes`,
    );
  throw new UnplannableError(`没有名为“${name}”的“${kind.mention.text}”`, `No "${kind.mention.text}" has the name "${name}"`);
}

import { fillPlaces, type Mention } from '../linking/meaning.js';
import { type EntityTerm, type QuestionTerms } from '../linking/question-terms.js';
import { type SchemaWord } from './schema-word.js';

const whoIs =
  /^\s*(?:(?:who|what)(?:['’]s|\s+(?:is|are|was|were))\s+(?:(?:the|an?)\s+)?#|#\s*(?:到底|究竟)?(?:是|就是|叫)?(?:谁|什么人?|什么东西|啥|哪[个位家])|谁是\s*#)\s*[?？.。!！]*$/;
const isA =
  /^\s*(?:(?:is|was|are|were)\s+#\s+(?:(?:really|actually|also)\s+)?(?:an?|the|one of (?:the|our))\s+@|(?:是否|是不是)?#\s*(?:也|就|到底)?(?:是|属于|算|是不是|是否是|算不算)(?:一[\p{Script=Han}]|[个家名位种款件])?\s*@\s*[吗么嘛]?)\s*[?？.。!！]*$/u;

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
  const places = [term.mention, ...(word ? [word.mention] : [])].sort((a, b) => b.start - a.start);
  const shape = places.reduce(
    (rest, { start, end }) => rest.slice(0, start) + (start === term.mention.start ? '#' : '@') + rest.slice(end),
    fillPlaces(
      text,
      words.filter(isKind).map(({ mention }) => mention),
    ),
  );
  const plain = shape.replace(/["'“‘「《]?([#@])["'”’」》]?/g, '$1');
  if (!word) return whoIs.test(plain) ? { term, label: null } : null;
  return label !== undefined && labels.length === 0 && word.relations.size === 0 && isA.test(plain) ? { term, label } : null;
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
  if (/^\s*(?:is|are|was|were)\s+(?:the\s+)?["'“‘]?$/.test(blank.slice(0, name.start)))
    return /^["'”’]?\s+(?:an?|the|one of the)\s+$/.test(between);
  return (
    /[吗么嘛]\s*[?？]?\s*$/.test(blank) &&
    /^["”』」》]?\s*(?:也|就)?(?:是|属于|算)(?:一[个家名位种款件]|[个家名位种款件])?\s*的?$/.test(between)
  );
}

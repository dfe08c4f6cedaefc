import { type Language } from '../../text/language.js';
import { isJoined, type Mention } from '../linking/meaning.js';
import { type EntityTerm, type QuestionTerms, type ValueTerm } from '../linking/question-terms.js';
import { isEntity } from './anchors.js';
import { UnplannableError } from './question-plan.js';
import { isOnlyRelation, type SchemaWord } from './schema-word.js';

/** A negation and what it denies: `没有下过订单`, `who never placed orders`. */
export interface NegatedPart {
  mention: Mention;
  /** Text of the negation and of the part that it denies, as written. */
  text: string;
  words: SchemaWord[];
  /** The named things inside the denied part. */
  terms: (EntityTerm | ValueTerm)[];
  /** The named things before the negation which the negation denies: `Exotic不供应的产品`. If there are any, it denies only these things. */
  excluded: ReadonlySet<EntityTerm | ValueTerm>;
}

/** Negations that deny the existence of a value: `没有电话的客户`. */
const hasNone = /^(?:没有?人?|无人|[无未]|从不|从未|no|not|never|without|lack(?:s|ing)?)$/;
/** Matches negations before an object instead of a verb: `without a phone`. */
const lacking = /^(?:no|without|lack\w*)\b/;
/** Maximum characters between a name and a negation, enough for the longest label and its joining words. */
const farthest = 100;
const denying = /^(?:没有?人?|无人|[无未]|从不|从未|不|并?不是|no|not|never|none|without|lack(?:s|ing)?|[a-z]+n['’]t|cannot)$/;

/**
 * Finds the parts that the negations of a question deny, except negations that exclude a single name. A part reaches to the end of the
 * clause: in Chinese to 的 or the end, in English to the end or a comma.
 * @throws UnplannableError for a word that restricts in another way, such as "only"
 */
export function negatedParts(terms: QuestionTerms, words: SchemaWord[], asked: SchemaWord | null, language: Language): NegatedPart[] {
  return terms.negations.map(mention => {
    const scope = scopeOf(terms.text, mention, language, asked);
    const inside = ({ start, end }: Mention): boolean => start >= scope.start && end <= scope.end;
    // `take no drugs` denies the taking, so the verb before `no` belongs to the denied part.
    const verb = words.find(
      word => mention.text === 'no' && isOnlyRelation(word) && terms.text.slice(word.mention.end, mention.start) === ' ',
    );
    const own = words.filter(word => word !== asked && (word === verb || inside(word.mention)));
    const named = [...terms.entities, ...terms.values].filter(term => inside(term.mention));
    const measured = [
      ...terms.compares.map(compare => compare.mention),
      ...terms.texts.map(term => term.mention),
      ...terms.times.map(time => time.mention),
      ...terms.counts,
    ].some(inside);
    const isAskedAfter = asked !== null && asked.mention.start >= scope.end;
    // Only a label may stand between a name and the negation, so names further off are skipped.
    const near = [...terms.entities, ...terms.values].filter(
      ({ mention: { end } }) => end <= mention.start && mention.start - end <= farthest,
    );
    const before = near.filter(term => {
      // `德国的供应商没有供应的产品`: a label may stand between the name and the negation.
      const kind =
        isAskedAfter &&
        words.find(
          ({ mention: own, labels }) => labels.size > 0 && own.end <= mention.start && isJoined(terms.text, term.mention.end, own.start),
        );
      // `哪些油轮没有母港` asks for tankers, so the negation does not deny the value 油轮.
      // A value cannot act: `伦敦没有家庭医生的患者` denies the doctor.
      const isSubject = ((isEntity(term) || kind) && !lacking.test(mention.text)) || !hasNone.test(mention.text);
      return (
        isSubject &&
        term.mention !== asked?.mention &&
        isRightBefore(terms.text, { ...term.mention, end: kind ? kind.mention.end : term.mention.end }, mention)
      );
    });
    const isUnderstood =
      denying.test(mention.text) &&
      !measured &&
      own.length + named.length > 0 &&
      (own.every(({ properties }) => properties.length === 0) || (own.length === 1 && named.length === 0 && hasNone.test(mention.text)));
    // A time might limit the denied part: `2025年没有下单`.
    if (!isUnderstood || terms.times.length > 0) throw notUnderstood(mention);
    const denies = named.length === 0 && own.every(({ labels }) => labels.size === 0) ? before : [];
    const start = Math.min(mention.start, ...denies.map(term => term.mention.start));
    return { mention, text: terms.text.slice(start, scope.end).trim(), words: own, terms: named, excluded: new Set(denies) };
  });
}

function notUnderstood({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `不理解这里的否定或限定词“${text}”，忽略它会答成另一个问题`,
    `the negation or restriction "${text}" is not understood here, and without it this would be another question`,
  );
}

/** The error for a negation that no part of the plan expresses. */
export function notUnderstoodHere({ text }: Mention): UnplannableError {
  return new UnplannableError(
    `不理解这里的否定“${text}”，忽略它会答成另一个问题`,
    `the negation "${text}" is not understood here, and without it this would be another question`,
  );
}

function scopeOf(text: string, { start, end }: Mention, language: Language, asked: SchemaWord | null): { start: number; end: number } {
  const rest = text.slice(end);
  // `哪些船没有执行过延误的航次`: the target stands before the negation, so 的 does not end the part.
  const isAskedBefore = asked !== null && asked.mention.end <= start;
  const stop =
    language === 'zh'
      ? rest.search(isAskedBefore ? /[,，。？?且但并也又]|同时/ : /的|[,，。？?]/)
      : rest.search(
          lacking.test(text.slice(start)) ? /[,?.;]|\b(?:and|or|but|have|has|had|are|is|were|was)\b/ : /[,?.;]|\b(?:and|or|but)\b/,
        );
  return { start: end, end: stop === -1 ? text.length : end + stop };
}

/** Whether a name right before a negation is its subject: `Exotic不供应`, `does Exotic not supply`. */
function isRightBefore(text: string, name: Mention, negation: Mention): boolean {
  return name.end <= negation.start && /^[\s"'”’」》]*(?:从|都|还|does|did|do)?\s*$/.test(text.slice(name.end, negation.start));
}

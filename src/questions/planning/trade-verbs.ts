import { type GraphSchema, type LabelSchema } from '../../cypher/semantics/graph-schema.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type Language } from '../../text/language.js';
import { type Mention } from '../linking/meaning.js';
import { spokenName } from '../linking/spoken-name.js';
import { senseOf } from '../linking/synonyms.js';
import { isOfType } from './answer-types.js';
import { type Asked } from './find-asked.js';
import { type SchemaWord } from './schema-word.js';

type Side = 'buyer' | 'seller';

interface TradeVerb {
  /** The side of the trade that the subject of the verb is on: the buyer for `buy`, the seller for `sell`. */
  side: Side;
  verb: RegExp;
  /** Matches a question for the other side: 卖给谁, `who did X buy it from`. */
  asksOther: RegExp;
  /** Matches a word that marks the other side of the trade: `sold to X`, 从X购买. */
  other: RegExp;
}

/** Verbs of trade. Each shows whether a buyer or a seller is meant, even if the graph has no relation with this name. */
const verbs: TradeVerb[] = [
  {
    side: 'buyer',
    verb: /购买|订购|采购|买|\b(?:buys?|bought|buying|purchas(?:e[sd]?|ing))\b/,
    asksOther: /[从向跟找]谁|\bfrom (?:who|whom)\b|\bwhom?\b.*\bfrom\s?[?？]?$/,
    other: /[从向跟找]|\bfrom\b/,
  },
  {
    side: 'seller',
    verb: /销售[了过给]|出售|售出|卖|\b(?:sells?|sold|selling)\b/,
    asksOther: /[卖售]给[了过]?谁|\bto (?:who|whom)\b|\bwhom?\b.*\bto\s?[?？]?$/,
    other: /[卖售]给|给|\bto\b/,
  },
];

const senses: Record<Side, ReadonlySet<string>> = {
  buyer: new Set(['customer', 'user', 'consumer', 'shopper', '消费者', '买方'].map(senseOf)),
  seller: new Set(['supplier', 'seller', 'merchant', '卖家', '卖方', '商家'].map(senseOf)),
};

/** Reads 谁 or `who` beside a verb of trade as the only label of buyers, or of sellers. Returns `asked` for other questions. */
export function withTrader(
  asked: Asked,
  unread: string,
  { whichs, words }: { whichs: readonly Mention[]; words: readonly SchemaWord[] },
  schema: GraphSchema,
  language: Language,
): Asked {
  const [which] = whichs;
  const trade = verbs.find(({ verb }) => verb.test(unread));
  if (asked.word || asked.type !== 'who' || !which || !trade || hasOwnVerb(which, unread.search(trade.verb), words)) return asked;
  const [label, ...others] = schema.labels.filter(each => isSide(each, trade.asksOther.test(unread) ? otherOf(trade.side) : trade.side));
  if (!label || others.length > 0) return asked;
  const mention: Mention = {
    ...which,
    text: spokenName(label.name, label.aliases, language),
    meanings: [{ as: 'label', label: label.name }],
  };
  return { word: { mention, labels: new Set([label.name]), relations: new Set(), properties: [] }, type: 'who' };
}

/** Whether 谁 is the subject of a relation, and the verb of trade belongs to other words: 谁处理了购买蓝牙耳机的订单. */
function hasOwnVerb(which: Mention, at: number, words: readonly SchemaWord[]): boolean {
  return words.some(
    ({ relations, labels, mention: { start, end } }) =>
      relations.size > 0 && labels.size === 0 && start >= which.end && (at < which.start || end <= at),
  );
}

/**
 * The reason to refuse a verb of trade if the question names only the wrong side, such as suppliers that bought something. Null if the verb
 * fits.
 * @param unread the question without the words that name parts of the graph
 * @param names the labels that the question names, or asks for
 */
export function whyNotTraded(unread: string, names: ReadonlySet<string>, schema: GraphSchema): Bilingual | null {
  const labels = schema.labels.filter(({ name }) => names.has(name));
  for (const { side, verb, other } of verbs) {
    const said = verb.exec(unread)?.[0];
    const wrong = labels.find(label => isSide(label, otherOf(side)));
    const mayDo = labels.some(label => !isSide(label, otherOf(side)) && (isSide(label, side) || isOfType(label, 'who')));
    if (said === undefined || !wrong || mayDo || other.test(unread)) continue;
    return {
      zh: `图中没有“${said}”这个关系，也不清楚“${wrong.name}”与它怎样相关；请写出图中的关系或对象`,
      en: `The graph has no relation "${said}", and it is not clear how "${wrong.name}" takes part in it; name a relation or a thing of the graph`,
    };
  }
  return null;
}

/**
 * The reason to refuse a verb of trade in a question about the graph without a trader: `Which papers did X sell?`. Null if there is none. A
 * named trader must be on the verb's side, or on the side that `to` or `from` marks. A trader on the way may be on either side: `products
 * sold in Europe` leads to customers.
 */
export function whyNoTrader(unread: string, labels: readonly LabelSchema[], onTheWay: readonly LabelSchema[]): Bilingual | null {
  if (/\b(?:we|our)\b|我们|咱们/.test(unread) || onTheWay.some(isTrader)) return null;
  for (const { side, verb, other } of verbs) {
    const said = verb.exec(unread)?.[0];
    const isMeant = (label: LabelSchema): boolean => isSide(label, side) || (other.test(unread) && isSide(label, otherOf(side)));
    // `卖得最贵` only says that the price is that of a sale.
    if (said !== undefined && !unread.includes(`${said}得`) && !labels.some(isMeant)) return noRelation(said);
  }
  return null;
}

/** The reason to refuse a verb that no relation of the graph has as its name. */
export function noRelation(said: string): Bilingual {
  return {
    zh: `图中没有“${said}”这个关系；请改用图中的关系，或去掉“${said}”`,
    en: `The graph has no relation "${said}"; use a relation of the graph, or leave out "${said}"`,
  };
}

function otherOf(side: Side): Side {
  return side === 'buyer' ? 'seller' : 'buyer';
}

/** Whether a label is one of those who buy or sell. */
export function isTrader(label: LabelSchema): boolean {
  return isSide(label, 'buyer') || isSide(label, 'seller');
}

/** Whether a label is one of those who sell: suppliers, merchants. */
export function isSeller(label: LabelSchema): boolean {
  return isSide(label, 'seller');
}

function isSide({ name, aliases }: LabelSchema, side: Side): boolean {
  return [name, ...aliases].some(own => senses[side].has(senseOf(own.toLowerCase())));
}

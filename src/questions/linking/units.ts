import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type Mention } from './meaning.js';

/** The unit of a number: the word or sign as written, the offset of its end, and the units that it may mean. */
export interface Unit {
  text: string;
  end: number;
  fits: readonly string[];
}

/** Words for each unit of measurement. The first word is the sign of the unit. Counters such as 个 and 人 are not units: they have no scale. */
const words = [
  'kg 公斤 千克 kgs kilo kilos kilogram kilograms', 'g 克 gram grams', 'mg 毫克 milligram milligrams', 't 吨 ton tons tonne tonnes', '斤', 'lb 磅 lbs pound pounds',
  'km 公里 千米 kilometre kilometres kilometer kilometers', 'm 米 metre metres meter meters', 'cm 厘米 centimetre centimetres centimeter centimeters',
  'mm 毫米 millimetre millimetres millimeter millimeters', 'mile 英里 miles', 'ft 英尺 foot feet', '海里 nmi',
  'm2 平方米 平米 sqm square_metres square_meters', 'km2 平方公里 平方千米 square_kilometres square_kilometers', 'ha 公顷 hectare hectares', '亩',
  'm3 立方米 cubic_metres cubic_meters', 'l 升 litre litres liter liters', 'ml 毫升 millilitre millilitres milliliter milliliters',
  's 秒 sec secs second seconds', 'min 分钟 mins minute minutes', 'h 小时 个小时 hr hrs hour hours', 'day 天 日 days', 'week 周 个星期 weeks',
  'month 月 个月 months', 'year 年 岁 years', 'degree 度 摄氏度 degrees', 'kw 千瓦 kilowatt kilowatts', 'page 页 pages',
  'cny 元 块 块钱 人民币 rmb yuan ¥', 'usd 美元 美金 dollar dollars $', 'eur 欧元 euro euros €', 'gbp 英镑 sterling pound pounds £', 'jpy 日元 yen ¥',
  'hkd 港元 港币 $', 'aud 澳元 $', 'cad 加元 $', 'sgd 新加坡元 $', 'twd 新台币 $',
].map(line => line.replaceAll('_', ' ').split(/ (?!metres|meters|kilometres|kilometers)/)); // prettier-ignore

/** The units of each word. A sign of money stands for several currencies, and a pound is a weight or a currency. */
const unitsOf = new Map<string, string[]>();
for (const [sign = '', ...others] of words) for (const word of [sign, ...others]) unitsOf.set(word, [...(unitsOf.get(word) ?? []), sign]);
/** Source of a pattern for a sign of money, which stands before the number. */
export const moneySign = '[$€£¥]';
const longestFirst = [...unitsOf.keys()].filter(word => !/[$€£¥]/.test(word)).sort((a, b) => b.length - a.length);
const isLatin = (word: string): boolean => /^[a-z]/.test(word);

/** The source of a pattern for a unit. A Latin unit ends with its word: `t` is not the beginning of `tickets`. */
export const unitPattern = `(?:${longestFirst.map(word => (isLatin(word) ? `${word}(?![a-z0-9])` : word)).join('|')})`;

const unitHere = new RegExp(`\\s?(${unitPattern})`, 'y');
const numeral = '[\\d零一二两三四五六七八九十百千万亿]';
const behindNumber = new RegExp(`(?<=${numeral}\\s?|\\b(?:thousand|million|billion)\\s)${unitPattern}`, 'g');
const upToNumber = new RegExp(`^.*(?:${numeral}|\\b(?:thousand|million|billion)|\\dk)`);

/** The units that a word or a sign of money stands for; null for other words. */
export function unitsNamed(word: string | null): readonly string[] | null {
  return unitsOf.get((word ?? '').toLowerCase()) ?? null;
}

/** Whether a word is the unit of a number in the text: `kg` in `over 100 kg`, 公斤 in `大于100公斤`. */
export function isUnitOfNumber(word: string, text: string): boolean {
  return [...text.matchAll(behindNumber)].some(([unit]) => unit.split(' ').includes(word));
}

/** The places of the units right behind numbers, each as `start-end`: 元 in 超过500元. */
export function unitPlaces(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(behindNumber)].map(({ 0: unit, index }) => `${index}-${index + unit.length}`));
}

/** The offset behind a Chinese unit of several characters right behind a number: 公里 in `超过5公里的`. `start` if there is none. */
export function behindLongUnit(text: string, start: number): number {
  const unit = [...text.matchAll(behindNumber)].find(found => found.index === start)?.[0] ?? '';
  return /^\p{Script=Han}{2,}$/u.test(unit) ? start + unit.length : start;
}

/**
 * The unit of the numbers in a comparison, behind them or as a sign before them. Units that differ, as in `between 5 kg and 10 tonnes`, fit no
 * property together.
 * @param text the question with spaces in place of all words that name something
 */
export function unitIn(text: string, { text: own, start, end }: Pick<Mention, 'text' | 'start' | 'end'>): Unit | null {
  const number = upToNumber.exec(own)?.[0];
  unitHere.lastIndex = number === undefined ? end : start + number.length;
  const last = unitHere.exec(text)?.[1];
  const inside = [...own.matchAll(new RegExp(moneySign, 'g')), ...(number ?? '').matchAll(behindNumber)].map(([word]) => word);
  const said = [...new Set([...inside, ...(last === undefined ? [] : [last])])];
  const [first = [], ...others] = said.map(word => unitsOf.get(word) ?? [word]);
  const fits = first.filter(unit => others.every(other => other.includes(unit)));
  return said.length === 0 ? null : { text: said.join('/'), end: last === undefined ? end : unitHere.lastIndex, fits };
}

/** Names that tell their unit by their sense: an age is in years. */
const tellingNames: [RegExp, string][] = [
  [/(?<![月日天周库])龄|年限|\bage\b/, 'year'],
  [/[工课学]时$/, 'h'],
  [/[温角经纬]度$|气温/, 'degree'],
];
const inBrackets = new RegExp(`[（(\\[]\\s*(${unitPattern}|${moneySign})\\s*[)）\\]]$`);
/** A single letter or `min` behind a blank is more often something else: `size_l`, `price_min`. */
const behindBlank = new RegExp(`[_\\s](?!(?:.|min)$)(${unitPattern})$`);
/** The part of a name that divides: `（元/吨）`, `price_per_kg`. Names such as 每公斤价格 tell no unit. */
const divisor = /\s*[/／][^)）\]]*|[_\s]per[_\s].*$|^.*每.*$/;
const numberOf = new RegExp(`(${unitPattern})数$`);

/** The units that the names of a property tell: kg for `weight_kg` and 重量（公斤）, `h` for `hours`. Null if they tell none. */
export function toldUnits({
  name,
  column = '',
  aliases = [],
}: Pick<PropertySchema, 'name' | 'column' | 'aliases'>): readonly string[] | null {
  for (const own of [name, column, ...aliases].map(each =>
    each
      .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
      .toLowerCase()
      .replace(divisor, ''),
  )) {
    const spaced = own.replaceAll('_', ' ');
    // `days_open` begins with its unit. A short first word may be another word: `min_price`.
    const first = /^[a-z]{3,}s(?= |$)/.exec(spaced)?.[0];
    const word = (inBrackets.exec(own) ?? behindBlank.exec(own) ?? numberOf.exec(own))?.[1] ?? first ?? '';
    const bySense = tellingNames.flatMap(([pattern, unit]) => (pattern.test(spaced) ? [unit] : []));
    const units = unitsOf.get(own) ?? unitsOf.get(word) ?? bySense;
    if (units.length > 0) return units;
  }
  return null;
}

const multiples =
  /([百千万亿]+(?:元|美元|欧元|英镑|日元|人次?|件|个|吨)?)[)）]?$|(?:^|[_\s(])((?:m|mn|mio|k|bn)_?(?:eur|usd|gbp|cny|rmb|jpy)|(?:millions?|thousands?|billions?)(?:_?(?:of_)?(?:eur|usd|gbp|cny|rmb|euros?|dollars?|yuan))?)\)?$/i;

/** The multiple of a unit that the names of a property tell: 万元 for 估价（万元）, `meur` for `budget_meur`. Null if they tell none. */
export function toldMultiple({ name, column = '', aliases = [] }: Pick<PropertySchema, 'name' | 'column' | 'aliases'>): string | null {
  const found = [name, column, ...aliases].map(own => multiples.exec(own)).find(match => match !== null);
  return found?.[1] ?? found?.[2] ?? null;
}

/** The name of a property without the unit that ends it: 估价 of 估价（万元）, `height` of `height_cm`. Null if no unit ends it. */
function withoutUnit(name: string): string | null {
  const own = name.toLowerCase();
  const found = inBrackets.exec(own) ?? behindBlank.exec(own) ?? multiples.exec(own);
  const base = found && own.slice(0, found.index + (/^[_\s（([]/.test(found[0]) ? 1 : 0));
  return base && /.[_\s（([]$/.test(base) ? name.slice(0, base.length).replace(/[_\s（([]+$/, '') : null;
}

/** The names without their units by which one alone of some properties can be meant: `height` of `height_cm`, by the property. */
export function namesWithoutUnits(properties: readonly PropertySchema[]): ReadonlyMap<PropertySchema, readonly string[]> {
  const all = properties.map(property => {
    const names = [property.name, ...(property.aliases ?? [])];
    return { property, names, bases: names.flatMap(name => withoutUnit(name) ?? []) };
  });
  const owners = new Map<string, number>();
  for (const { names, bases } of all) for (const name of new Set([...names, ...bases])) owners.set(name, (owners.get(name) ?? 0) + 1);
  return new Map(all.map(({ property, bases }) => [property, bases.filter(base => owners.get(base) === 1)]));
}

/** Whether a number in a unit can be compared with something in one of the told units. Yuan are assumed if no unit is told. */
export function isMeasuredIn({ fits }: Unit, told: readonly string[] | null): boolean {
  return fits.some(unit => (told ?? ['cny']).includes(unit));
}

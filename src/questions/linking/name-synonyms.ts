import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { type Synonym } from '../vocabulary.js';

/** Further names of countries, which Intl does not give, by ISO code. */
const furtherNames: Record<string, string[]> = {
  US: ['USA', 'U.S.', 'U.S.A.', 'United States of America', 'America', '美利坚合众国'],
  GB: ['UK', 'U.K.', 'Great Britain', 'Britain', '大不列颠'],
  AE: ['UAE', '阿联酋'],
  KR: ['Korea', 'Republic of Korea', 'South Korea', '南韩'],
  RU: ['Russian Federation'],
  NL: ['Holland', 'The Netherlands'],
  CZ: ['Czech Republic'],
  CN: ["People's Republic of China", 'PRC', '中华人民共和国'],
  VN: ['Viet Nam'],
  TR: ['Turkey'],
  CI: ['Ivory Coast'],
};

/** All names of a thing, keyed by each of its names in normalised form. */
type Groups = ReadonlyMap<string, readonly string[]>;

let countries: Groups | null = null;

/** The names of countries in both languages, from Intl and `furtherNames`. ISO codes are left out: a code may be a word or another code. */
function countryNames(): Groups {
  if (countries) return countries;
  const groups = new Map<string, string[]>();
  const inLanguages = ['zh-Hans', 'en'].map(language => new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }));
  const short = new Intl.DisplayNames('en', { type: 'region', style: 'short', fallback: 'none' });
  for (const first of letters)
    for (const second of letters) {
      const code = first + second;
      const own = [...inLanguages, short].flatMap(names => names.of(code) ?? []);
      const all = [...new Set([...own, ...(furtherNames[code] ?? [])])].filter(name => name.length > 1 && name !== code);
      // Intl gives the codes UK and GB the same names, so add the names of a later code to those of an earlier code.
      for (const name of all) groups.set(keyOf(name), [...new Set([...(groups.get(keyOf(name)) ?? []), ...all])]);
    }
  countries = groups;
  return groups;
}
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Whether a text is the name of a country, in English or Chinese. */
export function isCountry(text: string): boolean {
  return countryNames().has(keyOf(text));
}

/** Other names of the thing that a text names: synonyms from editors of the graph, and other names of a country in both languages. */
export class NameSynonyms {
  private readonly own = new Map<string, string[]>();

  constructor(synonyms: readonly Synonym[]) {
    for (const { kind, name, synonym } of synonyms) {
      if (kind !== 'name') continue;
      const key = keyOf(synonym);
      this.own.set(key, [...(this.own.get(key) ?? []), name]);
    }
  }

  /** Finds the things called `text`. If there are none, finds the things called by another name of the same thing. */
  lookUp<T>(text: string, find: (name: string) => T[]): T[] {
    const found = find(text);
    return found.length > 0 ? found : this.find(text).flatMap(find);
  }

  /** Other names of the thing that a text names, in normalised form. */
  find(text: string): string[] {
    const key = keyOf(text);
    const names = [...(this.own.get(key) ?? []), ...(countryNames().get(key) ?? [])];
    return [...new Set(names.map(normalizeText))].filter(name => keyOf(name) !== key);
  }
}

function keyOf(name: string): string {
  return compactText(normalizeText(name));
}

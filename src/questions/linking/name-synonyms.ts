import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { type Synonym } from '../vocabulary.js';

/** Names of countries that Intl does not give, beside those that it does. */
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

/** Names of one thing by each of its names. */
type Groups = ReadonlyMap<string, readonly string[]>;

let countries: Groups | null = null;

/** The names of countries in both languages, as the runtime knows them. Codes are left out: they are words and other codes too. */
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
      // `UK` and `GB` are one country for Intl too: the later one adds to the former.
      for (const name of all) groups.set(keyOf(name), [...new Set([...(groups.get(keyOf(name)) ?? []), ...all])]);
    }
  countries = groups;
  return groups;
}
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Tells whether a text is the name of a country, in either language. */
export function isCountry(text: string): boolean {
  return countryNames().has(keyOf(text));
}

/** Other names of what a text names: those that editors of the graph gave, and the names of a country in the other language. */
export class NameSynonyms {
  private readonly own = new Map<string, string[]>();

  constructor(synonyms: readonly Synonym[]) {
    for (const { kind, name, synonym } of synonyms) {
      if (kind !== 'name') continue;
      const key = keyOf(synonym);
      this.own.set(key, [...(this.own.get(key) ?? []), name]);
    }
  }

  /** Finds what has a text as its name, or else what has another name of the same. */
  lookUp<T>(text: string, find: (name: string) => T[]): T[] {
    const found = find(text);
    return found.length > 0 ? found : this.find(text).flatMap(find);
  }

  /** The names to look up where nothing has the text itself as its name. They are normalised. */
  find(text: string): string[] {
    const key = keyOf(text);
    const names = [...(this.own.get(key) ?? []), ...(countryNames().get(key) ?? [])];
    return [...new Set(names.map(normalizeText))].filter(name => keyOf(name) !== key);
  }
}

function keyOf(name: string): string {
  return compactText(normalizeText(name));
}

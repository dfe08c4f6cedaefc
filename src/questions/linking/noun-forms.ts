import { irregularPlurals } from './word-roots.js';

const irregular = Object.entries(irregularPlurals);
const singularForms = irregular.map(([singular]) => singular).join('|');
const pluralForms = irregular.map(([, plural]) => plural).join('|');
/** Matches an irregular noun, also at the end of a longer word, as in `salesman`, but not in `human` and `specimen`. */
const irregularSingular = new RegExp(`(?:\\b|(?<!hu|ger|ro|talis|sha))(?:${singularForms})$`);
const irregularPlural = new RegExp(`(?:\\b|(?<!speci|regi))(?:${pluralForms})$`);
const invariable = /\b(?:series|species|news|aircraft|spacecraft|staff|equipment|software|hardware|data|information|sheep)$/;
/** Matches singular nouns that end in an s. */
const endsInS =
  /(?:ss|sis|xis|(?:stat|camp|\bb|vir|bon|chor|foc|gen|cens|radi|nucle|circ|corp|apparat|prospect)us|\b(?:gas|lens|bias|atlas|canvas|iris))$/;

/** The form of a noun beside a number: `1 policy`, `2 policies`. Nouns in other scripts than Latin stay as they are. */
export function nounFor(count: number, noun: string): string {
  return count === 1 ? singularOf(noun) : pluralOf(noun);
}

export function pluralOf(noun: string): string {
  return withForm(noun, word => {
    if (isPlural(word)) return word;
    if (irregularSingular.test(word)) return word.replace(irregularSingular, own => irregularPlurals[own] ?? own);
    if (/[^aeiou]y$/.test(word)) return word.replace(/y$/, 'ies');
    if (/sis$/.test(word)) return word.replace(/is$/, 'es');
    return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
  });
}

export function singularOf(noun: string): string {
  return withForm(noun, word => {
    if (irregularPlural.test(word)) return word.replace(irregularPlural, own => irregular.find(([, plural]) => plural === own)?.[0] ?? own);
    if (!isPlural(word) || /\b(?:mov|cook|calor|rook)ies$/.test(word)) return word.replace(/ies$/, 'ie');
    if (/(?:analy|diagno|\bcri)ses$/.test(word)) return word.replace(/es$/, 'is');
    if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, 'y');
    return word.replace(/(?<=ss|[^aeo]us|x|ch|sh)es$|s$/, '');
  });
}

function isPlural(word: string): boolean {
  return irregularPlural.test(word) || (/s$/.test(word) && !endsInS.test(word));
}

/** Changes the form of the last word, or in `date of birth` of the word before "of". `SalesOrder` first becomes `sales order`. */
function withForm(noun: string, form: (word: string) => string): string {
  const [, head = '', rest = ''] = /^(.*?)((?: (?:of|in|at|on|per|with|for) .*)?)$/s.exec(asWords(noun)) ?? [];
  if (!/[A-Za-z]$/.test(head)) return noun;
  return (invariable.test(head) ? head : form(head)) + rest;
}

function asWords(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])|_/g, ' ').replace(/\b[A-Z](?=[a-z]+\b)/g, letter => letter.toLowerCase());
}

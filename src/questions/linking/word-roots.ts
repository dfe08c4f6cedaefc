export const irregularPlurals: Readonly<Record<string, string>> = { person: 'people', man: 'men', woman: 'women', child: 'children' };

/** Base words by their irregular forms. A Map instead of an object, because a question may contain the word `constructor`. */
const irregular = new Map(
  [
    'write wrote written',
    'buy bought',
    'sell sold',
    'send sent',
    'give gave given',
    'make made',
    'pay paid',
    'hold held',
    'lead led',
    'teach taught',
    'fly flew flown',
    'shoot shot',
    'sing sang sung',
    'draw drew drawn',
    'drive drove driven',
    'speak spoke spoken',
    'begin began begun',
    'win won',
    'build built',
    'choose chose chosen',
    'find found',
    'get got gotten',
    'grow grew grown',
    'take took taken',
    'belong belongs',
    'ship shipment',
    'person persons',
    ...Object.entries(irregularPlurals).map(forms => forms.join(' ')),
  ].flatMap(line => {
    const [base = '', ...forms] = line.split(' ');
    return forms.map((form): [string, string] => [form, base]);
  }),
);

const endings = /(?:resses|ress|ings?|ers?|ors?|ed|es|s|e)$/;
const shortestRoot = 3;

/**
 * Cuts an English word down to the root of its family: `directors`, `directed` and `direct` have one root. A root need not be a word, and
 * two families may share one by chance, so whole names are compared first. Other text stays as it is.
 */
export function rootOf(word: string): string {
  const base = irregular.get(word) ?? word;
  if (!/^[a-z]{4,}$/.test(base)) return base;
  let root = base.replace(/ies$|ied$/, 'y');
  for (let cut = root; ; root = cut) {
    cut = root.replace(endings, '');
    if (cut === root || cut.length < shortestRoot) break;
  }
  // `starring`, `shipped`: drop the second of two equal consonants.
  if (root.length > shortestRoot && root !== base && /([b-df-hj-np-rtv-z])\1$/.test(root)) root = root.slice(0, -1);
  return root.replace(/(?<=..)i$/, 'y');
}

/** A word without the endings of plural and tenses, approximately: equal for `suppliers` and `supplier`, `supplied` and `supplies`. */
export function stemOf(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  if (/(?:ies|ied)$/.test(word)) return `${word.slice(0, -3)}y`;
  const cut = word.replace(/(?:ings?|ers|ed|es|s|e)$/, match => (match === 'ers' ? 'er' : ''));
  return cut.length >= shortestRoot ? cut : word;
}

/** Whether a word is a noun for a doer: `director`, `actress`, `suppliers`. A phrase such as `work for` does not count. */
export function isAgentNoun(word: string): boolean {
  return /(?:[^aeiou]er|ier|yer|ter|or|ress|ist|ian)s?$|resses$/.test(word) && word.length > 4 && !/ (?:for|over|under|after)$/.test(word);
}

/** Verbs whose forms are never nouns. */
const bareVerbs = new Set('appear belong buy comprise contain deliver describe include perform provide sell supervise write'.split(' '));

const bareRoots = new Set([...bareVerbs].map(rootOf));

/** Whether a word is a form of a verb of `bareVerbs`, whose forms are never nouns: `describe`, `describing`, `sold`. */
export function isPlainVerb(word: string): boolean {
  return bareRoots.has(rootOf(word)) && !isAgentNoun(word);
}

/** Whether a word or the first word of a phrase is a form of a verb instead of a noun: `directed`, `written`, `describe`. */
export function isVerbForm(word: string): boolean {
  const [verb = ''] = word.split(' ');
  return (
    /(?:ed|ing)$/.test(verb) ||
    bareVerbs.has(verb.replace(/s$/, '')) ||
    (irregular.has(verb) && !/(?:men|people|persons|children|shipment)$/.test(verb))
  );
}

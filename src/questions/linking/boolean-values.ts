import { type MeaningOf, type Mention } from './meaning.js';

/**
 * Matches a stated true or false after a property: 为true, 为否, `is not false`, `= yes`. 是否 means "whether", so 否 right after 是 does not
 * match.
 */
const stated =
  /^\s*的?值?\s*(?:(不)?(?:是|等于|[=:：])|(不)?为|(?:is|are|was|were|equals?)(\s+not|n['’]t)?\b)\s*["'“‘「]?(?:(true|yes|真|(?<=为\s*["'“‘「]?)是)|(false|no|假|(?<=[为=]\s*["'“‘「]?)否))(?![a-z是否])["'”’」]?(?=$|[\s的且并和与及或、,，。.?？吗])/;

/** Finds boolean properties that are followed by a stated true or false: 是否管理者为true. Each mention covers both. */
export function findBooleanValues(text: string, words: readonly Mention[]): Mention[] {
  return words.flatMap(({ start, end, meanings }): Mention[] => {
    const owners = meanings.filter((meaning): meaning is MeaningOf<'property'> => meaning.as === 'property');
    if (owners.length === 0 || !owners.every(({ type, owner }) => type === 'boolean' && owner === 'node')) return [];
    const said = stated.exec(text.slice(end, end + longest));
    if (!said) return [];
    const isDenied = said.slice(1, 4).some(negation => negation !== undefined);
    const value = String((said[4] !== undefined) !== isDenied);
    const stop = end + said[0].length;
    const values = owners.map(({ ownerName, property }) => ({ as: 'value' as const, label: ownerName, property, value }));
    return [{ text: text.slice(start, stop), start, end: stop, meanings: values }];
  });
}

/** Maximum characters of the words that state true or false. */
const longest = 30;

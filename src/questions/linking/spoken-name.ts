import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type Language, languageOf } from '../../text/language.js';

/** The name of a part of the graph in a sentence: the first of its name and its aliases that is in the language, else its name. */
export function spokenName(name: string, aliases: string[], language: Language): string {
  if (languageOf(name) === language) return name;
  return aliases.find(alias => languageOf(alias) === language)?.replaceAll('_', ' ') ?? name;
}

/** The name of a property in a sentence: the first of its name, its aliases and its column that is in the language, else its name. */
export function spokenProperty({ name, column, aliases = [] }: PropertySchema, language: Language): string {
  return spokenName(name, [...aliases, ...(column === undefined ? [] : [column])], language);
}

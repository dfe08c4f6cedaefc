import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type Language, languageOf } from '../../text/language.js';

/** The name of a thing of the graph in a sentence. In English it is an English alias or column if the own name is not English. */
export function spokenName(name: string, aliases: string[], language: Language): string {
  if (languageOf(name) === language) return name;
  return aliases.find(alias => languageOf(alias) === language)?.replaceAll('_', ' ') ?? name;
}

/** The name of a property in a sentence. */
export function spokenProperty({ name, column, aliases = [] }: PropertySchema, language: Language): string {
  return spokenName(name, [...aliases, ...(column === undefined ? [] : [column])], language);
}

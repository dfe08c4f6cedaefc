import { type Language } from '../../text/language.js';
import { languageOf } from '../../text/language.js';

/** What a thing of the graph is called in a sentence: in English by an English alias or column, where its own name is not. */
export function spokenName(name: string, aliases: string[], language: Language): string {
  if (languageOf(name) === language) return name;
  return aliases.find(alias => languageOf(alias) === language)?.replaceAll('_', ' ') ?? name;
}

import { type Language, languageOf } from '../../text/language.js';
import { type LinkedQuestion } from './link-question.js';
import { outsideNames, type QuestionTerms } from './question-terms.js';
import { carriesMeaning } from './stop-words.js';
import { readTerms } from './read-terms.js';

/** The language of a question without the names in it, because an English question may contain Chinese names. */
export function languageOfTerms(terms: QuestionTerms): Language {
  return languageOfRest(outsideNames(terms), terms.text);
}

/** The language of a question without the names in it, and without unknown words that may be names of something outside the graph. */
export function languageOfQuestion(linked: LinkedQuestion): Language {
  const terms = readTerms(linked);
  const rest = linked.unknown.filter(carriesMeaning).reduce((text, word) => text.replaceAll(word, ' '), outsideNames(terms));
  return languageOfRest(rest, terms.text);
}

function languageOfRest(rest: string, whole: string): Language {
  return languageOf(/[a-z]/.test(rest) ? rest : whole);
}

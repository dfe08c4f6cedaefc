import { type Pace } from '../../common/turns/pace.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { type Asked } from './find-asked.js';
import { type NameChoices } from './name-choices.js';
import { type NegatedPart } from './negated-parts.js';
import { type PlanSchema } from './schema-paths.js';
import { type SchemaWord } from './schema-word.js';

/** Context of reading a question: the terms of the question, the graph, and the choices of the user among several meanings. */
export interface ReadingContext {
  terms: QuestionTerms;
  schema: PlanSchema;
  entities: ReadonlyMap<number, AnswerNode>;
  language: Language;
  choices: NameChoices;
  pace: Pace;
}

/** The part of a question that is read as paths. */
export interface PathPart {
  /** The words for labels, relations and properties, except words that the plan uses in another way. */
  words: SchemaWord[];
  /** All words for labels, relations and properties, including those of negations. */
  allWords: SchemaWord[];
  asked: Asked;
  /** The label that is asked for; null if it is unknown. */
  target: string | null;
  negatedParts: NegatedPart[];
  /**
   * For `Did Anna direct Solaris`: the mention of the named node at which the path must end, which is the target. Null for other questions.
   */
  endsAt: Mention | null;
}

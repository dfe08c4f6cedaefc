import { type Bilingual } from '../../text/bilingual.js';

/** The question cannot be planned. The answer gives the reason instead of a guess. */
export class UnplannableError extends Error {
  readonly reason: Bilingual;

  constructor(zh: string, en: string) {
    super(en);
    this.reason = { zh, en };
  }
}

/** One of the things that a question may mean. A request that sends the token along chooses this thing. */
export interface QuestionChoice {
  token: string;
  /** Text of the choice for the user, in the language of the question. */
  text: string;
}

/** The question may mean several things, and the answers would differ. */
export class AmbiguousQuestionError extends Error {
  constructor(
    readonly reason: Bilingual,
    readonly choices: QuestionChoice[],
  ) {
    super(reason.en);
  }
}

export interface Unplanned {
  reason: Bilingual;
  /** Possible meanings of the question; absent unless the question has several meanings. */
  choices?: QuestionChoice[];
}

/** Turns an UnplannableError or an AmbiguousQuestionError into its reason and choices. Rethrows any other error. */
export function toUnplanned(error: unknown): Unplanned {
  if (error instanceof UnplannableError) return { reason: error.reason };
  if (error instanceof AmbiguousQuestionError) return { reason: error.reason, choices: error.choices };
  throw error;
}

/** Number of results if a question ranks several things without naming a number. */
export const usualTop = 5;

/** The limits of a question, in words. */
export interface Limits {
  /** Whether the question is about some of the nodes that an earlier question found. */
  isAmong: boolean;
  named: string[];
  excluded: string[];
  times: string[];
  /** Comparisons, negations and things that must exist, as written. */
  conditions: string[];
}

/** Describes how to put the rows of a planned question into words. */
export interface AnswerShape {
  kind: 'list' | 'count' | 'property' | 'rank' | 'group' | 'aggregate' | 'entity' | 'identity';
  /** Whether the question wants yes or no. Unless another field says how to decide, the answer is yes if there are rows. */
  whether: boolean;
  /** The name that should come first in a comparison that wants yes or no; else null. A name with a count of 0 is absent from the rows. */
  first: string | null;
  /** The thing that is listed, counted or ranked, in the question's words. */
  subject: string;
  /** The limits of the question. */
  of: Limits;
  /** The measured quantity, in the sentence's words: `平均单价`, `订单数`. */
  measure: string | null;
  /** The names of the columns after the first, in the sentence's words. */
  spoken: string[];
  descending: boolean;
}

/** A count of the things that a plan leaves out only because they have no date. */
export interface UndatedCount {
  /** A query with the parameters of the plan that returns one number. */
  cypher: string;
  /** Whose date is missing. */
  owner: 'node' | 'edge';
  /** The label or type of the owner. */
  ownerName: string;
  property: string;
}

export interface GraphPlan {
  cypher: string;
  parameters: Record<string, unknown>;
  shape: AnswerShape;
  /** Number of results that a ranking asks for; else null. Rows that tie with the last one in the second column are shown too. */
  top: number | null;
  /** Whether a named thing limits the answer by a relation that the question does not name. This may explain an empty answer. */
  isGuessed: boolean;
  /** Whether the question supposes one answer: `when was`, `who is the director`. */
  wantsOne: boolean;
  paths: { path: string; score: number }[];
  /** Notes on how the question was read, and on words that the plan passes over. */
  notes: Bilingual[];
  undated: UndatedCount | null;
}

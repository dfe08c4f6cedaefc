import { type Bilingual } from '../../text/bilingual.js';

/** The question has no plan. The answer gives the reason instead of guessing. */
export class UnplannableError extends Error {
  readonly reason: Bilingual;

  constructor(zh: string, en: string) {
    super(en);
    this.reason = { zh, en };
  }
}

/** One of the things that a question may mean. A request that sends the token along means this one. */
export interface QuestionChoice {
  token: string;
  /** In the language of the question. */
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
  /** What it may mean, if it may mean several things. */
  choices?: QuestionChoice[];
}

/** What an error says of a question without a plan. Other errors are thrown again. */
export function toUnplanned(error: unknown): Unplanned {
  if (error instanceof UnplannableError) return { reason: error.reason };
  if (error instanceof AmbiguousQuestionError) return { reason: error.reason, choices: error.choices };
  throw error;
}

/** How many a ranking shows that asks for several and says no number. */
export const usualTop = 5;

/** The limits of a question, in words. */
export interface Limits {
  /** It is about some of what an earlier question found. */
  isAmong: boolean;
  named: string[];
  excluded: string[];
  times: string[];
  /** Comparisons, negations and what must exist, as they are written. */
  conditions: string[];
}

/** Says how to put the rows of a planned question into words. */
export interface AnswerShape {
  kind: 'list' | 'count' | 'property' | 'rank' | 'group' | 'aggregate' | 'entity';
  /** The question wants yes or no: whether there are any rows. */
  whether: boolean;
  /** Of a comparison that wants yes or no: the name of what should be first. What counts none has no row. */
  first: string | null;
  /** The thing that is listed, counted or ranked, in the question's words. */
  subject: string;
  /** The names of its limits. */
  of: Limits;
  /** The measured quantity, in the sentence's words: `平均单价`, `订单数`. */
  measure: string | null;
  /** The names of the columns after the first, in the sentence's words. */
  spoken: string[];
  descending: boolean;
}

export interface GraphPlan {
  cypher: string;
  parameters: Record<string, unknown>;
  shape: AnswerShape;
  /** Of a ranking: how many are asked for. Those that tie with the last of them are shown too, by the second column. */
  top: number | null;
  /** A named thing limits the answer by a relation that the question does not name. If nothing is found, this may be why. */
  isGuessed: boolean;
  /** The question is put as if there were one answer: `when was`, `who is the director`. */
  wantsOne: boolean;
  paths: { path: string; score: number }[];
  /** Notes on how the question was read, and on what the plan passes over. */
  notes: Bilingual[];
}

import { type ListContext } from './handed-list.js';
import { type Kind, type TargetDialect, type Typed } from './target-dialect.js';

/** Finds a column by its qualifier, if it has one, and its name. */
export type FindColumn = (qualifier: string | null, name: string) => Typed | undefined;

export interface ExpressionContext extends ListContext {
  /** The values of the statement's own parameters. */
  values: readonly unknown[];
  find: FindColumn;
}

/** The parts of the translation of one expression. */
export interface Translator {
  dialect: TargetDialect;
  values: readonly unknown[];
  translate: (node: unknown) => Typed;
  text: (value: string) => Typed;
  /** @param written a plain decimal */
  number: (written: string) => Typed;
  /** A constant time, of which PostgreSQL gives the text. */
  computed: (node: unknown, kind: Kind) => Typed;
  condition: (sql: string) => Typed;
  /** The SQL of a text. Anything else is refused. */
  asText: (value: Typed) => string;
  /** All values in one type, the widest of them. */
  unify: (all: Typed[], construct: string) => Typed[];
  refuse: (construct: string) => never;
}

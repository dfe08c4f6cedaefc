import { type ListContext } from './handed-list.js';
import { type Kind, type TargetDialect, type Typed } from './target-dialect.js';

/** Finds a column by its name and its qualifier, which is null if the column has none. */
export type FindColumn = (qualifier: string | null, name: string) => Typed | undefined;

export interface ExpressionContext extends ListContext {
  /** The values of the parameters of the statement that is translated. */
  values: readonly unknown[];
  find: FindColumn;
}

/** The functions that translate the parts of one expression. */
export interface Translator {
  dialect: TargetDialect;
  values: readonly unknown[];
  translate: (node: unknown) => Typed;
  text: (value: string) => Typed;
  /** @param written a plain decimal */
  number: (written: string) => Typed;
  /** Translates a constant expression whose value is a time. PostgreSQL computes its text beforehand. */
  computed: (node: unknown, kind: Kind) => Typed;
  condition: (sql: string) => Typed;
  /** The SQL of a text value. A value of any other kind is refused. */
  asText: (value: Typed) => string;
  /** Converts all values to one type: the widest of their types. */
  unify: (all: Typed[], construct: string) => Typed[];
  refuse: (construct: string) => never;
}

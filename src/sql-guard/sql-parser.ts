import { createRequire } from 'node:module';
import type * as LibPgQuery from 'libpg-query';
import { LRUCache } from 'lru-cache';
import { turnEnded, whenTurnEnds } from '../common/turns/one-turn.js';

/** A parse tree of libpg-query: every node is an object with one key, its type. */
export type SqlTree = unknown;

export interface SqlStatement {
  stmt: SqlTree;
  /** In bytes; both absent for a first statement without a separator. */
  stmt_location?: number;
  stmt_len?: number;
}

type Parser = typeof LibPgQuery;

/** An instance of its own each time. */
function newParser(): Parser {
  const require = createRequire(import.meta.url);
  const file = require.resolve('libpg-query');
  delete require.cache[file];
  return require(file) as Parser;
}

let parser = newParser();
let loading: Promise<void> | undefined;
let isReplaced = false;
/** It stays so when its turn is ended in the middle, since then no `finally` runs. */
let isAtWork = false;

/**
 * Loads PostgreSQL's own grammar (WebAssembly, about 40 ms). Await it once before the first guard; later calls return the same
 * promise. The guards themselves are synchronous.
 */
export function loadSqlParser(): Promise<void> {
  loading ??= parser.loadModule();
  return loading;
}

/** The memory of a parser that was ended in the middle is not as it should be. Another one takes its place once it is loaded. */
whenTurnEnds(() => {
  if (!isAtWork) return;
  isAtWork = false;
  isReplaced = true;
  parser = newParser();
  loading = parser.loadModule().then(() => void (isReplaced = false));
  loading.catch(() => (isBroken = true));
});

/** @throws SqlSyntaxError; while the parser is being replaced, an error that tells to try again */
function withParser<T>(work: (parser: Parser) => T): T {
  if (isReplaced) throw turnEnded();
  isAtWork = true;
  try {
    return work(parser);
  } catch (error) {
    throw asSyntaxError(error);
  } finally {
    isAtWork = false;
  }
}

export class SqlSyntaxError extends Error {
  constructor(
    message: string,
    /** 0-based, in characters of the parsed text. */
    readonly position: number | undefined,
  ) {
    super(message);
  }
}

/** Bounded by characters: trees take some 30 to 100 bytes for each. */
const kept = new LRUCache<string, SqlStatement[]>({
  maxSize: 300_000,
  maxEntrySize: 20_000,
  sizeCalculation: (_, sql) => Math.max(1, sql.length),
});

/**
 * Trees are shared: callers must not change them. A metric that is executed again has the same texts, and parsing them is most of its
 * compiling, so the last trees are kept.
 * @returns the statements of `sql`. @throws SqlSyntaxError
 */
export function parseSql(sql: string): SqlStatement[] {
  const known = kept.get(sql);
  if (known) return known;
  const statements = withParser(({ parseSync }) => (parseSync(sql).stmts ?? []) as SqlStatement[]);
  kept.set(sql, statements);
  return statements;
}

export interface SqlToken {
  text: string;
  tokenName: string;
  /** In bytes. */
  start: number;
  end: number;
}

/** @returns the tokens of `sql` with their places in bytes. @throws SqlSyntaxError (an unterminated quote) */
export function scanTokens(sql: string): SqlToken[] {
  return withParser(({ scanSync }) => scanSync(sql).tokens);
}

/** Errors of WebAssembly itself. Its stack is not as it was before, and sooner or later every parse fails. */
const fatal: ReadonlySet<string> = new Set(['RangeError', 'RuntimeError', 'ExitStatus']);
let isBroken = false;

/** False once the parser has failed in a way that only a new process mends. */
export function parserWorks(): boolean {
  return !isBroken;
}

function asSyntaxError(error: unknown): SqlSyntaxError {
  if (error instanceof parser.SqlError) return new SqlSyntaxError(error.message, error.sqlDetails?.cursorPosition);
  // The wrapper itself fails on a few inputs (its JSON is cut short); such a text counts as one that does not parse. An error
  // before loadModule() is a mistake of the caller and must not look like the client's.
  if (error instanceof Error && /not initialized|loadModule/.test(error.message)) throw error;
  if (error instanceof Error && fatal.has(error.name)) {
    isBroken = true;
    throw error;
  }
  return new SqlSyntaxError(error instanceof Error ? error.message : String(error), undefined);
}

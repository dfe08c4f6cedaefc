import { createRequire } from 'node:module';
import type * as LibPgQuery from 'libpg-query';
import { LRUCache } from 'lru-cache';
import { turnEnded, whenTurnEnds } from '../common/turns/one-turn.js';

/** A parse tree of libpg-query. Every node is an object with one key, the type of the node. */
export type SqlTree = unknown;

export interface SqlStatement {
  stmt: SqlTree;
  /** `stmt_location` and `stmt_len` count bytes. Both are absent for a first statement without a separator. */
  stmt_location?: number;
  stmt_len?: number;
}

type Parser = typeof LibPgQuery;

/** Makes a new instance of the parser at each call. */
function newParser(): Parser {
  const require = createRequire(import.meta.url);
  const file = require.resolve('libpg-query');
  delete require.cache[file];
  return require(file) as Parser;
}

let parser = newParser();
let loading: Promise<void> | undefined;
let isReplaced = false;
/** Whether the parser is parsing. The flag stays true when the turn of a parse is ended in the middle, since then no `finally` runs. */
let isAtWork = false;

/**
 * Loads PostgreSQL's own grammar (WebAssembly, about 40 ms). Await this function once before the first guard; later calls return the same
 * promise. The guards themselves are synchronous.
 */
export function loadSqlParser(): Promise<void> {
  loading ??= parser.loadModule();
  return loading;
}

/** A parser that was ended in the middle of a parse may have memory in a wrong state. A new parser takes its place once it is loaded. */
whenTurnEnds(() => {
  if (!isAtWork) return;
  isAtWork = false;
  isReplaced = true;
  parser = newParser();
  loading = parser.loadModule().then(() => void (isReplaced = false));
  loading.catch(() => (isBroken = true));
});

/** Runs `work` with the parser. @throws SqlSyntaxError; a 503 error while the parser is being replaced */
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
    /** Place of the error in characters of the parsed text, counted from 0; undefined if unknown. */
    readonly position: number | undefined,
  ) {
    super(message);
  }
}

/** The statements of SQL texts, by the text. The cache is bounded by characters: trees take some 30 to 100 bytes for each character. */
const kept = new LRUCache<string, SqlStatement[]>({
  maxSize: 300_000,
  maxEntrySize: 20_000,
  sizeCalculation: (_, sql) => Math.max(1, sql.length),
});

/**
 * Parses SQL. Trees are shared, so callers must not change them. The last trees are kept, because a metric that is executed again has the
 * same texts, and most of its compiling is parsing.
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
  /** Offset of the token in bytes of the text; `end` as well. */
  start: number;
  end: number;
}

/** @returns the tokens of `sql` with their places in bytes. @throws SqlSyntaxError (an unterminated quote) */
export function scanTokens(sql: string): SqlToken[] {
  return withParser(({ scanSync }) => scanSync(sql).tokens);
}

/**
 * The names of errors of WebAssembly itself. After such an error the stack of WebAssembly is not restored, and sooner or later every parse
 * fails.
 */
const fatal: ReadonlySet<string> = new Set(['RangeError', 'RuntimeError', 'ExitStatus']);
let isBroken = false;

/** Whether the parser works. False after the parser has failed in a way that only a new process mends. */
export function parserWorks(): boolean {
  return !isBroken;
}

function asSyntaxError(error: unknown): SqlSyntaxError {
  if (error instanceof parser.SqlError) return new SqlSyntaxError(error.message, error.sqlDetails?.cursorPosition);
  // The wrapper of the parser itself fails on a few inputs, whose JSON it cuts short; such a text counts as one that does not parse. An
  // error before loadModule() is a mistake of the caller and must not look like a mistake of the client.
  if (error instanceof Error && /not initialized|loadModule/.test(error.message)) throw error;
  if (error instanceof Error && fatal.has(error.name)) {
    isBroken = true;
    throw error;
  }
  return new SqlSyntaxError(error instanceof Error ? error.message : String(error), undefined);
}

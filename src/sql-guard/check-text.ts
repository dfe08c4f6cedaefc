import { fitsIdentifier } from '../sql/quote-identifier.js';
import { type Bilingual } from '../text/bilingual.js';
import { positionAt } from '../text/place.js';
import { UnsafeFilterClauseError } from './sql-guard.errors.js';
import { checkDepth, tooDeep } from './check-depth.js';
import { scanTokens, SqlSyntaxError, type SqlToken } from './sql-parser.js';
import { Refusal } from './walk-tree.js';

const maxLength = 4_000;

/**
 * A run of more than 200 operator characters. The scanner reads such a run again for each of its characters: a run of 19,000 took 1.7 s.
 */
const longRun = /[-+*/<>=~!@#%^&|`?]{201}/;

/**
 * Checks the text before the parser runs (rule 1 of filter-guard.md, B.3). A NUL would end the text for the parser (a C string) while
 * PostgreSQL reads on. Comments would be harmless where the text is embedded, but they can hide from a reader what a clause does, so they
 * are refused too.
 * @param limit in characters (code points)
 * @returns the number of names, numbers and operators, 0 for a text that does not parse
 * @throws UnsafeFilterClauseError
 */
export function checkText(text: string, limit = maxLength): number {
  const length = [...text].length;
  if (length > limit)
    throw new UnsafeFilterClauseError({
      reason: 'length',
      hint: { zh: `最多 ${limit} 个字符，而不是 ${length} 个`, en: `at most ${limit} characters, not ${length}` },
    });
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/u.exec(text);
  if (control)
    throw new UnsafeFilterClauseError({ reason: 'syntax', token: codePoint(control[0]), position: positionAt(text, control.index) }, text);
  if (text.trim() === '') throw new UnsafeFilterClauseError({ reason: 'syntax', hint: { zh: '内容为空', en: 'it is empty' } });
  const run = longRun.exec(text);
  if (run) throw new UnsafeFilterClauseError({ reason: 'length', position: positionAt(text, run.index), hint: tooDeep }, text);
  let tokens: SqlToken[];
  try {
    tokens = scanTokens(text);
  } catch (error) {
    if (!(error instanceof SqlSyntaxError)) throw error;
    return 0; // The parse that follows reports the error with its place.
  }
  locate(text, '', () => checkDepth(tokens));
  locate(text, '', () => checkLengths(tokens));
  const comment = tokens.find(({ tokenName }) => tokenName === 'SQL_COMMENT' || tokenName === 'C_COMMENT');
  if (comment) {
    const before = Buffer.from(text).subarray(0, comment.start).toString();
    const position = positionAt(before, before.length);
    const hint = { zh: '不允许注释', en: 'comments are not allowed' };
    throw new UnsafeFilterClauseError({ reason: 'syntax', token: comment.text.slice(0, 40), position, hint }, text);
  }
  return tokens.filter(({ text: token }) => !/^[(),.]$/.test(token)).length;
}

/**
 * Refuses a name that PostgreSQL's parser would cut. The cut name may be that of another column, and the texts for other databases are
 * parsed by the same parser. @throws Refusal
 */
function checkLengths(tokens: readonly SqlToken[]): void {
  for (const { text, tokenName, start } of tokens) {
    // The scanner has no token name for a token of the kind U&"…".
    if (tokenName !== 'IDENT' && !/^u&"/i.test(text)) continue;
    const name = nameIn(text);
    if (!fitsIdentifier(name)) throw new Refusal('length', name, start, shorterName, tooLongName);
  }
}

/** The name that a token spells, also as U&"…". */
function nameIn(token: string): string {
  const [, unicode, quoted] = /^(u&)?"([\s\S]*)"$/i.exec(token) ?? [];
  if (quoted === undefined) return token;
  const name = quoted.replaceAll('""', '"');
  if (unicode === undefined) return name;
  return name.replace(/\\(?:\+([0-9a-f]{6})|([0-9a-f]{4}))/gi, (_, long?: string, short?: string) =>
    String.fromCodePoint(Math.min(parseInt(long ?? short!, 16), 0x10ffff)),
  );
}

const tooLongName: Bilingual = {
  zh: '名称超过 63 字节（21 个汉字），PostgreSQL 会截断它',
  en: 'a name has more than 63 bytes, which PostgreSQL would cut',
};
const shorterName: Bilingual = {
  zh: '请写更短的名称；若是来源中的列或表，请在来源库中建视图另取短名（文件夹的表请改文件）',
  en: 'write a shorter name; for a column or table of the source, give it one in a view of the source, or in the file of a folder',
};

/**
 * Refuses a text with more names, numbers and operators than are judged in one go.
 * @param what the kind of text, for the message
 * @throws UnsafeFilterClauseError
 */
export function checkParts(parts: number, most: number, what: Bilingual): void {
  if (parts <= most) return;
  const hint = {
    zh: `${what.zh}最多 ${most} 个名称、数字和运算符，而不是 ${parts} 个；请在数据库中建视图`,
    en: `${what.en} has at most ${most} names, numbers and operators, not ${parts}; make a view in the database`,
  };
  throw new UnsafeFilterClauseError({ reason: 'length', hint });
}

/**
 * Runs `parse`, which parses `sql` (the prefix and the client's text). Its refusals get a place in the client's text.
 * @throws UnsafeFilterClauseError
 */
export function locate<T>(sql: string, prefix: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const prefixLength = [...prefix].length;
    const text = sql.slice(prefix.length);
    if (error instanceof Refusal) {
      const { reason, token, hint, sentence } = error;
      // Locations in the tree count bytes of UTF-8.
      const at = error.byteOffset === undefined ? undefined : [...Buffer.from(sql).subarray(0, error.byteOffset).toString()].length;
      throw new UnsafeFilterClauseError(
        { reason, ...(token && { token }), ...position(at, prefixLength), ...(hint && { hint }), ...(sentence && { sentence }) },
        text,
      );
    }
    if (error instanceof SqlSyntaxError) {
      // Errors of the scanner and the grammar count characters.
      const token = /at or near "([\s\S]*)"$/.exec(error.message)?.[1];
      const hint = describeSyntaxError(error.message, token);
      throw new UnsafeFilterClauseError(
        { reason: 'syntax', ...(token && { token: token.slice(0, 40) }), ...position(error.position, prefixLength), hint },
        text,
      );
    }
    throw error;
  }
}

/** PostgreSQL's message as the English text, and a Chinese text for the common messages. */
function describeSyntaxError(en: string, token: string | undefined): Bilingual {
  if (en.startsWith('syntax error at end')) return { zh: '内容不完整', en };
  if (en.startsWith('unterminated')) return { zh: '引号没有结束', en };
  return { zh: token === undefined ? 'SQL 语法错误' : `在 '${token}' 附近有语法错误`, en };
}

function position(at: number | undefined, prefixLength: number): { position?: number } {
  return at === undefined || at < prefixLength ? {} : { position: at - prefixLength + 1 };
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

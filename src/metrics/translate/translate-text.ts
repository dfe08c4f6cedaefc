import { type Translator } from './expression-context.js';
import { integerType, textType, type Typed } from './target-dialect.js';
import { numberConstant, textConstant } from './tree-constants.js';

const sides = { btrim: 'BOTH', ltrim: 'LEADING', rtrim: 'TRAILING' } as const;
const names = 'length char_length character_length left right substring substr concat replace strpos position starts_with'.split(' ');
const textFunctions: ReadonlySet<string> = new Set([...Object.keys(sides), ...names]);

/** Translates a function of texts. Characters are counted in code points, as PostgreSQL does. Null for any other function. */
export function translateText(name: string, args: readonly unknown[], translator: Translator): Typed | null {
  if (!textFunctions.has(name)) return null;
  const { dialect, translate, condition, asText, refuse } = translator;
  const form = name === 'btrim' ? 'TRIM of this form' : `${name.toUpperCase()} of this form`;
  const text = (index: number): string => asText(translate(args[index]));
  const result = (sql: string): Typed => ({ ...textType, sql });
  const integer = (sql: string): Typed => ({ ...integerType('integer'), sql });
  /** A constant count of at least `least`. Other counts are refused, because databases treat negative counts differently. */
  const count = (index: number, least: number): string => {
    const written = numberConstant(args[index]) ?? '';
    return /^\d{1,9}$/.test(written) && Number(written) >= least ? written : refuse(form);
  };
  /** A constant text that is not empty. An empty text is refused, because databases differ about its position in a text. */
  const part = (index: number): string => (textConstant(args[index]) ? text(index) : refuse(form));
  switch (name) {
    case 'length':
    case 'char_length':
    case 'character_length':
      return integer(dialect.length(text(0)));
    case 'left':
      return result(dialect.slice(text(0), '1', count(1, 0)));
    case 'right':
      return result(dialect.lastCharacters(text(0), count(1, 0)));
    case 'substring':
    case 'substr':
      return result(dialect.slice(text(0), count(1, 1), args.length === 3 ? count(2, 0) : null));
    case 'concat':
      // PostgreSQL's concat treats NULL as an empty text.
      return result(dialect.join(args.map((_, index) => `COALESCE(${text(index)}, ${translator.text('').sql})`)));
    case 'replace':
      return result(dialect.replace(text(0), part(1), text(2)));
    case 'strpos':
    case 'position':
      return integer(dialect.position(text(0), part(1)));
    case 'starts_with':
      return condition(dialect.startsWith(text(0), text(1)));
    default:
      if (args.length === 2 && textConstant(args[1]) !== ' ') return refuse(form);
      return result(dialect.trim(text(0), sides[name as keyof typeof sides]));
  }
}

/** Translates `x LIKE 'part%'` and other patterns for the start, the end, any part or the whole of a text. Refuses other patterns. */
export function translateLike(operator: string, value: unknown, pattern: unknown, translator: Translator): Typed {
  const { dialect, translate, text, condition, asText, refuse } = translator;
  const like = textConstant(pattern);
  const [, leading, written, trailing] = /^(%*)((?:[^%_\\]|\\.)+)(%*)$/su.exec(like ?? '') ?? [];
  const part = like === '' ? '' : written?.replace(/\\(.)/gsu, '$1');
  if (part === undefined) return refuse('LIKE with this pattern');
  const [searched, wanted] = [asText(translate(value)), text(part).sql];
  const search = leading ? (trailing ? dialect.contains : dialect.endsWith) : trailing ? dialect.startsWith : isEqual;
  const found = search(searched, wanted);
  return condition(operator === '~~' ? found : `(NOT ${found})`);
}

function isEqual(value: string, other: string): string {
  return `(${value} = ${other})`;
}

import { type Bilingual } from '../../text/bilingual.js';
import { YAMLException } from 'js-yaml';
import { type Steps } from '../../text/steps.js';
import { LanguageError } from '../../text/language-error.js';
import { type Place, placeAt } from '../../text/place.js';
import { findFullWidthColon } from './full-width-colon.js';
import { bounds } from './yaml-bounds.js';

/** The error of a text that is not one readable YAML document. */
export class YamlSyntaxError extends LanguageError {
  constructor(
    code: 'yaml_syntax' | 'yaml_alias_limit' | 'not_a_map',
    text: Bilingual,
    override readonly place: Place,
    readonly hint?: Bilingual,
    cause?: unknown,
  ) {
    super(code, text, place, {}, cause);
  }
}

/**
 * Turns an error of js-yaml into an error with a message of this service. js-yaml asks its callers to catch every error, "not just
 * YAMLException", so every error counts as a fault of the text.
 * @param faultOf gives the offset of a text's first fault; Infinity for none
 */
export function* toSyntaxError(text: string, error: unknown, faultOf: (text: string) => number): Steps<YamlSyntaxError> {
  if (!(error instanceof YAMLException)) {
    const sentence = { zh: 'YAML 语法错误：无法读取', en: 'YAML syntax error: it cannot be read' };
    return new YamlSyntaxError('yaml_syntax', sentence, { line: 1, column: 1 }, undefined, error);
  }
  const place = error.mark ? placeAt(text, error.mark.position) : { line: 1, column: 1 };
  const colon = error.mark && (yield* findFullWidthColon(text, error.mark.position, faultOf));
  if (colon) return new YamlSyntaxError('yaml_syntax', colon.text, placeAt(text, colon.offset), colon.hint);
  const known = reasons.find(([pattern]) => pattern.test(error.reason));
  const sentence = {
    zh: `YAML 语法错误：${known ? known[1].zh : error.reason}`,
    en: `YAML syntax error: ${known?.[1].en ?? error.reason}`,
  };
  return new YamlSyntaxError('yaml_syntax', sentence, place, syntaxHint(text, error, place) ?? known?.[1].hint);
}

/**
 * Chinese sentences for js-yaml's reasons. A reason that does not name the usual mistake also gets a clearer English sentence. A reason
 * with only one possible advice also gets a hint.
 */
const reasons: [pattern: RegExp, says: { zh: string; en?: string; hint?: Bilingual }][] = [
  [/^bad indentation/, { zh: '缩进有误', hint: { zh: '与同级的键左对齐', en: 'align it with the keys of the same level' } }],
  [
    /^deficient indentation/,
    {
      zh: '引号或括号没有闭合，或缩进不足',
      en: 'a quote or a bracket is not closed, or the indentation is too small',
      hint: { zh: '闭合引号与括号', en: 'close the quote or the bracket' },
    },
  ],
  [/tab/, { zh: '缩进用了制表符' }],
  [
    /^unexpected end of the stream/,
    { zh: '文本在引号或括号之内结束', hint: { zh: '闭合引号与括号', en: 'close the quote or the bracket' } },
  ],
  [
    /multiline key|implicit key|block mapping entry/,
    { zh: '此处应为「键: 值」', hint: { zh: '键之后写冒号加空格', en: 'write a colon and a space after the key' } },
  ],
  [/^missed comma/, { zh: '各项之间缺少逗号', hint: { zh: '各项之间写逗号加空格', en: 'write a comma and a space between the items' } }],
  [
    /^end of the stream or a document separator is expected/,
    {
      zh: '此处应为「键: 值」',
      hint: {
        zh: '上一行的键之后写冒号加空格；同级的键左对齐',
        en: 'write a colon and a space after the key of the line before; align keys of one level',
      },
    },
  ],
  [/depth|nesting/i, { zh: `嵌套超过 ${bounds.depth} 层` }],
];

/** The most characters of a line that are searched for a hint. */
const longestLine = 500;

function syntaxHint(text: string, error: YAMLException, place: Place): Bilingual | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  if (error.reason.includes('tab')) return { zh: '缩进请用空格', en: 'indent with spaces, not tabs' };
  if (error.reason.startsWith('missed comma') && /，/.test(lines[place.line - 1]!.slice(0, place.column - 1))) {
    return {
      zh: '这里有全角逗号「，」，请用半角逗号加空格分隔',
      en: 'this line has a full-width comma (，): use an ASCII comma and a space',
    };
  }
  // Only the faulty line is searched, up to the fault, because a value on the line before, or a flow map, has colons of its own.
  const value = /^[\s-]*[^\s:{[-][^\s:{[]*:\s+(\S.*|)$/.exec((lines[place.line - 1] ?? '').slice(0, longestLine))?.[1] ?? '';
  if (/^[%`@]/.test(value) || /^[^'"[{\s][^'"]*:(?:\s|$)/.test(value)) {
    return { zh: '给值加引号', en: 'quote the value: it starts with a reserved character or contains ": "' };
  }
  return undefined;
}

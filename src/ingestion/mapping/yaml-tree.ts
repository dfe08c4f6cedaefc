import { type Bilingual } from '../../text/bilingual.js';
import { CORE_SCHEMA, YAMLException, constructFromEvents, getScalarValue, parseEvents } from 'js-yaml';
import { type Steps } from '../../text/steps.js';
import { LanguageError } from '../../text/language-error.js';
import { type Place, placeAt, placesIn, type Span } from '../../text/place.js';
import { findFullWidthColon } from './full-width-colon.js';
import { type MappingPath } from './mapping.js';

const maxBytes = 256 * 1024;
const deepestNesting = 20;
/** The most beginnings and ends of values. A useful mapping of a quarter of a megabyte has fewer. */
const maxEvents = 60_000;
/** The numbers of js-yaml's EVENT_ID and SCALAR_STYLE.PLAIN. A switch needs literal types, which the imported objects lack. */
const sequenceEvent = 2;
const mappingEvent = 3;
const scalarEvent = 4;
const popEvent = 6;
const plainStyle = 1;

/** A YAML value with its place; `at` and `end` are offsets into the text. A map or list ends where its last value does. */
export type YamlNode =
  | { kind: 'map'; at: number; end: number; entries: Map<string, { keyAt: number; value: YamlNode }> }
  | { kind: 'list'; at: number; end: number; items: YamlNode[] }
  | { kind: 'scalar'; at: number; end: number; value: string | number | boolean | null; written: string; plain: boolean };

export interface YamlTree {
  root: YamlNode;
  /** A value, or the key above it if the value begins on a line of its own. */
  placeOf: (path: MappingPath) => Span;
  placeAt: (offset: number) => Place;
}

/** The text is not one readable YAML document. */
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
 * Reads one YAML 1.2 document (core schema, no aliases, at most 256 KiB, 20 levels and 60,000 events) into a tree with places.
 * js-yaml's event stream has the source offsets that its constructed values lack, so the tree is built from events.
 * @throws YamlSyntaxError
 */
export function* readYamlTree(text: string): Steps<YamlTree> {
  const start: Place = { line: 1, column: 1 };
  if (new TextEncoder().encode(text).length > maxBytes) {
    throw new YamlSyntaxError('yaml_syntax', { zh: '映射超过 256 KiB', en: 'the mapping is larger than 256 KiB' }, start);
  }
  const root = yield* parseDocument(text, start);
  if (root.kind !== 'map') {
    const colon = findFullWidthColon(text, root.at, () => Infinity);
    if (colon) throw new YamlSyntaxError('not_a_map', colon.text, placeAt(text, colon.offset), colon.hint);
    const sentence = { zh: '映射必须是键值结构，以 version: 1 开头', en: 'the mapping must be a map that starts with version: 1' };
    throw new YamlSyntaxError('not_a_map', sentence, start);
  }
  const placeAtOffset = placesIn(text);
  const placeOf = (path: MappingPath): Span => {
    const [at, end] = offsetsOf(root, path);
    return { ...placeAtOffset(at), end: placeAtOffset(Math.max(at, end)) };
  };
  return { root, placeAt: placeAtOffset, placeOf };
}

type Events = ReturnType<typeof parseEvents>;

function* parseDocument(text: string, start: Place): Steps<YamlNode> {
  const events = readEvents(text, start);
  yield;
  const documents = countDocuments(text, events);
  yield;
  if (documents > 1) {
    throw new YamlSyntaxError(
      'yaml_syntax',
      { zh: '只能有一个 YAML 文档', en: 'only one YAML document is allowed' },
      placeAt(text, secondDocumentAt(text)),
      { zh: '去掉这一行 ---', en: 'remove this line ---' },
    );
  }
  if (documents === 0) throw new YamlSyntaxError('not_a_map', { zh: '映射为空', en: 'the mapping is empty' }, start);
  return composeTree(text, events);
}

/** js-yaml asks its callers to catch everything it throws, "not just YAMLException". All of it counts as a fault of the text. */
function readEvents(text: string, start: Place): Events {
  let events: Events;
  try {
    events = parseEvents(text, { maxDepth: deepestNesting });
  } catch (error) {
    throw toSyntaxError(text, error);
  }
  if (events.length > maxEvents) {
    const sentence = { zh: '映射中的值过多，请拆成几个作业', en: 'the mapping has too many values; split it into several jobs' };
    throw new YamlSyntaxError('yaml_syntax', sentence, start);
  }
  return events;
}

/** The constructor is run only for the errors it finds: aliases, duplicate keys, keys that are no scalars. */
function countDocuments(text: string, events: Events): number {
  try {
    return constructFromEvents(events, { source: text, schema: CORE_SCHEMA, maxAliases: 0 }).length;
  } catch (error) {
    throw toSyntaxError(text, error);
  }
}

/** The offset of the line that opens the second document: the first `---` with content before it. */
function secondDocumentAt(text: string): number {
  let hasContent = false;
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    const opens = /^---(?:\s|$)/.test(line);
    if (opens && hasContent) return index;
    const isBare = /^---\s*(?:#.*)?$/.test(line) || /^\s*(?:#.*)?$/.test(line) || line.startsWith('%') || /^\ufeff?\s*#/.test(line);
    if (!isBare) hasContent = true;
  }
  return 0;
}

function composeTree(text: string, events: Events): YamlNode {
  let next = 1; // the first event opens the document
  const atEnd = (): boolean => {
    if (events[next]!.type !== popEvent) return false;
    next++;
    return true;
  };
  const compose = (): YamlNode => {
    const event = events[next++]!;
    if ('tagStart' in event && event.tagStart >= 0) throw tagRefused(placeAt(text, event.tagStart));
    switch (event.type) {
      case sequenceEvent: {
        const items: YamlNode[] = [];
        while (!atEnd()) items.push(compose());
        return { kind: 'list', at: event.start, end: items.at(-1)?.end ?? event.start, items };
      }
      case mappingEvent: {
        const entries = new Map<string, { keyAt: number; value: YamlNode }>();
        let end = event.start;
        while (!atEnd()) {
          const key = compose();
          const value = compose();
          entries.set(key.kind === 'scalar' ? key.written : '', { keyAt: key.at, value });
          end = Math.max(key.end, value.end);
        }
        return { kind: 'map', at: event.start, end, entries };
      }
      case scalarEvent: {
        const written = getScalarValue(text, event);
        const plain = event.style === plainStyle;
        return {
          kind: 'scalar',
          at: event.valueStart,
          end: event.valueEnd,
          value: plain ? resolvePlain(written) : written,
          written,
          plain,
        };
      }
      default:
        throw new Error(`YAML event ${event.type} cannot start a value`);
    }
  };
  return compose();
}

/** YAML 1.2.2 core schema, section 10.3.2: only these plain words are not strings, so `NO` and `on` stay as they are. */
function resolvePlain(written: string): string | number | boolean | null {
  if (/^(?:~|null|Null|NULL|)$/.test(written)) return null;
  if (/^(?:true|True|TRUE)$/.test(written)) return true;
  if (/^(?:false|False|FALSE)$/.test(written)) return false;
  if (/^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/.test(written)) return Number(written);
  return written;
}

function tagRefused(place: Place): YamlSyntaxError {
  return new YamlSyntaxError('yaml_syntax', { zh: '不支持 YAML 标签（!…）', en: 'YAML tags (!…) are not supported' }, place);
}

function toSyntaxError(text: string, error: unknown): YamlSyntaxError {
  if (!(error instanceof YAMLException)) {
    const sentence = { zh: 'YAML 语法错误：无法读取', en: 'YAML syntax error: it cannot be read' };
    return new YamlSyntaxError('yaml_syntax', sentence, { line: 1, column: 1 }, undefined, error);
  }
  const place = error.mark ? placeAt(text, error.mark.position) : { line: 1, column: 1 };
  if (error.reason.includes('maxAliases')) {
    return new YamlSyntaxError(
      'yaml_alias_limit',
      { zh: '不支持 YAML 锚点引用（*name）', en: 'YAML aliases (*name) are not supported' },
      place,
      { zh: '把内容写全', en: 'write the content out' },
    );
  }
  const colon = error.mark && findFullWidthColon(text, error.mark.position, faultOf);
  if (colon) return new YamlSyntaxError('yaml_syntax', colon.text, placeAt(text, colon.offset), colon.hint);
  const known = reasons.find(([pattern]) => pattern.test(error.reason));
  const sentence = {
    zh: `YAML 语法错误：${known ? known[1].zh : error.reason}`,
    en: `YAML syntax error: ${known?.[1].en ?? error.reason}`,
  };
  return new YamlSyntaxError('yaml_syntax', sentence, place, syntaxHint(text, error, place) ?? known?.[1].hint);
}

/** The offset of the first fault of the syntax; Infinity for none. */
function faultOf(text: string): number {
  try {
    parseEvents(text, { maxDepth: deepestNesting });
    return Infinity;
  } catch (error) {
    return error instanceof YAMLException && error.mark ? error.mark.position : 0;
  }
}

/** js-yaml's reasons in Chinese, and in clearer English where they hide the usual fault, with advice if that is always the same. */
const reasons: [pattern: RegExp, says: { zh: string; en?: string; hint?: Bilingual }][] = [
  [
    /^duplicated mapping key/,
    { zh: '键重复', hint: { zh: '每个键只写一次，删去或改名其中一个', en: 'write each key once: remove or rename one of the two' } },
  ],
  [/^unknown .*tag/, { zh: '不支持 YAML 标签（!…）', hint: { zh: '去掉 ! 开头的标签', en: 'remove the tag that starts with !' } }],
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
  [/depth|nesting/i, { zh: `嵌套超过 ${deepestNesting} 层` }],
];

function syntaxHint(text: string, error: YAMLException, place: Place): Bilingual | undefined {
  if (/^duplicated|^unknown .*tag/.test(error.reason)) return undefined;
  const lines = text.split(/\r\n|\r|\n/);
  if (error.reason.includes('tab')) return { zh: '缩进请用空格', en: 'indent with spaces, not tabs' };
  if (error.reason.startsWith('missed comma') && /，/.test(lines[place.line - 1]!.slice(0, place.column - 1))) {
    return {
      zh: '这里有全角逗号「，」，请用半角逗号加空格分隔',
      en: 'this line has a full-width comma (，): use an ASCII comma and a space',
    };
  }
  // Looks only at the line itself, up to the fault: a value on the line before, or a flow map, has colons of its own.
  const value = /^[\s-]*[^\s:{[]+:\s+(.*)$/.exec(lines[place.line - 1] ?? '')?.[1] ?? '';
  if (/^[%`@]/.test(value) || /^[^'"[{\s][^'"]*:(?:\s|$)/.test(value)) {
    return { zh: '给值加引号', en: 'quote the value: it starts with a reserved character or contains ": "' };
  }
  return undefined;
}

/** The place of a map entry is its value if that stands on the key's line, where a reader looks, else its key. */
function offsetsOf(root: YamlNode, path: MappingPath): [at: number, end: number] {
  let node = root;
  let offsets: [number, number] = [root.at, root.end];
  for (const step of path) {
    if (node.kind === 'map' && typeof step === 'string') {
      const entry = node.entries.get(step);
      if (!entry) return offsets;
      const { keyAt, value } = entry;
      offsets = value.kind === 'scalar' && value.at >= 0 ? [value.at, value.end] : [keyAt, keyAt + step.length];
      node = value;
    } else if (node.kind === 'list' && typeof step === 'number') {
      const item = node.items[step];
      if (!item) return offsets;
      offsets = [item.at, item.end];
      node = item;
    } else return offsets;
  }
  return offsets;
}

import { getScalarValue, parseEvents, YAMLException } from 'js-yaml';
import { type Bilingual } from '../../text/bilingual.js';
import { type Steps } from '../../text/steps.js';
import { type Place, placeAt, placesIn, type Span } from '../../text/place.js';
import { findFullWidthColon } from './full-width-colon.js';
import { type MappingPath } from './mapping.js';
import { bounds, refuseUnparsed, tooManyEvents } from './yaml-bounds.js';
import { toSyntaxError, YamlSyntaxError } from './yaml-syntax-error.js';

/**
 * The values of js-yaml's constants EVENT_ID and SCALAR_STYLE.PLAIN. A switch over the events needs literal types, which the imported
 * constants lack.
 */
const documentEvent = 1;
const sequenceEvent = 2;
const mappingEvent = 3;
const scalarEvent = 4;
const aliasEvent = 5;
const popEvent = 6;
const plainStyle = 1;
const start: Place = { line: 1, column: 1 };
/** The number of parser events that become nodes in one step. */
const eventsInStep = 512;

/** A YAML value with its place: `at` and `end` are offsets into the text. A map or list ends where its last value ends. */
export type YamlNode =
  | { kind: 'map'; at: number; end: number; entries: Map<string, { keyAt: number; value: YamlNode }> }
  | { kind: 'list'; at: number; end: number; items: YamlNode[] }
  | { kind: 'scalar'; at: number; end: number; value: string | number | boolean | null; written: string; plain: boolean };

export interface YamlTree {
  root: YamlNode;
  /** The place of the value at a path. A map or a list that is the value of a key has the place of the key. */
  placeOf: (path: MappingPath) => Span;
  placeAt: (offset: number) => Place;
}

/**
 * Reads one YAML 1.2 document (core schema, no aliases, no tags, at most 256 KiB, 15,000 lines, 20 levels and 60,000 events) into a
 * tree with places. js-yaml's event stream has the source offsets that its constructed values lack, so the tree is built from events.
 * @throws YamlSyntaxError
 */
export function* readYamlTree(text: string): Steps<YamlTree> {
  const refused = refuseUnparsed(text);
  if (refused) throw 'text' in refused ? new YamlSyntaxError('yaml_syntax', refused.text, start) : severalDocuments(text);
  const events = yield* readEvents(text);
  yield;
  const root = yield* composeTree(text, events);
  yield;
  if (root.kind !== 'map') {
    const colon = yield* findFullWidthColon(text, root.at, () => Infinity);
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

/** The parser events of the text, which must be one document. */
function* readEvents(text: string): Steps<Events> {
  let events: Events;
  try {
    events = parseEvents(text, { maxDepth: bounds.depth });
  } catch (error) {
    throw yield* toSyntaxError(text, error, faultOf);
  }
  const tooMany = tooManyEvents(events.length);
  if (tooMany) throw new YamlSyntaxError('yaml_syntax', tooMany, start);
  const documents = events.filter(event => event.type === documentEvent).length;
  if (documents > 1) throw severalDocuments(text);
  if (documents === 0) throw new YamlSyntaxError('not_a_map', { zh: '映射为空', en: 'the mapping is empty' }, start);
  return events;
}

/** The offset of the first syntax error in the text; Infinity if there is none. */
function faultOf(text: string): number {
  try {
    parseEvents(text, { maxDepth: bounds.depth });
    return Infinity;
  } catch (error) {
    return error instanceof YAMLException && error.mark ? error.mark.position : 0;
  }
}

function severalDocuments(text: string): YamlSyntaxError {
  return new YamlSyntaxError(
    'yaml_syntax',
    { zh: '只能有一个 YAML 文档', en: 'only one YAML document is allowed' },
    placeAt(text, secondDocumentAt(text)),
    { zh: '去掉这一行 ---', en: 'remove this line ---' },
  );
}

/** The offset of the line that opens the second document, which is the first `---` that has content before it. */
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

/**
 * Builds the tree from the events of one document. Aliases, tags, repeated keys and keys that are not scalars are refused, with their
 * place.
 */
function* composeTree(text: string, events: Events): Steps<YamlNode> {
  let next = 1; // the first event opens the document
  const refusedAt = (at: number, { code, says, hint }: Refusal): YamlSyntaxError =>
    new YamlSyntaxError(code ?? 'yaml_syntax', says, placeAt(text, at), hint);
  const atEnd = (): boolean => {
    if (events[next]!.type !== popEvent) return false;
    next++;
    return true;
  };
  function* compose(): Steps<YamlNode> {
    const event = events[next++]!;
    if (next % eventsInStep === 0) yield;
    if ('tagStart' in event && event.tagStart >= 0) throw refusedAt(event.tagStart, tag);
    switch (event.type) {
      case sequenceEvent: {
        const items: YamlNode[] = [];
        while (!atEnd()) items.push(yield* compose());
        return { kind: 'list', at: event.start, end: items.at(-1)?.end ?? event.start, items };
      }
      case mappingEvent: {
        const entries = new Map<string, { keyAt: number; value: YamlNode }>();
        let end = event.start;
        while (!atEnd()) {
          const key = yield* compose();
          if (key.kind !== 'scalar') throw refusedAt(key.at, keyWithParts);
          if (entries.has(key.written)) throw refusedAt(key.at, repeatedKey);
          const value = yield* compose();
          entries.set(key.written, { keyAt: key.at, value });
          end = Math.max(key.end, value.end);
        }
        return { kind: 'map', at: event.start, end, entries };
      }
      case scalarEvent: {
        const written = getScalarValue(text, event);
        const plain = event.style === plainStyle;
        if (!plain && /[\0\p{Cs}]/u.test(written)) throw refusedAt(event.valueStart, unstorable);
        return {
          kind: 'scalar',
          at: event.valueStart,
          end: event.valueEnd,
          value: plain ? resolvePlain(written) : written,
          written,
          plain,
        };
      }
      case aliasEvent:
        throw refusedAt(event.anchorStart, alias);
      default:
        throw new Error(`YAML event ${event.type} cannot start a value`);
    }
  }
  try {
    return yield* compose();
  } catch (error) {
    throw error instanceof YamlSyntaxError ? error : yield* toSyntaxError(text, error, faultOf);
  }
}

interface Refusal {
  code?: 'yaml_alias_limit';
  says: Bilingual;
  hint: Bilingual;
}

const alias: Refusal = {
  code: 'yaml_alias_limit',
  says: { zh: '不支持 YAML 锚点引用（*name）', en: 'YAML aliases (*name) are not supported' },
  hint: { zh: '把内容写全', en: 'write the content out' },
};
const tag: Refusal = {
  says: { zh: '不支持 YAML 标签（!…）', en: 'YAML tags (!…) are not supported' },
  hint: { zh: '去掉 ! 开头的标签', en: 'remove the tag that starts with !' },
};
const repeatedKey: Refusal = {
  says: { zh: 'YAML 语法错误：键重复', en: 'YAML syntax error: duplicated mapping key' },
  hint: { zh: '每个键只写一次，删去或改名其中一个', en: 'write each key once: remove or rename one of the two' },
};
const unstorable: Refusal = {
  says: { zh: '文本含有 NUL 或不成对的代理字符，数据库无法保存', en: 'the text has NUL or half a surrogate pair, which no database holds' },
  hint: { zh: '去掉 \\0、\\x00 或 \\uD800 一类的转义', en: 'remove the escape, such as \\0, \\x00 or \\uD800' },
};
const keyWithParts: Refusal = {
  says: { zh: 'YAML 语法错误：键必须是单个值', en: 'YAML syntax error: a key must be a single value' },
  hint: { zh: '键之前不写 ?、[ 或 {', en: 'write no ?, [ or { before a key' },
};

/**
 * The value of a plain scalar by the YAML 1.2.2 core schema, section 10.3.2. Only null, booleans and numbers are not strings, so `NO` and
 * `on` stay text.
 */
function resolvePlain(written: string): string | number | boolean | null {
  if (!/^(?:[-+.0-9~nNtTfF]|$)/.test(written)) return written;
  if (/^(?:~|null|Null|NULL|)$/.test(written)) return null;
  if (/^(?:true|True|TRUE)$/.test(written)) return true;
  if (/^(?:false|False|FALSE)$/.test(written)) return false;
  if (/^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/.test(written)) return Number(written);
  return written;
}

/**
 * The offsets of the value at a path, or of its nearest ancestor in the text. A map entry has the offsets of its value if that is a
 * written scalar. Otherwise it has the offsets of its key, where a reader looks.
 */
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

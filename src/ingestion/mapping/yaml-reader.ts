import { type Bilingual, type Phrase } from '../../text/bilingual.js';
import { nearestName } from '../../text/nearest-name.js';
import { type Place } from '../../text/place.js';
import { describeFullWidthColon } from './full-width-colon.js';
import { type MappingPath } from './mapping.js';
import { type MappingProblems } from './problems.js';
import { type YamlNode } from './yaml-tree.js';

/** The most characters of a text whose key sets no bound of its own. */
export const maxText = 4000;
/** The most items in a list of texts. */
export const maxTexts = 100;

/** The names of the kinds of values, for the message of a `wrong_type` problem. */
export const kinds = {
  map: { zh: '键值结构', en: 'a map' },
  list: { zh: '列表', en: 'a list' },
  text: { zh: '文本', en: 'text' },
  whole: { zh: '整数', en: 'a whole number' },
  number: { zh: '数字', en: 'a number' },
  boolean: { zh: 'true 或 false', en: 'true or false' },
  scalar: { zh: '单个值', en: 'a single value' },
} as const;

export type ValueKind = keyof typeof kinds;

/**
 * One value of the mapping with its place. Every method named `as…` returns the value, or reports `wrong_type` and returns null, so that
 * reading goes on and all problems are found together.
 */
export class YamlReader {
  constructor(
    readonly node: YamlNode,
    readonly path: MappingPath,
    private readonly problems: MappingProblems,
    private readonly placeAt: (offset: number) => Place,
  ) {}

  problem(type: string, text: Bilingual, hint?: Phrase): void {
    this.problems.add(type, this.path, text, { hint });
  }

  /**
   * The entries of a map. A key outside of `known` is reported with the most similar known key.
   * @param synonyms the key that is meant by a wrong name, for names that do not resemble any key of `known`
   */
  asMap(known: readonly string[], synonyms: Readonly<Record<string, string>> = {}): MapReader {
    const entries = this.asEntries();
    for (const [key, { keyAt }] of entries) {
      // Once the list of problems is full, further unknown keys cost no time. A text may hold tens of thousands of them.
      if (known.includes(key) || this.problems.isFull) continue;
      const place = { ...this.placeAt(keyAt), end: this.placeAt(keyAt + key.length) };
      if (key.includes('：')) {
        const { text, hint } = describeFullWidthColon(key);
        this.problems.add('unknown_key', [...this.path, key], text, { place: this.placeAt(keyAt + key.indexOf('：')), hint });
        continue;
      }
      const meant = Object.hasOwn(synonyms, key) ? synonyms[key]! : nearestName(key, known);
      this.problems.add(
        'unknown_key',
        [...this.path, key],
        meant === null
          ? { zh: `未知的键 '${key}'`, en: `unknown key '${key}'` }
          : { zh: `未知的键 '${key}'，是否想写 '${meant}'？`, en: `unknown key '${key}'; did you mean '${meant}'?` },
        { place, hint: known.join(', ') },
      );
    }
    return new MapReader(this, entries);
  }

  asEntries(): Map<string, { keyAt: number; value: YamlNode }> {
    if (this.node.kind === 'map') return this.node.entries;
    this.wrongType('map');
    return new Map();
  }

  asList(): YamlReader[] {
    if (this.node.kind !== 'list') {
      const name = this.path.at(-1);
      const isOne = this.node.kind === 'scalar' && this.node.value !== null && typeof name === 'string';
      this.wrongType('list', isOne ? `${name}: [${this.node.written.slice(0, 100).replaceAll('，', ', ')}]` : undefined);
      return [];
    }
    return this.node.items.map((item, index) => this.child(item, index));
  }

  /** A list of texts, each text once. A single text counts as a list of one. */
  asTexts(options: { max?: number } = {}): string[] {
    const texts = new Set<string>();
    const items = this.asList();
    if (items.length > maxTexts)
      this.problem('wrong_type', {
        zh: `列表最多 ${maxTexts} 项，而不是 ${items.length} 项`,
        en: `at most ${maxTexts} texts, not ${items.length}`,
      });
    for (const item of items.slice(0, maxTexts)) {
      const text = item.asText(options);
      if (text === null) continue;
      if (texts.has(text)) item.problem('duplicate_value', { zh: `重复的值 '${text}'`, en: `'${text}' is listed twice` });
      else texts.add(text);
    }
    return [...texts];
  }

  /** The text of a scalar, 1 to `max` code points. A plain number keeps its spelling: `0110` stays four characters. */
  asText({ max = maxText }: { max?: number } = {}): string | null {
    if (this.node.kind !== 'scalar' || this.node.value === null || typeof this.node.value === 'boolean') {
      return this.wrongType('text', this.asOneText());
    }
    const text = this.scalarText();
    if (text === null) return null;
    const isWithin = text.length <= max || [...text].length <= max;
    if (text !== '' && isWithin) return text;
    this.problem('wrong_type', { zh: `长度应为 1 到 ${max} 个字符`, en: `must have 1 to ${max} characters` });
    return null;
  }

  /** A corrected line for a list with one item where a text is expected: `label: 客户` for `label: [客户]`. Undefined for any other value. */
  private asOneText(): string | undefined {
    const name = this.path.at(-1);
    const only = this.node.kind === 'list' && this.node.items.length === 1 ? this.node.items[0]! : null;
    return only?.kind === 'scalar' && typeof name === 'string' ? `${name}: ${only.written.slice(0, 100)}` : undefined;
  }

  /** The text of any scalar, as written. Null for a YAML null. A collection or a too long text is reported, and gives null as well. */
  asWritten(): string | null {
    const text = this.scalarText();
    if (text === null || text.length <= maxText || [...text].length <= maxText) return text;
    this.problem('wrong_type', { zh: `最多 ${maxText} 个字符`, en: `must have at most ${maxText} characters` });
    return null;
  }

  private scalarText(): string | null {
    if (this.node.kind !== 'scalar') return this.wrongType('scalar');
    const { value, written, plain } = this.node;
    if (value === null) return null;
    if (plain && /^[“”‘’「].*[“”‘’」]$/su.test(written)) {
      this.problems.warn('full_width_quotes', this.path, {
        zh: `${written.slice(0, 100)} 的全角引号属于值本身；YAML 的引号是 ' 或 "`,
        en: `the full-width quotes of ${written.slice(0, 100)} belong to the value; the quotes of YAML are ' and "`,
      });
    }
    if (plain && typeof value === 'number' && String(value) !== written && /^[-+]?\d+$/.test(written)) {
      this.problems.warn('unquoted_number', this.path, {
        zh: `${written} 没有引号，这里按文本原样保留；编码请加引号`,
        en: `${written} is not quoted; it is kept as written, but codes should be quoted`,
      });
    }
    return written;
  }

  asOneOf<T extends string>(allowed: readonly T[]): T | null {
    const text = this.asText();
    if (text === null) return null;
    const found = allowed.find(value => value === text);
    if (found !== undefined) return found;
    this.unknown('wrong_type', 'value', '取值', text, allowed);
    return null;
  }

  asWhole({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}): number | null {
    const value = this.node.kind === 'scalar' ? this.node.value : null;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return this.within(value, min, max);
    return this.wrongType('whole');
  }

  asNumber({ min, max }: { min: number; max: number }): number | null {
    const value = this.node.kind === 'scalar' ? this.node.value : null;
    if (typeof value === 'number' && Number.isFinite(value)) return this.within(value, min, max);
    return this.wrongType('number');
  }

  asBoolean(): boolean | null {
    if (this.node.kind === 'scalar' && typeof this.node.value === 'boolean') return this.node.value;
    return this.wrongType('boolean');
  }

  /** Reports `written` as unknown, and suggests `synonym` or else the most similar of `known`. */
  unknown(type: string, noun: string, nounZh: string, written: string, known: readonly string[], synonym: string | null = null): void {
    if (this.problems.isFull) return;
    const meant = synonym ?? nearestName(written, known);
    this.problem(
      type,
      meant === null
        ? { zh: `未知${nounZh} '${written}'`, en: `unknown ${noun} '${written}'` }
        : { zh: `未知${nounZh} '${written}'，是否想写 '${meant}'？`, en: `unknown ${noun} '${written}'; did you mean '${meant}'?` },
      known.join(', '),
    );
  }

  child(node: YamlNode, step: string | number): YamlReader {
    return new YamlReader(node, [...this.path, step], this.problems, this.placeAt);
  }

  wrongType(kind: ValueKind, hint?: Phrase): null {
    const { node } = this;
    if (kind === 'map' && node.kind === 'scalar' && node.plain && /^[A-Za-z_]+\s*：/.test(node.written)) {
      const colon = describeFullWidthColon(node.written);
      const place = this.placeAt(node.at + node.written.indexOf('：'));
      this.problems.add('wrong_type', this.path, colon.text, { place, hint: colon.hint });
      return null;
    }
    this.problem('wrong_type', { zh: `此处应为${kinds[kind].zh}`, en: `must be ${kinds[kind].en}` }, hint);
    return null;
  }

  private within(value: number, min: number, max: number): number | null {
    if (value >= min && value <= max) return value;
    this.problem('wrong_type', { zh: `应在 ${min} 与 ${max} 之间`, en: `must be between ${min} and ${max}` });
    return null;
  }
}

/** The entries of one map by key. */
export class MapReader {
  constructor(
    private readonly owner: YamlReader,
    private readonly entries: Map<string, { keyAt: number; value: YamlNode }>,
  ) {}

  has(key: string): boolean {
    return this.entries.has(key);
  }

  keys(): string[] {
    return [...this.entries.keys()];
  }

  /** A reader of the value of `key`. Null when the key is absent or its value is a YAML null. */
  optional(key: string): YamlReader | null {
    const entry = this.entries.get(key);
    if (!entry || (entry.value.kind === 'scalar' && entry.value.value === null)) return null;
    return this.owner.child(entry.value, key);
  }

  required(key: string): YamlReader | null {
    const found = this.optional(key);
    if (!found) this.owner.problem('missing_key', { zh: `缺少「${key}」`, en: `'${key}' is missing` });
    return found;
  }
}

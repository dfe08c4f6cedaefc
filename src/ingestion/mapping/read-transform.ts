import { transformWords } from './column-keys.js';
import { parseDateFormat } from './date-format.js';
import { type PropertyType, type Transform } from './mapping.js';
import { isNumeric, typeText } from './property-type.js';
import { type YamlReader } from './yaml-reader.js';

const simpleTransforms = ['trim', 'lower', 'upper', 'nfc', 'nfkc', 'collapse_space', 'number_cn'] as const;
type Argued = Exclude<Transform['kind'], (typeof simpleTransforms)[number]>;

const transforms = Object.keys(transformWords);
const maxTransforms = 20;
const maxPosition = 10_000_000;

/** The transforms of one column in written order. A null stands for a transform that could not be read. */
export function readTransforms(list: YamlReader): (Transform | null)[] {
  const items = list.asList();
  if (items.length > maxTransforms) {
    list.problem('wrong_type', { zh: `最多 ${maxTransforms} 个转换`, en: `at most ${maxTransforms} transforms` });
    return [];
  }
  const read = items.map(readTransform);
  read.forEach((step, index) => {
    if (index === read.length - 1 || (step?.kind !== 'split' && step?.kind !== 'date_format')) return;
    items[index]!.problem('bad_rule_argument', {
      zh: `转换「${step.kind}」须是最后一个`,
      en: `transform '${step.kind}' must be the last one`,
    });
  });
  return read;
}

/**
 * The type of a column after its transforms. It is the written type if there are no transforms or if the last transform can make any type.
 * Otherwise the last transform makes only certain types: the written one must be among them, and without a written type its usual type
 * counts. A written type that it cannot make is reported, and the result is null.
 */
export function typeAfter(at: YamlReader, written: PropertyType | null, steps: (Transform | null)[]): PropertyType | null {
  const step = steps.at(-1);
  if (!step) return written;
  const made = typesMadeBy(step);
  if (made === null || (written && made.some(({ name }) => name === written.name))) return written;
  if (written) {
    const known = made.map(typeText).join(', ');
    at.problem(
      'rule_type_mismatch',
      {
        zh: `转换「${step.kind}」不能用于 ${typeText(written)} 类型`,
        en: `transform '${step.kind}' does not apply to type ${typeText(written)}`,
      },
      { zh: `可用：${known}`, en: `possible: ${known}` },
    );
    return null;
  }
  return made[0]!;
}

/** The types that a column may have after a transform, the usual type first; null for any type. */
function typesMadeBy(step: Transform): PropertyType[] | null {
  switch (step.kind) {
    case 'split':
      return [{ name: 'string[]' }, { name: 'int[]' }];
    case 'date_format':
      if (step.format.reads === 'time') return [{ name: 'time' }];
      return step.format.reads === 'date' ? [{ name: 'date' }, { name: 'datetime' }] : [{ name: 'datetime' }, { name: 'date' }];
    default:
      return null;
  }
}

/**
 * Reports `number_cn` on a column whose type is neither numeric nor `string`. The number would otherwise be read as another type, such as a
 * date or a list.
 */
export function checkNumberTransform(at: YamlReader, type: PropertyType | null, steps: (Transform | null)[]): void {
  if (type === null || isNumeric(type) || type.name === 'string') return;
  const index = steps.findIndex(step => step?.kind === 'number_cn');
  if (index < 0) return;
  at.problem('rule_type_mismatch', {
    zh: `转换「number_cn」不能用于 ${typeText(type)} 类型`,
    en: `transform 'number_cn' does not apply to type ${typeText(type)}`,
  });
}

function readTransform(at: YamlReader): Transform | null {
  if (at.node.kind === 'scalar') {
    const written = at.asText() ?? '';
    const simple = simpleTransforms.find(name => name === written);
    if (simple) return { kind: simple };
    if (transforms.includes(written)) {
      at.problem('bad_rule_argument', { zh: `转换「${written}」需要参数`, en: `transform '${written}' needs an argument` });
    } else if (written !== '') at.unknown('unknown_transform', 'transform', '转换', written, transforms);
    return null;
  }
  const [written, ...others] = at.asEntries();
  if (!written || others.length > 0) {
    at.problem('bad_rule_argument', { zh: '一个转换恰好有一个名称', en: 'one transform has exactly one name' });
    return null;
  }
  const argument = at.child(written[1].value, written[0]);
  if (simpleTransforms.some(name => name === written[0])) {
    argument.problem('bad_rule_argument', { zh: `转换「${written[0]}」没有参数`, en: `transform '${written[0]}' takes no argument` });
    return null;
  }
  if (transforms.includes(written[0])) return readArgued(written[0] as Argued, argument);
  argument.unknown('unknown_transform', 'transform', '转换', written[0], transforms);
  return null;
}

function readArgued(kind: Argued, argument: YamlReader): Transform | null {
  switch (kind) {
    case 'map':
      return readValueMap(argument);
    case 'null_if': {
      const values = argument.asList().map(item => item.asWritten());
      return { kind, values: values.filter(value => value !== null) };
    }
    case 'split': {
      const separator = argument.asText({ max: 20 });
      return separator === null ? null : { kind, separator };
    }
    case 'substring':
      return readSubstring(argument);
    case 'date_format': {
      const written = argument.asText({ max: 60 });
      if (written === null) return null;
      const format = parseDateFormat(written);
      if (!('fault' in format)) return { kind, written, format };
      argument.problem(
        'bad_rule_argument',
        { zh: `date_format：${format.fault.zh}`, en: `date_format: ${format.fault.en}` },
        'dd/MM/yyyy HH:mm',
      );
      return null;
    }
    default:
      return kind satisfies never;
  }
}

function readSubstring(argument: YamlReader): Transform | null {
  const items = argument.asList();
  if (argument.node.kind !== 'list') return null;
  if (items.length !== 2) {
    argument.problem(
      'bad_rule_argument',
      { zh: 'substring 须写起点与长度', en: 'substring takes where it begins and how many characters it has' },
      'substring: [1, 4]',
    );
    return null;
  }
  const [start, length] = items.map(item => item.asWhole({ min: 1, max: maxPosition }));
  return start == null || length == null ? null : { kind: 'substring', start, length };
}

function readValueMap(argument: YamlReader): Transform {
  const values: Record<string, string | null> = Object.create(null) as Record<string, string | null>;
  for (const [from, { value }] of argument.asEntries()) values[from] = argument.child(value, from).asWritten();
  return { kind: 'map', values };
}

import { cut } from '../../text/cut.js';
import { type Bilingual } from '../../text/bilingual.js';
import { digitsOver } from '../mapping/digits.js';
import { type Rule } from '../mapping/mapping.js';
import { failsChecksum } from '../mapping/rule-formats.js';

/** The most values of a `one_of` list that a reason shows. */
const shownValues = 10;
const maxShownValue = 50;

/** A value that broke a rule. The text shows `shown` in place of the value, because the value itself may be secret. */
export interface BrokenValue {
  /** The name of the column. */
  name: string;
  value: string;
  shown: string;
  /** The length of the whole value in characters, for rules on lengths. */
  length?: number;
  /** The number of the row that has the value already, for the rule `unique`. */
  first?: number | undefined;
}

/** The sentence that explains why a value breaks a rule. */
export function ruleText(rule: Rule, { name, value, shown, length = 0, first = 0 }: BrokenValue): Bilingual {
  const text = (en: string, zh: string): Bilingual => ({ en: `column '${name}': ${en}`, zh: `列「${name}」：${zh}` });
  switch (rule.kind) {
    case 'required':
      return { en: `column '${name}' is required but empty`, zh: `列「${name}」必填，但为空` };
    case 'unique':
      return text(`duplicate value '${shown}' (first at row ${first})`, `值 '${shown}' 重复（首次出现在第 ${first} 行）`);
    case 'one_of': {
      const { en, zh } = listed(rule.values);
      return text(`'${shown}' is not one of ${en}`, `'${shown}' 不在 ${zh}之中`);
    }
    case 'pattern':
      return text(`'${shown}' does not match ${rule.written}`, `'${shown}' 不符合 ${rule.written}`);
    case 'min':
      return text(`${shown} is below min ${rule.bound}`, `${shown} 小于最小值 ${rule.bound}`);
    case 'max':
      return text(`${shown} is above max ${rule.bound}`, `${shown} 大于最大值 ${rule.bound}`);
    case 'min_length':
      return text(`length ${length} is below min_length ${rule.length}`, `长度 ${length} 小于 min_length ${rule.length}`);
    case 'max_length':
      return text(`length ${length} exceeds max_length ${rule.length}`, `长度 ${length} 超过 max_length ${rule.length}`);
    case 'precision': {
      const { precision, scale } = rule;
      const over = digitsOver(value, rule);
      if (over === 'decimals') return text(`${shown} needs more than ${scale} decimals`, `${shown} 需要多于 ${scale} 位小数`);
      if (over === null)
        return text(`${shown} does not fit precision [${precision}, ${scale}]`, `${shown} 超出 precision [${precision}, ${scale}]`);
      const digits = precision - scale;
      return text(`${shown} needs more than ${digits} digits before the point`, `${shown} 的整数部分多于 ${digits} 位`);
    }
    case 'format':
      if (failsChecksum(rule.format, value)) return text(`checksum does not match (${rule.format})`, `校验码不符（${rule.format}）`);
      return text(`'${shown}' does not have the format ${rule.format}`, `'${shown}' 不符合格式 ${rule.format}`);
    case 'not_in_future':
      return text(`${shown} is in the future`, `${shown} 晚于运行开始的时间`);
    case 'references': {
      const node = rule.node ?? rule.label;
      return text(`no ${node} with ${rule.column} '${shown}'`, `没有 ${rule.column} 为 '${shown}' 的「${node}」`);
    }
    case 'expression':
      return { en: `rule '${rule.predicate}' is false`, zh: `规则 '${rule.predicate}' 不成立` };
    default:
      return rule satisfies never;
  }
}

/** The sentence that explains why a value cannot be read as its type. `type` is the name of the type in the schema of the graph. */
export function unreadableText({ name, value, shown }: BrokenValue, type: string): Bilingual {
  const isTime = /^(?:date|time|localdatetime|duration)/.test(type);
  const isTooFine = isTime && /[.,]\d{6}\d*[1-9]/.test(value);
  const larger = /^(?:int|bigint|decimal)/.test(type) ? largerType(value, type) : null;
  const reason: Bilingual = isTooFine
    ? { en: ', since a second has at most 6 decimals', zh: '：秒至多 6 位小数' }
    : larger
      ? { en: `: write a type that holds it, such as ${larger}`, zh: `：请写容得下它的类型，如 ${larger}` }
      : { en: '', zh: '' };
  return {
    en: `column '${name}': cannot read '${shown}' as ${type}${reason.en}`,
    zh: `列「${name}」：无法把 '${shown}' 解析为 ${type}${reason.zh}`,
  };
}

/** A type that holds a number which `type` does not hold; null for a text that is no number, or one with an exponent. */
function largerType(value: string, type: string): string | null {
  const [, whole, decimals] = /^\s*[+-]?(\d{1,100})(?:\.(\d{0,100}))?\s*$/.exec(value) ?? [];
  if (whole === undefined) return null;
  if (decimals === undefined && type === 'int' && whole.length < 19) return 'bigint';
  const scale = Math.max(2, decimals?.length ?? 0);
  return `decimal(${Math.max(12, whole.length + scale)},${scale})`;
}

function listed(values: string[]): Bilingual {
  const first = values.slice(0, shownValues).map(value => cut(value, maxShownValue));
  if (values.length <= shownValues) return { en: first.join(', '), zh: `${first.join('、')} ` };
  return { en: `${values.length} values (${first.join(', ')}, …)`, zh: `${values.length} 个值（${first.join('、')}……）` };
}

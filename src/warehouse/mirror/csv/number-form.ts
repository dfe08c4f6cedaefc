import { type FieldRewrite } from '../../files/field-rewrite.js';

/** By the character that groups digits: a pattern for all characters that programs write for it, such as a no-break space for a space. */
const groupSigns: Record<string, string> = { '': '', '.': '[.]', ',': ',', ' ': '[ \\u00a0\\u2009\\u202f]', "'": "['\u2019]" };

/**
 * Returns the rewrite of numbers in the form `form` to PostgreSQL's spelling. The last character of the form is the decimal sign.
 * A character before it groups digits in threes; grouped numbers do not begin with a zero. Examples: `,` reads 1234,5;
 * `.,` also 1.234,5; ` ,` also 1 234,5; `,.` also 1,234.5; `'.` also 1'234.5. Null if `form` is not a form of numbers.
 */
export function numberForm(form: string): FieldRewrite | null {
  const [, group = '', sign] = /^([.,' ]?)([.,])$/.exec(form) ?? [];
  if (sign === undefined || group === sign) return null;
  const groups = group === '' ? '' : `[1-9]\\d{0,2}(?:${groupSigns[group]}\\d{3})+|`;
  const pattern = new RegExp(`^([-+]?)(${groups}\\d*)(?:[${sign}](\\d*))?(e[-+]?\\d{1,3})?$`, 'i');
  const rewrite = (text: string): string | null => {
    const [, minus = '', whole = '', fraction = '', exponent = ''] = pattern.exec(text.trim()) ?? [];
    if (whole === '' && fraction === '') return null;
    // No program writes grouped digits with an exponent: the point in `1.234E3` is a decimal point.
    if (exponent !== '' && /\D/.test(whole)) return null;
    return `${minus}${whole.replace(/\D/g, '')}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
  };
  const example = `1${group}234${sign}5`;
  const hint =
    group === ''
      ? { zh: '，其中的数字不分组；分组的写法请用 decimal(.,) 之类', en: ' without groups of digits, which decimal(.,) reads' }
      : { zh: '', en: '' };
  return {
    rewrite,
    wanted: { zh: `${example} 这样的数字${hint.zh}`, en: `a number such as ${example}${hint.en}` },
    decimalSign: sign as '.' | ',',
  };
}

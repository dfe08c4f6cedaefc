import { type Bilingual } from '../../../text/bilingual.js';
import { isNumberType } from '../copy/number-type.js';
import { dateForm, type FieldRewrite, formOfType } from '../../files/field-rewrite.js';
import { numberForm } from './number-form.js';
import { takesTexts, typeForm } from './type-form.js';

/** The forms of `?types=` that are tried on a value. The first ones are those that occur most. */
const dateForms = [
  'DD/MM/YYYY', 'MM/DD/YYYY', 'DD.MM.YYYY', 'MM.DD.YYYY', 'DD-MM-YYYY', 'MM-DD-YYYY', 'DD MM YYYY', 'YYYY年M月D日', 'DDMMYYYY', 'MMDDYYYY',
]; // prettier-ignore
const numberForms = [',', '.,', ',.', ' ,', ' .', "',", "'."];
const widerTypes = ['integer', 'bigint', 'numeric', 'timestamp', 'timestamptz'];
const mostForms = 3;

/** The type that holds dates in a time, whose values a form of dates can give. */
export const isDateType = (type: string): boolean => /^(?:date|timestamp)(?!.*\[\])/.test(type);

/** The name of a column as `?types=` and `?key=` have it. */
export function inOptions(name: string): string {
  return /[,"]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

/**
 * How a value that is not of its column's type can be loaded: by a form that reads it, by a wider type, or as text.
 * @param isFixed whether the table has the type already, so that a request cannot give another
 */
export function wayOut(column: string, type: string, text: string, isFixed: boolean): Bilingual {
  const name = inOptions(column);
  const forms = formsFor(type, text, isFixed).map(form => `${name}:${form}`);
  if (forms.length > 0) {
    return { zh: `若是这样的写法，请用 ?types=${forms.join(' 或 ')}`, en: `if it is written so, say ?types=${forms.join(' or ')}` };
  }
  const option = `?types=${name}:${widerType(type, text) ?? 'text'}`;
  if (!isFixed) return { zh: `请用 ${option}`, en: `say ${option}` };
  if (!takesTexts(type)) return { zh: `请用 ${option} 导入为另一张表`, en: `load the file as another table with ${option}` };
  return {
    zh: `表的这一列是 ${type}：请改这个值，或用 ${option} 导入为另一张表`,
    en: `the table has the column as ${type}: change the value, or load the file as another table with ${option}`,
  };
}

/** The first type that keeps a text which `type` does not keep. */
function widerType(type: string, text: string): string | undefined {
  const family = isDateType(type) ? isDateType : isNumberType(type) ? isNumberType : null;
  if (family === null || keeps(type, text)) return undefined;
  // A column with decimals may have other values that a type of whole numbers does not keep.
  const first = /^(?:numeric|real|double)/.test(type) ? widerTypes.indexOf('numeric') : 0;
  return widerTypes.slice(first).find(other => family(other) && keeps(other, text));
}

function keeps(type: string, text: string): boolean {
  return typeForm(type)!.rewrite(text) !== null;
}

/**
 * The forms of `?types=` that read the text, the first one of each value that they give it. A form gives a column its type, unless the
 * table has one already.
 */
function formsFor(type: string, text: string, isFixed: boolean): string[] {
  const typed = isFixed ? typeForm(type) : null;
  const byValue = new Map<string, string>();
  const note = (form: FieldRewrite, written: string): void => {
    const value = formOfType(form, typed).rewrite(text);
    if (value !== null && !byValue.has(value)) byValue.set(value, written);
  };
  if (isDateType(type)) for (const form of dateForms) note(dateForm(form)!, `date(${form})`);
  else if (isNumberType(type) && !keeps('numeric', text)) for (const form of numberForms) note(numberForm(form)!, `decimal(${form})`);
  return [...byValue.values()].slice(0, mostForms);
}

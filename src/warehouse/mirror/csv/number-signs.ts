import { type Bilingual } from '../../../text/bilingual.js';
import { type TypeChange } from '../copy/copy-target.js';
import { COMMAS, GROUPED, type Kind, NUMERIC, SURE_COMMA, UNSURE } from './csv-values.js';

/** The facts of a column of numbers at the end of the file. */
export interface NumberColumn {
  name: string;
  kind: Kind;
  /** What `signOf` tells of the values, as bits, until one of their signs is decimal for certain. */
  signs: number;
  /** Whether PostgreSQL would print some value in another spelling. */
  isLossy: boolean;
}

const mostWarnings = 20;

/**
 * Decides what the points and commas of a file's numbers mean, once all of the file is read. A comma is the decimal sign of a column if all
 * values fit, one of them can be read in no other way (`12,5`, but not `1,234`), and the comma separates no fields. In a file with such a
 * column, or with numbers such as `1.234,5`, points that may all separate thousands (`1.234`) are no longer taken for decimal signs. All
 * other such columns stay texts.
 * @param delimiter the byte between two fields
 * @returns the columns of the table that change their type, by index, and a warning for each column that was judged
 */
export function judgeSigns(
  columns: readonly NumberColumn[],
  delimiter: number,
): { changes: Map<number, TypeChange>; warnings: Bilingual[] } {
  const isDecimal = ({ kind, signs }: NumberColumn): boolean => kind === COMMAS && (signs & SURE_COMMA) !== 0 && delimiter !== 44;
  const hasCommas = columns.some(column => isDecimal(column) || (column.kind === GROUPED && (column.signs & SURE_COMMA) !== 0));
  const changes = new Map<number, TypeChange>();
  const warnings: Bilingual[] = [];
  columns.forEach((column, index) => {
    const { name, kind, signs, isLossy } = column;
    if (isDecimal(column)) {
      changes.set(index, { type: 'numeric', value: text => `replace(${text}, ',', '.')::numeric` });
      warnings.push(readAsDecimal(name));
    } else if (kind === COMMAS || kind === GROUPED) warnings.push(keptAsText(name));
    else if (hasCommas && kind === NUMERIC && signs === UNSURE && !isLossy) {
      changes.set(index, { type: 'text', value: number => `${number}::text` });
      warnings.push(keptAsText(name));
    }
  });
  return { changes, warnings: warnings.slice(0, mostWarnings) };
}

function readAsDecimal(name: string): Bilingual {
  return {
    zh: `列“${name}”里的逗号读作小数点，类型为 numeric；若要保留原文，请用 ?types=${name}:text`,
    en: `column "${name}": the comma was read as the decimal sign, and the type is numeric; say ?types=${name}:text to keep the texts`,
  };
}

function keptAsText(name: string): Bilingual {
  return {
    zh: `列“${name}”里是数字，但逗号或点可以有两种读法，因此存为文本；请用 ?types= 说明写法：1234,5 写 ${name}:decimal(,)，1.234,5 写 ${name}:decimal(.,)，1,234.5 写 ${name}:decimal(,.)`,
    en: `column "${name}" has numbers whose commas or points can be read in two ways, so it is text; say in ?types= how they are written: ${name}:decimal(,) for 1234,5, ${name}:decimal(.,) for 1.234,5, ${name}:decimal(,.) for 1,234.5`,
  };
}

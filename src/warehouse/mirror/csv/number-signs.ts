import { type Bilingual } from '../../../text/bilingual.js';
import { type TypeChange } from '../copy/copy-target.js';
import { inOptions } from './way-out.js';
import { behindPlus, COMMAS, GROUPED, type Kind, NUMERIC, SURE_COMMA, SURE_POINT, UNSURE } from '../../files/csv-values.js';

/** Facts about the values of a column, known at the end of the file. */
export interface NumberColumn {
  name: string;
  kind: Kind;
  /** Bits: the results of `signOf` for all values of the column, joined by OR. */
  signs: number;
  /** Whether PostgreSQL would print at least one value in another spelling. */
  isLossy: boolean;
  /** The PostgreSQL type that the caller or the table gives; null for a column whose type is inferred. */
  givenType: string | null;
  /** The decimal sign of the form that the caller gives; null without a form of numbers. */
  decimalSign: '.' | ',' | null;
}

const COMMA = 44;
const mostWarnings = 20;
const fractional = /^(?:numeric|real|double precision)(?!.*\[\])/;

/**
 * Decides whether points and commas in a file's numbers are decimal signs or group digits. It runs after the whole file has been read.
 * - A column with commas becomes numeric if all its values fit, one of them has only this reading (`12,5`, but not `1,234`), the comma does
 *   not separate fields, and no other column has certain decimal points.
 * - If the file has certain decimal commas, or the caller gives a form with them, a column whose points could all group thousands (`1.234`)
 *   becomes text, unless its spelling is lost (`isLossy`).
 * - All other columns with commas or grouped digits stay text.
 * @param delimiter the byte between two fields
 * @returns the columns of the table that change their type, by index, and the warnings about columns, at most 20
 */
export function judgeSigns(
  columns: readonly NumberColumn[],
  delimiter: number,
): { changes: Map<number, TypeChange>; warnings: Bilingual[] } {
  const saysComma = columns.some(({ decimalSign }) => decimalSign === ',');
  const hasCommas = saysComma || columns.some(column => sureSign(column) === SURE_COMMA);
  const hasPoints = columns.some(column => sureSign(column) === SURE_POINT);
  // A column with the given type text may contain decimal commas too: its values were not checked.
  const mayHaveCommas = hasCommas || (delimiter !== COMMA && columns.some(({ givenType }) => givenType === 'text'));
  const changes = new Map<number, TypeChange>();
  const [kept, doubtful, decimal]: [Bilingual[], Bilingual[], Bilingual[]] = [[], [], []];
  columns.forEach((column, index) => {
    const { name, kind, signs, isLossy, givenType, decimalSign } = column;
    if (kind === COMMAS && sureSign(column) === SURE_COMMA && delimiter !== COMMA && !hasPoints) {
      changes.set(index, { type: 'numeric', value: text => `replace(${text}, ',', '.')::numeric` });
      decimal.push(readAsDecimal(name));
    } else if (kind === COMMAS || kind === GROUPED) {
      // Grouped digits without a point or comma may be a telephone number such as `555 123 456`, so they cause no warning.
      if (signs !== 0) kept.push(keptAsText(column));
    } else if (kind === NUMERIC && signs === UNSURE && hasCommas && !isLossy) {
      changes.set(index, { type: 'text', value: number => `${number}::text` });
      kept.push(keptAsText(column));
    } else if (kind === NUMERIC && signs === UNSURE && mayHaveCommas) doubtful.push(readAsPoints(name));
    else if (saysComma && decimalSign === null && givenType !== null && fractional.test(givenType)) doubtful.push(readAsPoints(name));
  });
  return { changes, warnings: shortened([...kept, ...doubtful, ...decimal]) };
}

/** The only decimal sign that the values of a column of numbers have for certain; 0 if they have none, or both. */
function sureSign({ kind, signs }: NumberColumn): number {
  const sure = signs & (SURE_COMMA | SURE_POINT);
  return (kind === NUMERIC || kind === COMMAS || kind === GROUPED) && sure !== (SURE_COMMA | SURE_POINT) ? sure : 0;
}

function shortened(warnings: readonly Bilingual[]): Bilingual[] {
  if (warnings.length <= mostWarnings) return [...warnings];
  const more = warnings.length - mostWarnings + 1;
  const rest = { zh: `另有 ${more} 列也有这样的数字`, en: `and ${more} further columns with such numbers` };
  return [...warnings.slice(0, mostWarnings - 1), rest];
}

function readAsDecimal(name: string): Bilingual {
  return {
    zh: `列“${name}”里的逗号读作小数点，类型为 numeric；若要保留原文，请用 ?types=${inOptions(name)}:text`,
    en: `column "${name}": the comma was read as the decimal sign, and the type is numeric; say ?types=${inOptions(name)}:text to keep the texts`,
  };
}

function readAsPoints(name: string): Bilingual {
  const as = inOptions(name);
  return {
    zh: `列“${name}”里的点读作小数点，而文件的其他列可能以逗号为小数点；若点用于分组，请用 ?types=${as}:decimal(.,)，否则写 ${as}:decimal(.)`,
    en: `column "${name}": points were read as decimal signs, but other columns of the file may have decimal commas; say ?types=${as}:decimal(.,) if the points group digits, else ${as}:decimal(.)`,
  };
}

/** By the decimal sign of the forms: examples of numbers, and the form of each. */
const forms = {
  [SURE_COMMA]: { '1234,5': ',', '1.234,5': '.,', '1 234,5': ' ,' },
  [SURE_POINT]: { '1,234.5': ',.', "1'234.5": "'.", '1234.5': '.' },
};

function keptAsText({ name, signs }: NumberColumn): Bilingual {
  const sure = (signs | (signs >> behindPlus)) & (SURE_COMMA | SURE_POINT);
  if (sure === (SURE_COMMA | SURE_POINT)) {
    return {
      zh: `列“${name}”里的数字有的以逗号、有的以点为小数点，没有一种写法能读全部，因此存为文本；请在文件中统一小数点`,
      en: `column "${name}" has numbers with decimal commas and others with decimal points, which no form reads together, so it is text; write them alike in the file`,
    };
  }
  const fitting = Object.entries({ ...(sure !== SURE_POINT && forms[SURE_COMMA]), ...(sure !== SURE_COMMA && forms[SURE_POINT]) });
  const as = inOptions(name);
  return {
    zh: `列“${name}”里是数字，但可以有两种读法，因此存为文本；请用 ?types= 说明写法：${fitting.map(([example, form]) => `${example} 写 ${as}:decimal(${form})`).join('，')}`,
    en: `column "${name}" has numbers that can be read in two ways, so it is text; say in ?types= how they are written: ${fitting.map(([example, form]) => `${as}:decimal(${form}) for ${example}`).join(', ')}`,
  };
}

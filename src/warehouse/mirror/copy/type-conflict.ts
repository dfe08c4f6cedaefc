import { type SchemaError } from '../../../common/errors/api-error.js';
import { inOptions } from '../csv/way-out.js';
import { type FileFormat, fileProblem } from '../../files/file-problem.js';

/** The problem of a value that would widen its column to text, after the table has lost the spelling of earlier values. */
export function typeConflict(
  format: FileFormat,
  place: { line: number; column: string },
  { type, lossyLine }: { type: string; lossyLine: number },
): SchemaError {
  const { column } = place;
  return fileProblem(format, 'type_conflict', place, {
    zh: `列“${column}”到这里为止是 ${type}，这里的值不是；第 ${lossyLine} 行的写法无法还原成文本，请用 ?types=${inOptions(column)}:text 上传`,
    en: `column "${column}" was ${type} up to here and this value is not; the spelling in line ${lossyLine} cannot be turned back into text: upload with ?types=${inOptions(column)}:text`,
  });
}

import { type FieldProblem, SchemaError } from '../common/errors/api-error.js';
import { type SynonymKind, synonymKinds } from '../questions/vocabulary.js';
import { type PlacedSynonym } from './check-synonyms.js';

const header = 'kind,name,synonym';
const mostLines = 2_000;
const mostReported = 50;
const longest = { name: 128, synonym: 64 };

/**
 * Reads synonyms from CSV (RFC 4180) whose first line is `kind,name,synonym`.
 * @throws SchemaError with the line of each mistake, counted from 1
 */
export function readSynonymsCsv(text: string): PlacedSynonym[] {
  const problems: FieldProblem[] = [];
  const report = (line: number, type: string, zh: string, en: string): void =>
    void problems.push({ loc: ['body', 'csv', line], text: { zh: `第 ${line} 行：${zh}`, en: `line ${line}: ${en}` }, type });
  // Reads the header and one line more than allowed, which is enough to report too many lines.
  const records = readRecords(text.replace(/^\uFEFF/, ''), mostLines + 2);
  const [first, ...others] = records;
  if (first?.fields.map(field => field.trim().toLowerCase()).join(',') !== header)
    report(1, 'csv_header', `首行应为 ${header}`, `the first line must be ${header}`);
  if (others.length > mostLines) report(mostLines + 2, 'too_long', `最多 ${mostLines} 行`, `at most ${mostLines} lines`);
  const synonyms: PlacedSynonym[] = [];
  for (const { fields, line, isClosed } of problems.length > 0 ? [] : others) {
    if (problems.length >= mostReported) break;
    const [kind, name, synonym] = fields.map(field => field.trim());
    if (!isClosed) report(line, 'csv_quote', '引号没有结束', 'the quote does not end');
    else if (fields.length !== 3 || !name || !synonym) report(line, 'csv_fields', '应有三个非空的值', 'must have three values, none empty');
    else if (!synonymKinds.some(each => each === kind))
      report(line, 'enum', `kind 应为 ${synonymKinds.join('、')} 之一`, `kind must be one of ${synonymKinds.join(', ')}`);
    else if ([...name].length > longest.name || [...synonym].length > longest.synonym || /\p{Cc}/u.test(name + synonym))
      report(
        line,
        'too_long',
        `名称至多 ${longest.name} 个字符，同义词至多 ${longest.synonym} 个，不含控制字符`,
        `a name has at most ${longest.name} characters and a synonym ${longest.synonym}, without control characters`,
      );
    else synonyms.push({ kind: kind as SynonymKind, name, synonym, at: ['body', 'csv', line] });
  }
  if (problems.length > 0) throw new SchemaError(problems);
  return synonyms;
}

interface CsvRecord {
  fields: string[];
  /** The line of the record's first character, counted from 1. */
  line: number;
  isClosed: boolean;
}

/** The first `most` records of a text, without empty ones. */
function readRecords(text: string, most: number): CsvRecord[] {
  const records: CsvRecord[] = [];
  let [fields, field, line, begunAt, isQuoted]: [string[], string, number, number, boolean] = [[], '', 1, 1, false];
  const end = (): void => {
    fields.push(field);
    if (fields.some(each => each !== '')) records.push({ fields, line: begunAt, isClosed: !isQuoted });
    [fields, field] = [[], ''];
  };
  for (let at = 0; at < text.length && records.length < most; at++) {
    const character = text[at] ?? '';
    if (character === '\n') line++;
    if (isQuoted && character === '"' && text[at + 1] === '"') {
      field += '"';
      at++;
    } else if (character === '"' && (isQuoted || field === '')) isQuoted = !isQuoted;
    else if (isQuoted) field += character;
    else if (character === ',') {
      fields.push(field);
      field = '';
    } else if (character === '\n') {
      end();
      begunAt = line;
    } else if (character !== '\r') field += character;
  }
  if (records.length < most) end();
  return records;
}

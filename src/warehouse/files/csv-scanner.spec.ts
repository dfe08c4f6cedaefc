import * as fc from 'fast-check';
import { SchemaError } from '../../common/errors/api-error.js';
import { atOnce } from '../../text/steps.js';
import { CsvScanner, type Scanned, type ScannerOptions } from './csv-scanner.js';
import { dateForm, listForm, longestRewritten } from './field-rewrite.js';
import { BIGINT, BOOLEAN, DATE, GROUPED, INT, type Kind, NUMERIC, TEXT, TIMESTAMP, TIMESTAMPTZ, UNKNOWN } from './csv-values.js';

function scannerOf(columns: number, options: Partial<ScannerOptions> & { marker?: string; cut?: string } = {}): CsvScanner {
  return new CsvScanner({
    delimiter: (options.cut ?? ',').charCodeAt(0),
    nullMarker: Buffer.from(options.marker ?? ''),
    columns: Array.from({ length: columns }, (_, index) => `c${index + 1}`),
    kinds: new Array<Kind>(columns).fill(UNKNOWN),
    line: 2,
    ...options,
  });
}

function scan(scanner: CsvScanner, csv: string | Buffer, final = true): Scanned {
  return atOnce(scanner.scan(Buffer.from(csv), final, Infinity));
}

/** The rows that PostgreSQL receives. */
const sentOf = ({ rows, split }: Scanned): string => Buffer.concat([...rows, ...(split?.rows ?? [])]).toString();

function problemOf(work: () => unknown): { type: string; line?: number; loc: (string | number)[] } {
  try {
    work();
  } catch (error) {
    if (error instanceof SchemaError) return error.problems[0]!;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('CsvScanner', () => {
  describe('records', () => {
    const cases: [title: string, columns: number, csv: string, records: number, sent: string][] = [
      ['reads plain records', 2, 'a,b\nc,d\n', 2, 'a,b\nc,d\n'],
      ['keeps quoted line feeds inside a record', 2, '"a\nb",c\n"d\r\ne",f\n', 2, '"a\nb",c\n"d\r\ne",f\n'],
      ['keeps doubled quotes', 1, '"a""b"\n""""\n', 2, '"a""b"\n""""\n'],
      ['keeps quoted delimiters', 2, '"a,b",c\n', 1, '"a,b",c\n'],
      ['drops the carriage return before a line feed', 2, 'a,b\r\n"c",d\r\n', 2, 'a,b\n"c",d\n'],
      ['reads mixed line endings', 2, '1,2\r\n3,4\n5,"6"\r\n', 3, '1,2\n3,4\n5,"6"\n'],
      ['drops blank lines between records of several columns', 2, '\na,b\n\r\n\nc,d\n\n', 2, 'a,b\nc,d\n'],
      ['reads a blank line as a value where there is one column', 1, 'a\n\nb\n', 3, 'a\n\nb\n'],
      ['reads empty and quoted empty fields', 3, ',"",\n', 1, ',"",\n'],
    ];
    it.each(cases)('%s', (_title, columns, csv, records, sent) => {
      const bytes = Buffer.from(csv);
      const found = scan(scannerOf(columns), bytes);
      expect([found.records, found.consumed]).toEqual([records, bytes.length]);
      expect(sentOf(found)).toBe(sent);
    });

    it('drops consecutive blank lines as one run, with any line ends', () => {
      const bytes = Buffer.from(`a,b\n${'\n'.repeat(1_000)}${'\r\n'.repeat(500)}c,d\r\n\r\n\ne,f\n`);
      const found = scan(scannerOf(2), bytes);
      expect(found).toMatchObject({
        blankLines: [
          { line: 3, count: 1_500 },
          { line: 1_504, count: 2 },
        ],
        line: 1_507,
      });
      expect(sentOf(found)).toBe('a,b\nc,d\ne,f\n');
    });

    it('leaves a record that does not end in the block for the next one', () => {
      const scanner = scannerOf(2);
      const csv = Buffer.from('1,2\n3,"a\nb\n');
      expect(scan(scanner, csv, false)).toMatchObject({ consumed: 4, records: 1 });
      expect(scanner.line).toBe(3);
      expect(scan(scanner, '3,"a\nb\nc"\n4,5\n')).toMatchObject({ records: 2, line: 7 });
    });

    it('reads semicolons and tabs as delimiters', () => {
      const semicolons = scannerOf(3, { cut: ';' });
      scan(semicolons, '1;a,b;"x;y"\n2;;z\n');
      expect([...semicolons.kinds]).toEqual([INT, TEXT, TEXT]);
      const tabs = scannerOf(2, { cut: '\t' });
      scan(tabs, '1\t2020-01-01\n');
      expect([...tabs.kinds]).toEqual([INT, DATE]);
    });
  });

  describe('steps', () => {
    const stepsOf = (scanner: CsvScanner, csv: string): number => [...scanner.scan(Buffer.from(csv), true, Infinity)].length;
    const form = dateForm('DD/MM/YYYY')!;

    it.each<[string, string, Partial<ScannerOptions>]>([
      ['short records', '1,2\n'.repeat(50_000), {}],
      ['records that get their line', '1,2\n'.repeat(50_000), { isNumbered: true }],
      ['dates that are rewritten', '1,31/12/2024\n'.repeat(20_000), { rewrites: [null, form], kinds: [INT, TEXT] }],
      ['blank lines', '\n'.repeat(200_000), {}],
      ['a record of many fields', `${',""'.repeat(60_000)},\n`, {}],
      ['a long quoted field', `"${'a""\n'.repeat(500_000)}",\n`, {}],
    ])('pauses many times within %s', (title, csv, options) => {
      const scanner = scannerOf(2, options);
      if (title === 'a record of many fields') expect(problemOf(() => stepsOf(scanner, csv)).type).toBe('csv_field_count');
      else expect(stepsOf(scanner, csv)).toBeGreaterThan(20);
    });

    it('leaves records for the next block behind a long one', () => {
      const long = `"${'x'.repeat(500_000)}"\n`;
      const scanner = scannerOf(1);
      const csv = Buffer.from(long + '1\n'.repeat(100_000));
      const first = atOnce(scanner.scan(csv, true, 1_000));
      expect(first).toMatchObject({ records: 501, consumed: long.length + 1_000 });
      expect(atOnce(scanner.scan(csv.subarray(first.consumed), true, 1_000))).toMatchObject({ records: 501, line: 1_004 });
    });

    it('sends the same rows wherever the file is cut, with lines and rewritten fields', () => {
      const field = fc.oneof(
        fc.constantFrom('', '7', '2.5', '"a""b"', '"x\ny"', '"\r\n"'),
        fc.integer({ min: 1, max: 200_000 }).map(length => `"${'é'.repeat(length)}"`),
      );
      const date = fc.constantFrom(['', ''], ['1/2/2024', '"2024-02-01"'], ['"31/12/2024"', '"2024-12-31"']);
      const record = fc.record({ field, date, blank: fc.nat(2), end: fc.constantFrom('\n', '\r\n') });
      const options = fc.record({ isNumbered: fc.boolean(), isRewritten: fc.boolean() });
      fc.assert(
        fc.property(
          fc.array(record, { maxLength: 8 }),
          options,
          fc.integer({ min: 1, max: 9 }),
          fc.nat(500),
          (records, given, block, most) => {
            let [csv, sent, line] = ['', '', 2];
            for (const {
              blank,
              date: [written, rewritten],
              end,
              field: text,
            } of records) {
              csv += `${end.repeat(blank)}${text},${written}${end}`;
              line += blank;
              sent += `${given.isNumbered ? `${line},` : ''}${text},${given.isRewritten ? rewritten : written}\n`;
              line += text.split('\n').length;
            }
            const { isNumbered } = given;
            const scanner = scannerOf(2, { isNumbered, rewrites: given.isRewritten ? [null, form] : null, kinds: [UNKNOWN, TEXT] });
            let [found, rest, wanted] = ['', Buffer.from(csv), block];
            while (rest.length > 0) {
              const final = wanted >= rest.length;
              const scanned = atOnce(scanner.scan(Buffer.from(rest.subarray(0, wanted)), final, most));
              found += sentOf(scanned);
              rest = rest.subarray(scanned.consumed);
              wanted = scanned.consumed === 0 ? wanted * 2 : block;
            }
            expect(found === sent).toBe(true);
            expect(scanner.line).toBe(line);
          },
        ),
      );
    });
  });

  describe('broken files', () => {
    const cases: [title: string, csv: string, type: string, line: number, column: string | null][] = [
      ['too few fields', 'a,b\n\nc\n', 'csv_field_count', 4, null],
      ['too many fields', 'a,b\na,b,c\n', 'csv_field_count', 3, null],
      ['a quote inside an unquoted field', 'a,b\n5" pipe,c\n', 'csv_stray_quote', 3, 'c1'],
      ['a quote inside a number', '1,2\n1,3"\n', 'csv_stray_quote', 3, 'c2'],
      ['text after a closing quote', 'a,"b\nc"d\n', 'csv_text_after_quote', 3, 'c2'],
      ['a quote that is never closed', 'a,b\nc,"d\ne,f\n', 'csv_unterminated_quote', 3, 'c2'],
      ['a bare carriage return', 'a,b\nc\rd,e\n', 'csv_bare_carriage_return', 3, 'c1'],
      ['a bare carriage return after a quoted field', 'a,b\n"c"\rd,e\n', 'csv_text_after_quote', 3, 'c1'],
    ];
    it.each(cases)('names the line of %s', (_title, csv, type, line, column) => {
      const problem = problemOf(() => scan(scannerOf(2), csv));
      expect(problem).toMatchObject({ type, line });
      expect(problem.loc).toEqual(column === null ? ['body', line] : ['body', line, column]);
    });

    it('refuses a field that is rewritten and would hold the process for long', () => {
      const scanner = () => scannerOf(2, { rewrites: [null, listForm], kinds: [TEXT, TEXT] });
      const row = (bytes: number) => `${'x'.repeat(300_000)},"{${'""'.repeat((bytes - 4) / 2)}}"\n`;
      expect(scan(scanner(), row(longestRewritten)).records).toBe(1);
      expect(problemOf(() => scan(scanner(), row(longestRewritten + 2)))).toMatchObject({
        type: 'csv_value',
        line: 2,
        loc: ['body', 2, 'c2'],
      });
    });

    it('counts the lines of quoted fields before the broken one', () => {
      expect(problemOf(() => scan(scannerOf(2), 'a,"1\n2\n3"\nb\n')).line).toBe(5);
    });
  });

  describe('types', () => {
    const cases: [values: string[], kind: Kind][] = [
      [['1', '-2', '2147483647', '-2147483648'], INT],
      [['1', '2147483648'], BIGINT],
      [['-9223372036854775808', '9223372036854775807'], BIGINT],
      [['9223372036854775808'], NUMERIC],
      [['1', '1.50', '-0.5', '.5', '1e-7'], NUMERIC],
      [['01', '1'], TEXT],
      [['00'], TEXT],
      [['+1'], GROUPED],
      [['+'], TEXT],
      [['+-1'], TEXT],
      [['+01'], TEXT],
      [['1', '1 '], TEXT],
      [['1.2.3'], TEXT],
      [['1', '-'], TEXT],
      [['0', '-5', '0.0'], NUMERIC],
      [['true', 'false', 'TRUE'], BOOLEAN],
      [['true', '1'], TEXT],
      [['2024-02-29', '0001-01-01'], DATE],
      [['2023-02-29'], TEXT],
      [['2024-13-01'], TEXT],
      [['2024-1-1'], TEXT],
      [['2024-01-01', '2024-01-01 10:00:00'], TIMESTAMP],
      [['2024-01-01T10:00', '2024-01-01 10:00:00.123456'], TIMESTAMP],
      [['2024-01-01 10:00:00.1234567'], TEXT],
      [['2024-01-01 24:00:00'], TEXT],
      [['2024-01-01T10:00:00Z', '2024-01-01 10:00:00+08', '2024-01-01 10:00:00-05:30'], TIMESTAMPTZ],
      [['2024-01-01 10:00:00', '2024-01-01 10:00:00Z'], TEXT],
      [['', ''], UNKNOWN],
      [['', '5'], INT],
      [['', '""'], TEXT],
      [['"5"', '6'], INT],
      [['"5""6"'], TEXT],
      [['北京'], TEXT],
      [['NaN'], TEXT],
      [['1e400'], TEXT],
    ];
    it.each(cases)('infers %j', (values, kind) => {
      const scanner = scannerOf(2);
      scan(scanner, values.map(value => `${value},x\n`).join(''));
      expect(scanner.kinds[0]).toBe(kind);
    });

    it('reads the null marker only when it is not quoted', () => {
      const scanner = scannerOf(3, { marker: '\\N' });
      scan(scanner, '\\N,1,\\N\n5,\\N,"\\N"\n');
      expect([...scanner.kinds]).toEqual([INT, INT, TEXT]);
    });

    it('reads an empty field as an empty text when the null marker is another', () => {
      const scanner = scannerOf(2, { marker: '\\N' });
      scan(scanner, '1,2\n,3\n');
      expect([...scanner.kinds]).toEqual([TEXT, INT]);
    });

    it('gives the record from which a type became too narrow', () => {
      const scanner = scannerOf(2);
      scan(scanner, '1,a\n2,b\n', false);
      const found = scan(scanner, '3,a\n4,"x\ny"\n\n2147483648,c\n1.5,d\n');
      expect(found.split).toMatchObject({ line: 8 });
      expect(Buffer.concat(found.rows).toString()).toBe('3,a\n4,"x\ny"\n');
      expect(Buffer.concat(found.split!.rows).toString()).toBe('2147483648,c\n1.5,d\n');
      expect(scanner.kinds[0]).toBe(NUMERIC);
    });

    it('reports no split while all values fit', () => {
      const scanner = scannerOf(1, { kinds: [NUMERIC] });
      expect(scan(scanner, '1\n2.5\n\n99999999999\n').split).toBeNull();
    });

    it('remembers the first line whose spelling the type would not give back', () => {
      const scanner = scannerOf(4);
      scan(scanner, '1,true,1.5,2024-01-01 10:00:00\n2,false,1e5,2024-01-01T10:00:00\n3,TRUE,.5,2024-01-01\n');
      expect([...scanner.lossyLines]).toEqual([0, 4, 3, 3]);
    });
  });
});

import { readUploadOptions } from '../upload-options.js';
import { formOfType } from '../../files/field-rewrite.js';
import { typeForm } from './type-form.js';
import { wayOut } from './way-out.js';

describe('wayOut', () => {
  it.each([
    ['date', '31/12/2024', ['date(DD/MM/YYYY)']],
    ['date', '12/31/2024', ['date(MM/DD/YYYY)']],
    ['date', '3/5/2024', ['date(DD/MM/YYYY)', 'date(MM/DD/YYYY)']],
    ['timestamp', '2024年3月5日', ['date(YYYY年M月D日)']],
    ['date', '2024-02-30', ['text']],
    ['date', '3/5/2024 10:00 PM', ['text']],
    ['date', '2024-03-05 10:00', ['timestamp']],
    ['date', '2024-03-05 10:00Z', ['timestamptz']],
    ['timestamp', '2024-03-05 10:00+08', ['timestamptz']],
    ['timestamp', '2024-03-05 10:00 CST', ['text']],
    ['timestamp', '1709600000', ['text']],
    ['timestamp', '2024-03-05 10:00:00.1234567', ['text']],
    ['time', '08:30.5', ['text']],
    ['integer', '12.7', ['numeric']],
    ['integer', '2147483648', ['bigint']],
    ['integer', '12,5', ['decimal(,)']],
    ['numeric(12,2)', '1.555', ['numeric']],
    ['numeric', '1.234,5', ['decimal(.,)']],
    ['numeric', '1,234', ['decimal(,)', 'decimal(,.)']],
    ['numeric', '0x10', ['text']],
    ['numeric', '12%', ['text']],
    ['boolean', '是', ['text']],
    ['uuid', '1', ['text']],
  ])('of a %s %j is the first that reads it', (type, text, options) => {
    const way = wayOut('x', type, text, false);
    expect(way.en).toMatch(new RegExp(`say \\?types=${options.map(option => `x:${option}`).join(' or ').replace(/[()./]/g, '\\$&')}$`)); // prettier-ignore
    expect(way.zh).toContain(`x:${options[0]}`);
    for (const option of options) {
      const { types, rewrites } = readUploadOptions({ types: `x:${option}` });
      const form = rewrites.get('x') ?? null;
      const typed = typeForm(types.get('x')!);
      expect((form ? formOfType(form, typed) : typed)?.rewrite(text) ?? (options[0] === 'text' ? text : null)).not.toBeNull();
    }
  });

  it('names a form for a table that has its types, and else another table', () => {
    expect(wayOut('x', 'date', '31/12/2024', true).en).toContain('say ?types=x:date(DD/MM/YYYY)');
    expect(wayOut('x', 'integer', '12,5', true).en).toContain(
      'the table has the column as integer: change the value, or load the file as another table with ?types=x:text',
    );
    expect(wayOut('a,"b" ', 'numeric(4,2)', '1.555', true).zh).toContain('?types="a,""b"" ":numeric 导入为另一张表');
  });
});

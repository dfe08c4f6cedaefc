import { parseDateFormat } from './date-format.js';

describe('parseDateFormat', () => {
  it.each([
    ['dd/MM/yyyy', 'date', '31/12/2024', '2024-12-31'],
    ['d.M.yyyy', 'date', '1.2.2024', '2024-2-1'],
    ['yyyyMMdd', 'date', '20240102', '2024-01-02'],
    ['d MMM yyyy', 'date', '1 Feb 2024', '2024-Feb-1'],
    ['yyyy年M月d日', 'date', '2024年3月4日', '2024-3-4'],
    ['M/d/yyyy h:mm a', 'datetime', '3/4/2024 5:06 PM', '2024-3-4 5:06 PM'],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'datetime', '2024-01-02T03:04:05.678+08:00', '2024-01-02 03:04:05.678+08:00'],
    ["d/M/yyyy HH 'o''clock'", 'datetime', "1/2/2024 09 o'clock", '2024-2-1 09:00'],
    ['HHmm', 'time', '0830', '08:30'],
  ])('reads %s', (written, reads, text, iso) => {
    const format = parseDateFormat(written);
    if ('fault' in format) throw new Error(format.fault.en);
    expect(format.reads).toBe(reads);
    expect(text.replace(new RegExp(format.regex), format.replacement.replaceAll('\\', '$'))).toBe(iso);
  });

  it.each([
    ['YYYY-MM-DD', "'YYYY' is not part of a format; did you mean yyyy?"],
    ['%Y-%m-%d', "'Y' is not part of a format; did you mean yyyy?"],
    ['yy/MM/dd', "'yy' is not part of a format; did you mean yyyy?"],
    ['yyyy-MM', 'it also needs yyyy, MM, dd'],
    ['mm:ss', 'it also needs yyyy, MM, dd / HH, mm'],
    ['yyyy-MM-dd hh:mm', 'it also needs a'],
    ['yyyy-MM-dd HH:ss', 'it also needs mm'],
    ['dd/MM/yyyy dd', "'dd' repeats a part"],
    ['x', "'x' is not part of a format (known:"],
  ])('refuses %s and says why', (written, why) => {
    const format = parseDateFormat(written);
    expect('fault' in format && format.fault.en).toContain(why);
  });
});

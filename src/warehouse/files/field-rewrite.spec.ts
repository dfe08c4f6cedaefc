import * as fc from 'fast-check';
import { SchemaError } from '../../common/errors/api-error.js';
import { dateForm, listForm, rewriteField } from './field-rewrite.js';
import { typeForm } from '../mirror/csv/type-form.js';

describe('dateForm', () => {
  it.each([
    ['DD/MM/YYYY', '31/12/2024', '2024-12-31'],
    ['DD/MM/YYYY', ' 1/2/2024 ', '2024-02-01'],
    ['MM-DD-YYYY', '02-29-2024', '2024-02-29'],
    ['D.M.YYYY', '1.2.2024', '2024-02-01'],
    ['yyyymmdd', '20240105', '2024-01-05'],
    ['DD/MM/YYYY', '31/02/2024', null],
    ['DD/MM/YYYY', '12/31/2024', null],
    ['DD/MM/YYYY', '01-02-2024', null],
    ['DD.MM.YYYY', '01x02x2024', null],
    ['YYYYMMDD', '202411', null],
    ['YYYY年M月D日', '2024年3月5日', '2024-03-05'],
    ['YYYY年MM月DD日', '2024年12月05日', '2024-12-05'],
    ['YYYY年M月D日', '2024-3-5', null],
  ])('reads %s: %j', (form, text, iso) => {
    expect(dateForm(form)!.rewrite(text)).toBe(iso);
  });

  it.each(['DD/MM', 'DD/DD/YYYY', 'DD/MM/YY', '', 'DD/MM/YYYY HH', '(a+)+'])('knows no form %j', form => {
    expect(dateForm(form)).toBeNull();
  });
});

describe('listForm', () => {
  it('writes every list of strings in a way that PostgreSQL reads back', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('"\\,{}')), { maxLength: 5 }), list => {
        const literal = listForm.rewrite(JSON.stringify(list))!;
        // Read back by the rules of PostgreSQL for quoted elements.
        const items = [...literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\[\s\S])*)"/g)].map(([, body]) => body!.replace(/\\([\s\S])/g, '$1'));
        expect(items).toEqual(list);
      }),
    );
  });

  it.each([
    ['[1, -2, null, true]', '{1,-2,NULL,true}'],
    ['[]', '{}'],
    [' {a,b} ', '{a,b}'],
    ['[[1]]', null],
    ['[{"a": 1}]', null],
    ['[9007199254740993, -0, 1e2]', '{9007199254740993,-0,1e2}'],
    ['[1.50,true, null ,"1, [\\"2\\\\" ]', '{1.50,true,NULL,"1, [\\"2\\\\"}'],
    ['[ ]', '{}'],
    ['a,b', null],
    ['[1,', null],
    [String.raw`["\ud800"]`, null],
    ['{"a": 1', '{"a": 1'],
  ])('reads %j', (text, literal) => {
    expect(listForm.rewrite(text)).toBe(literal);
  });
});

describe('rewriteField', () => {
  it.each([
    ['2024-02-03', '2024-02-03'],
    ['"2024-02-03"', '"2024-02-03"'],
  ])('leaves %s as it is, which costs no copy', (field, kept) => {
    expect(rewriteField(typeForm('date')!, field, { line: 2, column: 'day' })).toBe(kept);
  });

  it('quotes what it changes, and names the place of what it cannot read', () => {
    expect(rewriteField(listForm, '"[""a""]"', { line: 2, column: 'tags' })).toBe('"{""a""}"');
    expect(() => rewriteField(typeForm('date')!, '03/04/24', { line: 2, column: 'day' })).toThrow(SchemaError);
  });
});

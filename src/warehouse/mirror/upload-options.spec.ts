import { ApiError, SchemaError } from '../../common/errors/api-error.js';
import { readUploadOptions, requireEffect, type UploadQueryText } from './upload-options.js';

function refusalOf(query: UploadQueryText, contentType?: string, contentEncoding?: string): ApiError {
  try {
    readUploadOptions(query, contentType, contentEncoding);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('readUploadOptions', () => {
  it('replaces with a file that has a header, and leaves its delimiter to be told from it, unless told otherwise', () => {
    expect(readUploadOptions({}, 'text/csv')).toEqual({
      body: { isGzip: false, formType: null, format: 'csv' },
      mode: 'replace',
      empties: false,
      key: [],
      types: new Map(),
      rewrites: new Map(),
      nullMarker: null,
      special: [],
      csv: {
        delimiter: null,
        nullMarker: '',
        columns: null,
        encoding: { asked: undefined, charset: undefined },
        hasHeader: true,
        renames: false,
      },
      renames: false,
    });
  });

  it('reads types with precision, aliases and colons in names', () => {
    const { types } = readUploadOptions({ types: 'code:text, price:Numeric(12, 2),a:b:int,when:datetime' });
    expect([...types]).toEqual([
      ['code', 'text'],
      ['price', 'numeric(12,2)'],
      ['a:b', 'integer'],
      ['when', 'timestamp'],
    ]);
  });

  it('reads forms of numbers beside other types, also for a table that has its types', () => {
    const { types, rewrites } = readUploadOptions({ types: 'a:decimal(,),b:numeric(12,2),c:decimal( ,),d:Numeric(,.),e:int' });
    expect([...types]).toEqual([
      ['a', 'numeric'],
      ['b', 'numeric(12,2)'],
      ['c', 'numeric'],
      ['d', 'numeric'],
      ['e', 'integer'],
    ]);
    expect([...rewrites].map(([name, { rewrite }]) => [name, rewrite('1,5'), rewrite('1,500')])).toEqual([
      ['a', '1.5', '1.500'],
      ['c', '1.5', '1.500'],
      ['d', null, '1500'],
    ]);
    expect(readUploadOptions({ mode: 'append', types: 'a:decimal(.,)' }).rewrites.size).toBe(1);
  });

  it.each([
    [{ mode: 'merge' }, 'mode'],
    [{ mode: 'upsert' }, 'key'],
    [{ key: 'a' }, 'key'],
    [{ mode: 'upsert', key: Array.from({ length: 33 }, (_, index) => `k${index}`).join(',') }, 'key'],
    [{ types: 'd:date(DD/MM)' }, 'types'],
    [{ types: 'd:date(DD/DD/YYYY)' }, 'types'],
    [{ delimiter: '#' }, 'delimiter'],
    [{ delimiter: 'constructor' }, 'delimiter'],
    [{ delimiter: '__proto__' }, 'delimiter'],
    [{ encoding: 'big5' }, 'encoding'],
    [{ encoding: 'constructor' }, 'encoding'],
    [{ header: 'no' }, 'header'],
    [{ columns: 'a,b' }, 'columns'],
    [{ rename: 'yes' }, 'rename'],
    [{ rename: 'true', header: 'true', columns: 'a,b' }, 'rename'],
    [{ null: 'a,b' }, 'null'],
    [{ null: 'a|b' }, 'null'],
    [{ null: ';', delimiter: ';' }, 'null'],
    [{ null: '"' }, 'null'],
    [{ types: 'code' }, 'types'],
    [{ types: 'price:decimal(,,)' }, 'types'],
    [{ types: 'price:date(,)' }, 'types'],
    [{ types: 'code:regclass' }, 'types'],
    [{ types: 'code:constructor' }, 'types'],
    [{ types: 'code:int,code:text' }, 'types'],
    [{ types: 'd:date(DD/MM/YYYY),d:date(MM/DD/YYYY)' }, 'types'],
    [{ types: 'd:date(DD/MM/YYYY),d:text' }, 'types'],
    [{ types: 'code:numeric(5,9)' }, 'types'],
    [{ types: 'code:text) ; drop table x' }, 'types'],
    [{ empty: 'yes' }, 'empty'],
    [{ mode: 'append', empty: 'true' }, 'empty'],
  ])('refuses %j as 422 of the query', (query, name) => {
    const error = refusalOf(query);
    expect(error).toBeInstanceOf(SchemaError);
    expect((error as SchemaError).problems.map(problem => problem.loc)).toEqual([['query', name]]);
  });

  it('takes names with commas, colons and quotes in quotes', () => {
    const { types } = readUploadOptions({ types: '"a,b":int,"say ""x"", y":numeric(5,2), " c":text,d:e:date' });
    expect([...types]).toEqual([['a,b', 'integer'], ['say "x", y', 'numeric(5,2)'], [' c', 'text'], ['d:e', 'date']]); // prettier-ignore
    expect(readUploadOptions({ mode: 'upsert', key: '"a,b",c' }).key).toEqual(['a,b', 'c']);
    expect(readUploadOptions({ header: 'true', columns: 'c,"a,b"' }).csv.columns).toEqual(['c', 'a,b']);
  });

  it('names the types', () => {
    for (const type of ['varchar(3)', 'float4', 'date(foo)', 'timetz', 'interval']) {
      const { problems } = refusalOf({ types: `x:${type}` }) as SchemaError;
      expect(problems[0]!.text).toEqual({
        zh: expect.stringContaining('timestamptz'),
        en: expect.stringContaining('the types are text, integer'),
      });
    }
  });

  it('lists all problems at once', () => {
    expect((refusalOf({ mode: 'x', delimiter: 'x', header: 'x' }) as SchemaError).problems).toHaveLength(3);
  });

  it('asks for the columns of a file without header', () => {
    expect(refusalOf({ header: 'false' })).toMatchObject({ status: 400, code: 'columns_required' });
    expect(readUploadOptions({ header: 'false', columns: 'a, b' }).csv.columns).toEqual(['a', 'b']);
    expect(refusalOf({ header: 'false', columns: 'a,,a' })).toBeInstanceOf(SchemaError);
    expect(readUploadOptions({ header: 'true', columns: 'a,b' }).csv).toMatchObject({ columns: ['a', 'b'], hasHeader: true });
  });

  it('takes the charset of the Content-Type, and refuses one it cannot read', () => {
    expect(readUploadOptions({}, 'text/csv; charset=GBK').csv.encoding).toEqual({ asked: undefined, charset: 'gb18030' });
    expect(refusalOf({}, 'text/csv; charset=big5').status).toBe(422);
  });

  it('takes gzip and forms', () => {
    expect(readUploadOptions({}, 'text/csv', 'GZIP').body).toEqual({ isGzip: true, formType: null, format: 'csv' });
    expect(readUploadOptions({}, 'application/gzip').body).toEqual({ isGzip: false, formType: null, format: null });
    expect(readUploadOptions({}, 'multipart/form-data; boundary=x').body.formType).toBe('multipart/form-data; boundary=x');
  });

  it('refuses bodies of other formats, and options without effect for the format', () => {
    expect(refusalOf({}, 'application/json')).toMatchObject({ status: 415, detail: expect.stringContaining("jq -c '.[]'") });
    expect(refusalOf({}, 'application/pdf')).toMatchObject({ status: 415, detail: expect.stringContaining('application/x-ndjson') });
    const options = readUploadOptions({ delimiter: ';', null: 'NA', types: 'a:int' }, 'application/jsonl; charset=gbk');
    expect(options.body.format).toBe('ndjson');
    expect(() => requireEffect('csv', options)).not.toThrow();
    const refused = [{ loc: ['query', 'delimiter'] }, { loc: ['header', 'content-type'] }];
    expect(() => requireEffect('ndjson', options)).toThrow(
      expect.objectContaining({ problems: refused.map(place => expect.objectContaining(place)) }),
    );
    expect(refusalOf({}, 'text/csv', 'br').status).toBe(422);
  });
});

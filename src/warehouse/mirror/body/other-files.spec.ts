import { SchemaError } from '../../../common/errors/api-error.js';
import { requireFormat } from './other-files.js';

function refusal(head: string, format: 'csv' | 'ndjson' | 'parquet' = 'csv'): { type: string; en: string } | null {
  try {
    requireFormat(Buffer.from(head, 'latin1'), format);
    return null;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const [problem] = error.problems;
    return { type: problem!.type, en: problem!.text.en };
  }
}

describe('requireFormat', () => {
  it.each([
    ['PK\u0003\u0004\u0014\u0000', /ZIP.*save it as CSV/],
    ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', /old Excel.*save it as CSV/],
    ['%PDF-1.4\n', /PDF.*save it as CSV/],
    ['<html><body>x</body></html>', /web page.*check the address/],
    ['\xef\xbb\xbf\n <!DOCTYPE html>\n<html>', /web page/],
    ['<table border="1"><tr>', /web page/],
    ['<?xml version="1.0"?>\n<a/>', /XML/],
    ['["a","b"]\n["c","d"]', /JSON lists.*jq -r @csv/],
    ['[ ["a","b"], ["c","d"] ]', /JSON lists.*jq -r/],
    ['\x1f\x8b\x08\0', /gzip file within gzip.*gunzip/],
    ['<b>x</b>,1', /web page.*first cell in quotes/],
    ['[{"a":1}]', /JSON.*jq -c '\.\[\]'/],
    ['{\n  "a": 1\n}\n', /JSON.*jq -c \./],
    ['{"a": 1}\n', /application\/x-ndjson/],
    ['PAR1\u0015\u0004', /application\/vnd\.apache\.parquet/],
    ['\x89PNG\r\n', /image/],
    ['7z\xbc\xaf\x27', /archive.*gzip/],
    ['GIF89a\x01\0\x01\0\x80\0\0', /image/],
    ['<h1>502 Bad Gateway</h1>', /web page/],
    ['<p>Not found, sorry</p>', /web page/],
    ['<title>Login</title>\n', /web page/],
    ['<rss version="2.0"><channel>', /XML/],
    ['<svg xmlns="http://www.w3.org/2000/svg">\n <path d=""/>', /XML/],
    ['<table>\n<tr>\n<td>1', /web page/],
    ['<body>\nGone. <b>x</b>', /web page/],
  ])('refuses %j by name, with a way out', (head, told) => {
    expect(refusal(head)?.en).toMatch(told);
  });

  it.each([
    'a,b\n',
    'PK,a\n',
    '%PDF,a\n',
    '<DATE>\t<TIME>\n',
    '<table>,<x>\n',
    '<5,x\n',
    '{id},x\n',
    '[id],"x"\n',
    'GIF8,x\n',
    '"<html>",x\n',
    'PAR1,PAR2\n1,2\n',
    'PAR1',
    'GIF89a,x\n1,2\n',
    '%PDF-A,x\n',
    'BZh91AY,x\n',
    '<table>\n1\n2\n',
    '<body>\nx\n',
    '<html>;<p>\n</p>;1\n',
    '<name> ,x\n<b>1</b>,2\n',
    '<5\n</b>\n',
    '',
  ])('takes %j as CSV', head => {
    expect(refusal(head)).toBeNull();
  });

  it('takes files of the formats that they are sent as', () => {
    expect(refusal('{"a": 1}\n', 'ndjson')).toBeNull();
    expect(refusal('PAR1', 'parquet')).toBeNull();
    expect(refusal('<html><p>', 'ndjson')?.type).toBe('ndjson_other_format');
    expect(refusal('PK\u0003\u0004')?.type).toBe('csv_zip');
  });
});

import { SchemaError } from '../common/errors/api-error.js';
import { readAnswer } from './read-answer.js';
import { readFailure } from './read-failure.js';
import { RetrievalUnavailableError } from './retrieval.errors.js';

const text = { zh: '失败', en: 'failure' };
const failure = { status: 503, code: 'retrieval_busy', text };
const read = (body: unknown) => readFailure({ status: 500, bytes: Buffer.from(JSON.stringify(body)), failure: undefined });

describe('the failure of a retrieval process', () => {
  it('is an error with its status, code, sentences, facts and seconds', () => {
    const error = read({ ...failure, context: { graph_id: 1 }, retry_after_s: 7 });
    expect(error).toMatchObject({ ...failure, context: { graph_id: 1 }, headers: { 'Retry-After': '7' } });
    expect(read(failure).headers).toEqual({ 'Retry-After': '2' });
    expect(read({ ...failure, status: 500, retry_after_s: 5 }).headers).toEqual({ 'Retry-After': '5' });
    expect(read({ ...failure, status: 404 }).headers).toBeUndefined();
    const problems = [{ loc: ['body', 'text'], text, type: 'syntax' }];
    expect(read({ ...failure, status: 422, problems })).toMatchObject({ problems });
    expect(read({ ...failure, status: 422, problems })).toBeInstanceOf(SchemaError);
  });

  it('is read from the trailer, if there is one', () => {
    const trailer = Buffer.from(JSON.stringify(failure)).toString('base64');
    expect(readFailure({ status: 200, bytes: Buffer.from('{"a'), failure: trailer }).code).toBe('retrieval_busy');
    expect(() => readFailure({ status: 200, bytes: Buffer.from('{"a'), failure: '%%%' })).toThrow(RetrievalUnavailableError);
  });

  it.each([
    [null],
    [[]],
    ['x'],
    [{}],
    [{ ...failure, status: 200 }],
    [{ ...failure, status: 99_999 }],
    [{ ...failure, status: '503' }],
    [{ ...failure, code: null }],
    [{ ...failure, text: undefined }],
    [{ ...failure, text: { zh: '失败' } }],
    [{ ...failure, context: [] }],
    [{ ...failure, problems: 5 }],
    [{ ...failure, problems: [null] }],
    [{ ...failure, problems: [{ loc: 'body', text, type: 'x' }] }],
    [{ ...failure, retry_after_s: '5\r\nX-Other: 1' }],
  ])('is not taken from %j', body => {
    expect(() => read(body)).toThrow(RetrievalUnavailableError);
  });
});

describe('the answer of a retrieval process', () => {
  it('is read from three lines', () => {
    expect(readAnswer(Buffer.from('{"graph_version":3}\n[[1]]\n{"nodes":[]}'))).toEqual({
      graph_version: 3,
      rows: [[1]],
      graph: { nodes: [] },
    });
  });

  it.each(['', '{}', '{"graph_version":1}\n[]\nnull', '{"graph_version":1}\n[]\n[]', 'null\n[]\n{}', '5\n[]\n{}', '{}\n[]\n{}', '{"graph_version":1}\nnull\n{}', '{"graph_version":1}\n[]\n5', '{"graph_version":1}\n[]\n{'])(
    'is not taken from %j',
    sent => {
      expect(() => readAnswer(Buffer.from(sent))).toThrow(RetrievalUnavailableError);
    },
  ); // prettier-ignore
});

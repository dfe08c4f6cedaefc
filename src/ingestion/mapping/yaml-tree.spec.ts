import { atOnce } from '../../text/steps.js';
import { readYamlTree } from './yaml-tree.js';

describe('readYamlTree', () => {
  afterEach(() => jest.restoreAllMocks());

  // No text is known to make js-yaml 5 throw anything but its own exception (two million mutated ones did not), so the test breaks
  // `String.fromCharCode` under it.
  it('takes any error of js-yaml for a fault of the text', () => {
    const fault = new RangeError('Invalid code point');
    jest.spyOn(String, 'fromCharCode').mockImplementation(() => {
      throw fault;
    });
    expect(() => atOnce(readYamlTree('version: "\\x41"'))).toThrow(
      expect.objectContaining({ code: 'yaml_syntax', place: { line: 1, column: 1 }, cause: fault }),
    );
  });
});

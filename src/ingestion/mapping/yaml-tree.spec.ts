import { atOnce } from '../../text/steps.js';
import { readYamlTree } from './yaml-tree.js';

describe('readYamlTree', () => {
  afterEach(() => jest.restoreAllMocks());

  // js-yaml 5 is not known to throw anything other than a YAMLException: two million mutated texts did not cause another error. So the test
  // makes `String.fromCharCode` throw inside js-yaml.
  it('reports any error of js-yaml as a fault of the text', () => {
    const fault = new RangeError('Invalid code point');
    jest.spyOn(String, 'fromCharCode').mockImplementation(() => {
      throw fault;
    });
    expect(() => atOnce(readYamlTree('version: "\\x41"'))).toThrow(
      expect.objectContaining({ code: 'yaml_syntax', place: { line: 1, column: 1 }, cause: fault }),
    );
  });
});

import { supportedPatterns } from '../formula/formula-keywords.js';
import { registry } from './registry.js';

it('lists the patterns in the order that the documentation and the answers have', () => {
  expect(supportedPatterns).toEqual(Object.keys(registry));
});

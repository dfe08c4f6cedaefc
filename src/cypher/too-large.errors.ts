import { ApiError } from '../common/errors/api-error.js';
import { type TextPlace, withPlace } from './syntax/cypher.errors.js';
import { type ValueTooLargeFault } from './values/value-size.js';

/** 422: an expression would build a value larger than the limit for one value. No value is ever cut. */
export class ValueTooLargeError extends ApiError {
  constructor({ size, limit, unit, sentence: { zh, en } }: ValueTooLargeFault, place: TextPlace | null) {
    const sentence = {
      zh: `${zh}；请用 WHERE 缩小范围，或先用 left()、size() 或切片取所需的部分`,
      en: `${en}; narrow the query with WHERE, or take the part you need first with left(), substring() or a slice`,
    };
    super(422, 'value_too_large', withPlace(sentence, place), { context: { ...place, [unit]: size, limit } });
  }
}

/** 422: the parameters hold too many characters in total. Each place that names a parameter counts its whole size. */
export class ParametersTooLargeError extends ApiError {
  constructor(name: string, limit: number, place: TextPlace | null) {
    const sentence = {
      zh: `到参数 $${name} 为止，各处所用的参数合计超过 ${limit} 个字符；请少用几次，或缩短它们`,
      en: `With $${name}, the parameters at all their uses together hold more than ${limit} characters; name them less often, or shorten them`,
    };
    super(422, 'cypher_parameters_too_large', withPlace(sentence, place), { context: { ...place, parameter: name, limit } });
  }
}

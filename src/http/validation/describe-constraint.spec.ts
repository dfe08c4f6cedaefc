import { ArrayMaxSize, ArrayMinSize, IsIn, IsInt, Matches, Max, Min, MinLength, validate } from 'class-validator';
import { joined } from '../../text/bilingual.js';
import { Length, MaxLength } from './length.decorator.js';
import { describeConstraint } from './describe-constraint.js';

class Sample {
  @Min(1) min = 0;
  @Max(200) max = 201;
  @Length(2, 5) length = 'x';
  @MaxLength(3) selectors = '☎️☎️';
  @MinLength(8) minLength = 'x';
  @MaxLength(3) maxLength = 'xxxx';
  @IsIn(['auto', 'none']) isIn = 'x';
  @ArrayMinSize(1) arrayMinSize = [];
  @ArrayMaxSize(2) arrayMaxSize = [1, 2, 3];
  @IsInt() isInt = 'x';
  @Matches(/^a$/, { message: 'format must be json, ndjson or csv' }) matches = 'x';
  @Max(9, { each: true }) each = [10];
}

describe('describeConstraint', () => {
  let messages: Record<string, string>;
  beforeAll(async () => {
    const errors = await validate(new Sample());
    messages = Object.fromEntries(
      errors.map(({ property, constraints }) => {
        const [[name, english]] = Object.entries(constraints!) as [[string, string]];
        return [property, joined(describeConstraint(name, english).text)];
      }),
    );
  });

  it.each([
    ['min', '数值过小：至少 1 / min must not be less than 1'],
    ['max', '数值过大：最多 200 / max must not be greater than 200'],
    ['length', '长度不符：应为 2 到 5 个字符 / length must be longer than or equal to 2 and shorter than or equal to 5 characters'],
    ['selectors', '长度过长：最多 3 个字符 / selectors must be shorter than or equal to 3 characters'],
    ['minLength', '长度不足：至少 8 个字符 / minLength must be longer than or equal to 8 characters'],
    ['maxLength', '长度过长：最多 3 个字符 / maxLength must be shorter than or equal to 3 characters'],
    ['isIn', '不在允许的取值之内：auto、none / isIn must be one of the following values: auto, none'],
    ['arrayMinSize', '元素过少：至少 1 个元素 / arrayMinSize must contain at least 1 elements'],
    ['arrayMaxSize', '元素过多：最多 2 个元素 / arrayMaxSize must contain no more than 2 elements'],
    ['isInt', '应为整数 / isInt must be an integer number'],
    ['matches', '格式不符 / format must be json, ndjson or csv'],
    ['each', '数值过大：最多 9 / each value in each must not be greater than 9'],
  ])('gives the bounds of %s in both languages', (property, msg) => {
    expect(messages[property]).toBe(msg);
  });
});

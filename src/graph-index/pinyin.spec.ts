import { readingsOf } from './pinyin.js';

describe('readingsOf', () => {
  it.each([
    ['北京', ['beijing'], ['bj']],
    ['赵伟 4711', ['zhaowei4711'], []],
    ['amber birch', [], []],
    ['', [], []],
  ])('reads %s as %j, with the initials %j', (name, whole, initials) => {
    expect(readingsOf(name)).toEqual({ whole, initials });
  });

  it('gives both readings of a character that has two, four of a name at most, and none of a long name', () => {
    expect(readingsOf('重庆').whole).toEqual(expect.arrayContaining(['chongqing', 'zhongqing']));
    expect(readingsOf('重长行乐重长').whole.length <= 4).toBe(true);
    expect(readingsOf('北'.repeat(17)).whole).toEqual([]);
  });
});

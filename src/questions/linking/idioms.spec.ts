import { findIdioms } from './idioms.js';

describe('findIdioms', () => {
  it.each([
    ['who in the world wrote brave new world', ['in the world']],
    ['can you give a few words', ['a few']],
    ['describe magic in a few words', ['in a few words']],
    ['words describing what magic is about', ['is about', 'what']],
    ['what is about magic', []],
    ['谁究竟导演了英雄', ['究竟']],
    ['which cities in the world have an airport', []],
    ['customers with a few orders', []],
    ['who lives on earth', []],
  ])('%s', (text, found) => {
    expect(findIdioms(text).map(mention => mention.text)).toEqual(found);
  });
});

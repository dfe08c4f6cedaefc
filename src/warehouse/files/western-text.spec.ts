import { looksWestern, westernWord } from './western-text.js';

const bytesOf = (text: string): Buffer =>
  Buffer.from(text.replaceAll('€', '\u0080').replaceAll('’', '\u0092').replaceAll('–', '\u0096'), 'latin1');

describe('looksWestern', () => {
  it.each([
    'name\nMüller\n',
    'ÜBERSICHT,Größe\n',
    'a\nd’été – à gogo\n',
    'a\n¿Qué? ¡Sí!\n',
    'a\n»Spaß« 5 € 20 °C 3 m²\n',
    'a\nÉcole Ångström\n',
  ])('is true of %j', text => {
    expect(looksWestern(bytesOf(text))).toBe(true);
  });

  it.each([
    ['Big5', '½s,¦W\n1,¤@\n'],
    ['Big5 of several characters', '½s¸¹,¦W\n'],
    ['KOI8-R', 'id\níÏÓË×Á\n'],
    ['capitals inside words', 'id\naÉb,cÎd\n'],
  ])('is false of %s', (_, text) => {
    expect(looksWestern(bytesOf(text))).toBe(false);
  });

  it('gives the first word that the guess rests on, with its line', () => {
    expect(westernWord(bytesOf('id,name\n1,Herr Müller\n2,Café\n'))).toEqual({ line: 2, word: 'Müller' });
  });
});

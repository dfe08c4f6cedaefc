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
    'id,text\n1,It\x92s fine\n2,don\x92t worry\n',
    'a\nO\x92Brien\n',
    'a\nl\x92ami\nd\x92accord\ncaf\xe9\n',
    'a\nwait\x85then\n',
    'a\ngeht\xb4s\n',
    'a\n\xa9ACME\n',
    'a\n\xa7a\n',
    'a\nHi\x94she\n',
    'a\nVice\xadPresident\n',
    'a\n3\xd7a\n',
    'a\nm\xb2pro\n',
    'id,preis\xc4nderung\n1,2\n',
  ])('is true of %j', text => {
    expect(looksWestern(bytesOf(text))).toBe(true);
  });

  it.each([
    ['Big5', '½s,¦W\n1,¤@\n'],
    ['Big5 of several characters', '½s¸¹,¦W\n'],
    ['KOI8-R', 'id\níÏÓË×Á\n'],
    ['capitals at the end of words', 'id\naÉ,cÎ\n'],
    ['Mac Roman', 'id\nf\x9fr,k\x9fhl\n'],
    ['GBK with a unit', 'id,area\n1,89\xa9O\n'],
    ['GBK with a unit alone', 'id,unit\n1,\xa9O\n'],
    ['inner signs at the beginning of words', 'id\n\xb3a,\xb9b\n'],
  ])('is false of %s', (_, text) => {
    expect(looksWestern(bytesOf(text))).toBe(false);
  });

  it.each([
    ['Big5', 'a7daadcca4b5a4d1a455a4c8a454c249a662bb4fa55fa8aeafb8aabaa46ac655a8a3adb12cbdd0a46aae61b7c7aec9a8ecb946a143'],
    ['Big5', 'abc8a4e1bd73b8b92ca4bda571a657bad92cc170b5b8a4482cb971b8dcb8b9bd582cb065b366a661a77d'],
    ['Big5', 'a5bba4bda571a6dba6a8a5dfa548a8d3a440aabdaac3abf9b8dbab48b867c0e7aabaadecab682cacb0abc8a4e1b4a3a8d1b3cca66eaabaaa41b0c8a143'],
    ['Big5', 'b36fa5f7b3f8a769bba1a9faa446a568a67eb2c4a57ca975aababe50b0e2b1a1a7cea548a4cea4b5a67eaabab977b4fabcc6a672a143'],
    [
      'KOI8-R',
      'edd920d7d3d4d2c5d4c9cdd3d120dac1d7d4d2c120d720d4d2c920dec1d3c120c4ced120cec120c7ccc1d7cecfcd20d7cfcbdac1ccc520c7cfd2cfc4c12c20c920d120d0d2cfdbd520d7c1d320cec520cfd0c1dac4d9d7c1d4d82e',
    ],
    ['KOI8-R', 'f120c920cfce20d720c4cfcdc520d520d2c5cbc92c20c120d4d920d320cec5ca20cb20cec9cd2e'],
  ])('is false of a sentence in %s', (_, hex) => {
    expect(looksWestern(Buffer.from(hex, 'hex'))).toBe(false);
  });

  it('gives the first word that the guess rests on, with its line', () => {
    expect(westernWord(bytesOf('id,name\n1,Herr Müller\n2,Café\n'))).toEqual({ line: 2, word: 'Müller' });
    expect(westernWord(bytesOf('id,t\n1,10\xa0000\n2,M\xfcller\n'))).toEqual({ line: 3, word: 'Müller' });
    expect(westernWord(bytesOf('id,t\n1,""\n2,"\xa0 100\xa0\x80"\n'))).toEqual({ line: 3, word: '100\xa0€' });
    expect(westernWord(bytesOf('id,t\n1,10\xa0000\n'))).toEqual({ line: 2, word: '10\xa0000' });
    expect(westernWord(bytesOf(`a\n${'x'.repeat(99)}é${'y'.repeat(99)}\n`)).word).toMatch(/^x{40}éy{39}$/);
  });
});

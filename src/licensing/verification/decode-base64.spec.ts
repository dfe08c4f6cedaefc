import { decodeBase64 } from './decode-base64.js';

describe('strict base64', () => {
  it.each(['', 'QQ==', 'QUI=', 'QUJD', '+/+/'])('reads "%s"', text => {
    expect(decodeBase64(text)).toEqual(Buffer.from(text, 'base64'));
  });

  it.each([
    ['white space', 'QUJD QUJD'],
    ['a newline at the end', 'QUJD\n'],
    ['junk', 'QU*JD'],
    ['the URL alphabet', '-_-_'],
    ['missing padding', 'QQ'],
    ['too much padding', 'QUJD===='],
    ['padding in the middle', 'QQ==QQ=='],
    ['unused bits that are set', 'QR=='],
    ['a lone character', 'Q'],
  ])('refuses %s', (_title, text) => {
    expect(decodeBase64(text)).toBeNull();
  });
});

import { wordsOf } from './key-names.js';

const words = new Set(['password', 'passwd', 'pwd', 'passphrase', 'secret', 'token', 'ssn', 'passport', 'iban', 'cvv', 'pin']);
const pairs = new Set([
  'id card',
  'api key',
  'private key',
  'access key',
  'credit card',
  'card number',
  'card no',
  'pass word',
  'bank account',
]);
const chinese = /密码|口令|密钥|令牌|身份证|护照|银行卡|信用卡/;

/** Whether the name of a column or property shows that its values should not be seen in samples and logs: `password`, `id_card`. */
export function isSensitiveName(name: string): boolean {
  const found = wordsOf(name);
  const isPair = found.some((word, index) => pairs.has(`${word} ${found[index + 1] ?? ''}`));
  const last = found.at(-1) ?? '';
  // The last word of a name says what the value is: `token_count` is a number, not a token.
  return (
    chinese.test(name) ||
    isPair ||
    words.has(last) ||
    ['idcard', 'apikey', 'creditcard'].includes(last) ||
    (words.has(found.at(-2) ?? '') && ['hash', 'salt', 'digest', 'encrypted'].includes(last))
  );
}

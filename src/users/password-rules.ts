import { WeakPasswordError } from './users.errors.js';

const minLength = 8;
const maxLength = 128;

/** The most common passwords of at least eight characters, on which published lists of leaked passwords agree. */
const common = new Set(
  `12345678 123456789 1234567890 123123123 11111111 00000000 88888888 66666666 87654321 987654321 password password1 password12
  password123 password! passw0rd p@ssw0rd p@ssword iloveyou sunshine princess football baseball superman trustno1 whatever computer
  internet starwars michelle jennifer qwertyui qwerty123 qwertyuiop 1qaz2wsx 1q2w3e4r 1q2w3e4r5t zaq12wsx asdfghjkl asdfasdf
  abcd1234 abc12345 a1234567 a123456789 aa123456 aa12345678 admin123 admin1234 administrator welcome1 welcome123 letmein1 letmein123
  changeme changeme1 monkey123 dragon123 master123 woaini520 woaini1314 5201314520 iloveyou1 12341234 11223344 12121212 55555555
  99999999 77777777 147258369 123456789a 123456abc q1w2e3r4 q1w2e3r4t5 google123 test1234 root1234 secret123 default1`
    .split(/\s+/)
    .filter(word => word !== ''),
);

/**
 * Checks a new password. The length is counted in code points, so 8 Chinese characters count as 8.
 * @throws WeakPasswordError that names the broken rule and never repeats the password
 */
export function requireStrongPassword(field: string, password: string, username: string, defaultPassword: string): void {
  const length = [...password].length;
  if (length < minLength || length > maxLength) {
    throw new WeakPasswordError(
      field,
      `密码应为 ${minLength} 到 ${maxLength} 个字符`,
      `a password has ${minLength} to ${maxLength} characters`,
    );
  }
  const folded = password.toLowerCase();
  if (folded === username.toLowerCase())
    throw new WeakPasswordError(field, '密码不能与用户名相同', 'the password must differ from the username');
  if (folded.trim() === '') throw new WeakPasswordError(field, '密码不能全是空白', 'a password needs more than blanks');
  if (folded === defaultPassword.toLowerCase())
    throw new WeakPasswordError(field, '不能使用默认密码', 'the default password cannot be kept');
  if (common.has(folded)) throw new WeakPasswordError(field, '密码过于常见', 'the password is one of the most common ones');
}

import { type Bilingual } from '../text/bilingual.js';
import { readHttpUrl } from '../text/http-url.js';

/** The ways in which the licence settings may be incomplete or contradict each other. The licence gate refuses with the same sentences. */
export const licenceConflicts = {
  nothing_configured: {
    zh: '许可证检查已开启，但 LICENSE_FILE 与 LICENSE_KEY 均未设置',
    en: 'the licence check is on, but neither LICENSE_FILE nor LICENSE_KEY is set',
  },
  mode_ambiguous: {
    zh: 'LICENSE_FILE（离线）与 LICENSE_URL（在线）不能同时设置',
    en: 'LICENSE_FILE (offline) and LICENSE_URL (online) exclude each other; unset one',
  },
  url_missing: { zh: '在线检查需要设置 LICENSE_URL', en: 'the online check needs LICENSE_URL' },
  key_missing: { zh: '在线检查需要设置 LICENSE_KEY', en: 'the online check needs LICENSE_KEY' },
  public_key_missing: { zh: '需要设置 LICENSE_PUBLIC_KEY', en: 'LICENSE_PUBLIC_KEY is needed' },
  file_missing: { zh: '找不到 LICENSE_FILE 指定的文件', en: 'the file named by LICENSE_FILE does not exist' },
} satisfies Record<string, Bilingual>;

export type LicenceConflict = keyof typeof licenceConflicts;

/** Which of the licence settings have a value, even if the value was refused. */
export interface GivenLicenceSettings {
  file: boolean;
  url: boolean;
  key: boolean;
  publicKey: boolean;
}

/**
 * Lists everything that is missing or superfluous in the licence settings, the gravest problem first. `LICENSE_FILE` means an offline
 * licence; a key with a URL means an online licence.
 */
export function findLicenceConflicts({ file, url, key, publicKey }: GivenLicenceSettings): LicenceConflict[] {
  const conflicts: LicenceConflict[] = [];
  if (file && url) conflicts.push('mode_ambiguous');
  if (!file && !url && !key) conflicts.push('nothing_configured');
  if (!file && url && !key) conflicts.push('key_missing');
  if (!file && key && !url) conflicts.push('url_missing');
  if (!publicKey) conflicts.push('public_key_missing');
  return conflicts;
}

/** The line that reports why a licence was refused. */
export function licenceRefusal(reason: string, { zh, en }: Bilingual): string {
  return `许可证未通过：${zh} / Licence refused [${reason}]: ${en}`;
}

const loopback = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/**
 * Whether the licence key may be sent to this URL: over https, or over http to this machine only, and without a user name, password or
 * fragment.
 */
export function isLicenseUrl(text: string): boolean {
  const url = readHttpUrl(text);
  if (!url) return false;
  const { protocol, hostname, username, password, hash } = url;
  const isSecure = protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname));
  return isSecure && username === '' && password === '' && hash === '';
}

/** Whether a text is the 32 bytes of an Ed25519 public key, in the hexadecimal form that Keygen shows. */
export function isPublicKey(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text);
}

/**
 * Checks a licence URL.
 * @throws Error with the sentence for the list of problems. The sentence does not repeat the text, which may hold a password.
 */
export function readLicenseUrl(text: string): string {
  if (isLicenseUrl(text)) return text;
  throw new Error(
    '应为 https 地址（仅本机可用 http），且不含账号与片段 / must be an https address (http for this machine only) without user name and fragment',
  );
}

/** Checks a public key. @throws Error with the sentence for the list of problems. */
export function readPublicKey(text: string): string {
  if (isPublicKey(text)) return text;
  throw new Error('应为 64 位十六进制的 Ed25519 公钥 / must be an Ed25519 public key of 64 hexadecimal digits');
}

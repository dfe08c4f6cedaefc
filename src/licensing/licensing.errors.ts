import { type Bilingual } from '../text/bilingual.js';
import { licenceConflicts, licenceRefusal } from '../config/license-settings.js';

/** The reasons for refusing a licence, each as a sentence for the operator. No sentence contains the licence key. */
const sentences = {
  ...licenceConflicts,
  url_invalid: {
    zh: 'LICENSE_URL 应为 https 地址（仅本机可用 http），且不含账号与片段',
    en: 'LICENSE_URL must be an https address (http for this machine only) without user name and fragment',
  },
  public_key_invalid: {
    zh: 'LICENSE_PUBLIC_KEY 应为 64 位十六进制的 Ed25519 公钥',
    en: 'LICENSE_PUBLIC_KEY must be an Ed25519 public key of 64 hexadecimal digits',
  },
  file_not_regular: { zh: 'LICENSE_FILE 不是普通文件', en: 'LICENSE_FILE is not a regular file' },
  file_unreadable: { zh: '无法读取 LICENSE_FILE', en: 'LICENSE_FILE cannot be read' },
  file_too_large: { zh: 'LICENSE_FILE 超过 64 KiB', en: 'LICENSE_FILE is larger than 64 KiB' },
  file_empty: { zh: 'LICENSE_FILE 是空文件', en: 'LICENSE_FILE is empty' },
  file_malformed: { zh: '许可证文件格式有误', en: 'the licence file is malformed' },
  algorithm_refused: {
    zh: '许可证文件的算法须为 base64+ed25519 或 aes-256-gcm+ed25519',
    en: 'the algorithm of the licence file must be base64+ed25519 or aes-256-gcm+ed25519',
  },
  signature_invalid: { zh: '签名与 LICENSE_PUBLIC_KEY 不符', en: 'the signature does not match LICENSE_PUBLIC_KEY' },
  key_needed: { zh: '许可证文件已加密，需要用 LICENSE_KEY 解密', en: 'the licence file is encrypted; LICENSE_KEY is needed to open it' },
  key_unexpected: {
    zh: '许可证文件未加密，LICENSE_KEY 无从使用，请去掉其一',
    en: 'the licence file is not encrypted, so LICENSE_KEY has no use; unset one of the two',
  },
  decryption_failed: { zh: 'LICENSE_KEY 打不开许可证文件', en: 'LICENSE_KEY does not open the licence file' },
  fingerprint_missing: { zh: '设备文件需要设置 LICENSE_FINGERPRINT', en: 'a machine file needs LICENSE_FINGERPRINT' },
  fingerprint_mismatch: { zh: '许可证属于另一台设备', en: 'the licence belongs to another machine' },
  fingerprint_unexpected: {
    zh: '许可证文件未绑定设备，LICENSE_FINGERPRINT 无从使用',
    en: 'the licence file is bound to no machine, so LICENSE_FINGERPRINT has no use; unset it',
  },
  payload_malformed: { zh: '许可证内容有误', en: 'the content of the licence is malformed' },
  clock_set_back: {
    zh: '许可证的签发时间在未来，请校准系统时钟',
    en: 'the licence was issued in the future; set the system clock right',
  },
  clock_behind: {
    zh: '系统时钟早于本服务或其数据库已到过的时间，请校准系统时钟；若时钟无误，则是此前某次启动的时钟有误：在数据库中执行 DELETE FROM licence_clock',
    en: 'the system clock is behind a time that this service or its database has already seen; set the system clock right, or, if it is right and that of an earlier start was wrong, run DELETE FROM licence_clock in the database',
  },
  expired: { zh: '许可证已过期', en: 'the licence has expired' },
  suspended: { zh: '许可证已被停用', en: 'the licence is suspended' },
  server_unreachable: {
    zh: '无法连接许可证服务器，且没有可用的近期应答',
    en: 'the licence server cannot be reached and no usable recent answer is stored',
  },
  server_timeout: { zh: '许可证服务器未按时应答', en: 'the licence server did not answer in time' },
  server_redirect: { zh: '许可证服务器要求跳转，不予跟随', en: 'the licence server redirects, which is not followed' },
  server_status: { zh: '许可证服务器应答异常', en: 'the licence server answered with an error' },
  answer_broken: { zh: '许可证服务器的应答中断', en: 'the answer of the licence server broke off' },
  answer_too_large: { zh: '许可证服务器的应答过大', en: 'the answer of the licence server is too large' },
  answer_not_json: { zh: '许可证服务器的应答不是 JSON', en: 'the answer of the licence server is not JSON' },
  answer_unsigned: { zh: '许可证服务器的应答未签名', en: 'the answer of the licence server is not signed' },
  answer_digest_mismatch: { zh: '许可证服务器的应答与其摘要不符', en: 'the answer of the licence server does not match its digest' },
  answer_malformed: { zh: '许可证服务器的应答内容有误', en: 'the content of the answer of the licence server is malformed' },
  answer_not_fresh: {
    zh: '许可证服务器应答的时间与系统时钟相差超过 5 分钟',
    en: 'the answer of the licence server is more than 5 minutes off the system clock',
  },
  answer_replayed: { zh: '许可证服务器的应答不是对本次请求的应答', en: 'the answer of the licence server belongs to another request' },
  answer_for_other_key: { zh: '许可证服务器的应答属于另一个密钥', en: 'the answer of the licence server is for another key' },
  not_valid: { zh: '许可证服务器判定许可证无效', en: 'the licence server says that the licence is not valid' },
  check_failed: { zh: '许可证检查出错', en: 'the licence check failed' },
} satisfies Record<string, Bilingual>;

export type RefusalReason = keyof typeof sentences;

/** Exit code of a process whose licence was refused: EX_CONFIG of sysexits.h. Service managers can tell this code from a crash. */
export const licenceRefusedExitCode = 78;

/** The licence does not let the service run. The message is one line in Chinese and English. */
export class LicenceRefusedError extends Error {
  readonly exitCode = licenceRefusedExitCode;

  /** @param detail A short fact such as an error code. Unchecked text from outside must not go here: it could quote the key. */
  constructor(
    readonly reason: RefusalReason,
    readonly detail?: string,
    options?: ErrorOptions,
  ) {
    const { zh, en } = sentences[reason];
    const [zhDetail, enDetail] = detail === undefined ? ['', ''] : [`（${detail}）`, ` (${detail})`];
    super(licenceRefusal(reason, { zh: `${zh}${zhDetail}`, en: `${en}${enDetail}` }), options);
    this.name = 'LicenceRefusedError';
  }
}

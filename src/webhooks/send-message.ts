import { BlockedAddressError, LookupsBusyError } from '../egress/egress.errors.js';
import { type Egress } from '../egress/egress.js';
import { type Bilingual } from '../text/bilingual.js';
import { type Post, PostError } from './post-message.js';

const timeoutMs = 10_000;

/**
 * The reasons why an attempt fails, by the code that is recorded. The code `status` is recorded together with the status that the receiver
 * answered.
 */
export const sendFailures = {
  status: { zh: '接收方没有以 2xx 应答（不跟随重定向）', en: 'the receiver did not answer with 2xx (redirects are not followed)' },
  timeout: { zh: '接收方 10 秒内没有应答', en: 'the receiver did not answer within 10 seconds' },
  blocked_address: { zh: '不允许连接该地址', en: 'connections to this address are not allowed' },
  unknown_host: { zh: '域名无法解析', en: 'the name of the host cannot be resolved' },
  lookups_busy: {
    zh: '域名服务器应答缓慢，您的其他主机名占满了解析名额',
    en: 'name servers answer slowly, and the names of other hosts of yours take all the lookups there are for you',
  },
  refused: { zh: '连接被拒绝或中断', en: 'the connection was refused or broken off' },
  tls: { zh: 'TLS 证书未通过验证', en: 'the TLS certificate was not accepted' },
  sender_lost: {
    zh: '每次发送都中断：进程被终止，或结果无法记录',
    en: 'every attempt was broken off: its process died, or its end could not be recorded',
  },
  too_many_pending: {
    zh: '记录时该 Webhook 等待的投递已达上限，未发送；可再次投递',
    en: 'not sent, because as many deliveries of the webhook waited as may; it can be delivered again',
  },
  access_lost: {
    zh: '保存该 Webhook 的用户已无权使用，未发送；请由有权的用户修改（PATCH）后再次投递',
    en: 'not sent, because the user who saved the webhook may not have it any more; once somebody who may changes it (PATCH), it can be delivered again',
  },
  secret_unreadable: { zh: '签名密钥无法解密，请更换', en: 'the secret cannot be opened; give the webhook a new one' },
  failed: { zh: '无法发送', en: 'it could not be sent' },
} satisfies Record<string, Bilingual>;

export type SendFailure = keyof typeof sendFailures;

export interface SendResult {
  answered: number | null;
  failure: SendFailure | null;
}

/**
 * Posts a body to a URL that a user chose. All addresses of the host are checked first, and the message goes to one of them. The promise
 * rejects only if `stop` is aborted; all other failures are in the result.
 */
export async function sendMessage(
  egress: Egress,
  post: Post,
  url: string,
  headers: Record<string, string>,
  body: string,
  stop: AbortSignal,
): Promise<SendResult> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const place = new URL(url);
    const signal = AbortSignal.any([stop, late]);
    const addresses = await Promise.race([egress.addressesOf(hostOf(place), portOf(place)), endOf(signal)]);
    const answered = await post({ url, headers, body, addresses }, signal);
    return { answered, failure: answered >= 200 && answered < 300 ? null : 'status' };
  } catch (error) {
    if (stop.aborted) throw error;
    return { answered: null, failure: late.aborted ? 'timeout' : failureOf(error) };
  }
}

/** A promise that rejects when the signal is aborted. */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
}

export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

export function portOf({ protocol, port }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function failureOf(error: unknown): SendFailure {
  if (error instanceof BlockedAddressError) return 'blocked_address';
  if (error instanceof LookupsBusyError) return 'lookups_busy';
  const codes = error instanceof PostError ? error.codes : [(error as NodeJS.ErrnoException).code ?? ''];
  if (codes.some(code => ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA'].includes(code))) return 'unknown_host';
  if (codes.some(code => ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'].includes(code)))
    return 'refused';
  if (codes.some(code => /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code))) return 'tls';
  return 'failed';
}

import { isIP } from 'node:net';

export interface RetrievalSecurity {
  retrievalKey?: string | undefined;
  retrievalTls: { cert?: string | undefined; key?: string | undefined; ca?: string | undefined };
}

/** Finds settings that are missing for an API that speaks to retrieval processes deployed apart. Returns one sentence for each problem. */
export function findUrlConflicts(urls: readonly string[], security: RetrievalSecurity, given: ReadonlySet<string>): string[] {
  const problems = findTlsConflicts(security);
  const name = given.has('RETRIEVAL_URLS') ? 'RETRIEVAL_URLS' : 'RETRIEVAL_URL';
  if (given.has('RETRIEVAL_URL') && given.has('RETRIEVAL_URLS')) {
    problems.push('RETRIEVAL_URL: 请只设置 RETRIEVAL_URLS / set only RETRIEVAL_URLS, which may name one process too');
  }
  for (const text of urls) {
    const { protocol, hostname } = new URL(text);
    if (protocol === 'http:' && !isLoopback(hostname) && !security.retrievalKey) {
      problems.push(
        `${name}: ${text} 不在本机，须设置 RETRIEVAL_KEY，或改用 https:// / ${text} is another machine: set RETRIEVAL_KEY, or use https://`,
      );
    }
    if (protocol === 'https:' && !security.retrievalKey && !security.retrievalTls.cert) {
      problems.push(
        `${name}: ${text} 须出示凭证，请设置 RETRIEVAL_TLS_CERT 与 RETRIEVAL_TLS_KEY，或 RETRIEVAL_KEY / ${text} needs credentials: set RETRIEVAL_TLS_CERT and RETRIEVAL_TLS_KEY, or RETRIEVAL_KEY`,
      );
    }
  }
  return problems;
}

/** Finds settings that are missing for a retrieval process that listens on `listen`. Returns one sentence for each problem. */
export function findListenConflicts(listen: string, security: RetrievalSecurity): string[] {
  const problems = findTlsConflicts(security);
  const { cert, ca } = security.retrievalTls;
  const host = listen.slice(0, listen.lastIndexOf(':'));
  if (!listen.includes('/') && !isLoopback(host) && !security.retrievalKey && !(cert && ca)) {
    problems.push(
      `RETRIEVAL_LISTEN: ${listen} 可从其他机器访问，须设置 RETRIEVAL_KEY，或 RETRIEVAL_TLS_CERT、RETRIEVAL_TLS_KEY 与 RETRIEVAL_TLS_CA / ` +
        `${listen} is open to other machines: set RETRIEVAL_KEY, or RETRIEVAL_TLS_CERT, RETRIEVAL_TLS_KEY and RETRIEVAL_TLS_CA`,
    );
  }
  if (ca && !cert)
    problems.push('RETRIEVAL_TLS_CA: 须与 RETRIEVAL_TLS_CERT 一起设置 / needs RETRIEVAL_TLS_CERT beside it, or it would check nobody');
  return problems;
}

function findTlsConflicts({ retrievalTls: { cert, key } }: RetrievalSecurity): string[] {
  if (!cert === !key) return [];
  const [has, lacks] = cert ? ['RETRIEVAL_TLS_CERT', 'RETRIEVAL_TLS_KEY'] : ['RETRIEVAL_TLS_KEY', 'RETRIEVAL_TLS_CERT'];
  return [`${has}: 须与 ${lacks} 一起设置 / needs ${lacks} beside it`];
}

/** Whether only this machine can connect to the host. */
function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[(.*)\]$/, '$1');
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

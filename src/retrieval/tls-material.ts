import { readFileSync } from 'node:fs';

/** A certificate, its key, and the authority that must have signed the other side's certificate, as PEM texts. */
export interface TlsMaterial {
  cert?: string;
  key?: string;
  ca?: string;
}

/** The paths in `RETRIEVAL_TLS_CERT`, `RETRIEVAL_TLS_KEY` and `RETRIEVAL_TLS_CA`. */
export interface TlsFiles {
  cert?: string | undefined;
  key?: string | undefined;
  ca?: string | undefined;
}

/** Reads the files once, at the start. @returns the material, and a sentence for each file that cannot be used */
export function readTlsFiles(files: TlsFiles): { material: TlsMaterial; problems: string[] } {
  const material: TlsMaterial = {};
  const problems: string[] = [];
  for (const part of ['cert', 'key', 'ca'] as const) {
    const file = files[part];
    if (file === undefined) continue;
    const name = `RETRIEVAL_TLS_${part.toUpperCase()}`;
    try {
      const text = readFileSync(file, 'utf8');
      if (text.includes('-----BEGIN ')) material[part] = text;
      else problems.push(`${name}: ${file} 不是 PEM 文件 / is not a PEM file: ${file}`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      problems.push(`${name}: 无法读取 ${file}（${code}） / cannot read ${file} (${code})`);
    }
  }
  return { material, problems };
}

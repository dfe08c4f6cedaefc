/** The least bytes of a secret. With 32 bytes a secret can have as much randomness as the key that is derived from it. */
const leastBytes = 32;

/**
 * Reads `SECRET_ENCRYPTION_KEY`, a list of secrets. Its errors repeat no part of a secret.
 * @throws Error with the sentence for the list of problems.
 */
export function readEncryptionKeys(text: string): string[] {
  const keys = text.split(',').map(key => key.trim());
  if (keys.every(key => Buffer.byteLength(key) >= leastBytes) && new Set(keys).size === keys.length) return keys;
  throw new Error(
    `应为以逗号分隔、互不相同的密钥，每个至少 ${leastBytes} 字节 / must be different keys of at least ${leastBytes} bytes each, separated by commas`,
  );
}

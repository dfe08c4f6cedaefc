/** Reads a number of mebibytes. @throws Error whose message says what is accepted */
export function readMebibytes(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`应为以 MiB 计的整数 / must be a whole number of MiB, got "${text}"`);
}

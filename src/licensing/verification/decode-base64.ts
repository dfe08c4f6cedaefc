/**
 * Decodes base64 of RFC 4648 section 4: padded, no white space, no URL alphabet, unused bits zero. `Buffer.from` alone skips
 * characters that it does not know, so many texts would carry the same signature. Encoding again shows whether it skipped any.
 * @returns null for anything else.
 */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

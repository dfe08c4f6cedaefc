/**
 * Decodes base64 of RFC 4648 section 4: padded, no white space, no URL alphabet, unused bits zero. `Buffer.from` alone skips unknown
 * characters, so many texts would decode to the same signature. Encoding the bytes again shows whether it skipped any.
 * @returns null for any other text.
 */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

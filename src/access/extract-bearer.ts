import { type Request } from 'express';

/** The longest Authorization header that is read. A token of this service has about 300 characters. */
const maxHeaderLength = 4096;
/** The scheme in any case (RFC 9110, section 11.1), and exactly one space. */
const scheme = /^bearer /i;

/**
 * Base64url in its canonical spelling only. With other last characters a text would decode to the same bytes (RFC 4648, section 3.5), so
 * one token could be written in several ways.
 */
const base64url = '(?:[\\w-]{4})*(?:[\\w-]{2}[AEIMQUYcgkosw048]|[\\w-][AQgw])?';
const token = new RegExp(`^${base64url}\\.${base64url}\\.${base64url}$`);

/**
 * The token of `Authorization: Bearer <token>`; null for any other header. The extractor of passport-jwt needs quadratic time for long
 * headers without spaces, and accepts several spaces, tabs and other spellings.
 */
export function extractBearer({ headers: { authorization } }: Request): string | null {
  if (authorization === undefined || authorization.length > maxHeaderLength || !scheme.test(authorization)) return null;
  const shown = authorization.slice('Bearer '.length);
  return token.test(shown) ? shown : null;
}

/**
 * True for `UTC` and for an IANA zone of the form Area/City that this runtime knows. Abbreviations are not zones: CST is Chinese,
 * American or Cuban time.
 */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true;
  if (!/^[A-Z][A-Za-z_]*(\/[A-Za-z0-9_+-]+)+$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What to write in place of a text that is no time zone. */
export const timeZoneForm = {
  zh: '应为 UTC 或 IANA 时区名，如 Asia/Shanghai（不能用 CST 之类的缩写）',
  en: 'must be UTC or an IANA zone such as Asia/Shanghai, not an abbreviation such as CST',
};

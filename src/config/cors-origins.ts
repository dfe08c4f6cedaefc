/**
 * Reads a comma-separated list of origins. Each must have the form in which browsers send it: `https://app.example.com`, with a port only
 * if the port is not the scheme's default.
 * @throws Error with the sentence for the list of problems.
 */
export function readOrigins(text: string): string[] {
  const origins = text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');
  for (const origin of origins) {
    if (!/^https?:\/\/[^*]+$/.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new Error(
        `“${origin}” 不是来源，应形如 https://app.example.com / "${origin}" is not an origin; it must look like https://app.example.com`,
      );
    }
  }
  return origins;
}

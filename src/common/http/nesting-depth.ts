const quote = 0x22;
const backslash = 0x5c;

/**
 * How deep the brackets of a JSON text nest, without parsing it: one pass over the bytes, which for UTF-8 need no decoding.
 * Gives up and returns `limit + 1` as soon as `limit` is exceeded. Of a text that is no JSON it says nothing of use.
 */
export function nestingDepth(json: Uint8Array, limit: number): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index];
    if (inString) {
      if (byte === backslash) index++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > deepest) deepest = depth;
      if (depth > limit) return depth;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return deepest;
}

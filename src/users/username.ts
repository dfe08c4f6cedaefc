/** What a username may be, and the sentence that says so. */
export const usernamePattern = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u;
export const usernameRule = 'letters of any language, digits, dot, underscore, hyphen; starts with a letter or digit';

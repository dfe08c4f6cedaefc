/**
 * Checks `DEFAULT_PASSWORD_PATTERN`; the error does not repeat it. The contract derives the password from the username. A pattern without
 * the name would give the same known password to every user whose password is reset.
 * @throws Error with the sentence for the list of problems.
 */
export function readPasswordPattern(text: string): string {
  if (text.includes('{username}')) return text;
  throw new Error('须含有 {username}，否则所有用户的默认密码相同 / must contain {username}, or all users share one default password');
}

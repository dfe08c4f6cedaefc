/**
 * Checks `DEFAULT_PASSWORD_PATTERN` without repeating it. Without the name in it every user who was reset would have the same
 * password, known to each of them; the contract derives it from the username.
 * @throws Error with the sentence that the list of problems shows.
 */
export function readPasswordPattern(text: string): string {
  if (text.includes('{username}')) return text;
  throw new Error('须含有 {username}，否则所有用户的默认密码相同 / must contain {username}, or all users share one default password');
}

import { LanguageModelError } from './language-model.errors.js';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface Completion {
  text: string;
  /** As the model counted them; 0 where it does not. */
  promptTokens: number;
  completionTokens: number;
}

export interface ModelEndpoint {
  /** Without a slash at its end. */
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
}

/** The bytes of an answer that are read. A longer one is of no use. */
const maxAnswerBytes = 256 * 1024;
const maxAnswerTokens = 1_500;
/** Statuses that a model answers to what it was sent, such as a text that is too long for it. */
const refusalsOfContent: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * Asks an OpenAI-compatible API for one completion. Redirects are not followed: they would take the key elsewhere.
 * @throws LanguageModelError, and what `signal` is aborted with
 */
export async function completeChat(
  { baseUrl, model, apiKey }: ModelEndpoint,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): Promise<Completion> {
  let body: string;
  try {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({ model, messages, temperature: 0, max_tokens: maxAnswerTokens }),
      redirect: 'manual',
      signal,
    });
    body = await readBounded(response);
    const { status } = response;
    if (status !== 200)
      throw new LanguageModelError('status', new Error(`status ${status}: ${body.slice(0, 300)}`), refusalsOfContent.has(status));
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof LanguageModelError ? error : new LanguageModelError('unreachable', error);
  }
  return readCompletion(body);
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new LanguageModelError('nonsense', new Error(`more than ${maxAnswerBytes} bytes`), true);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readCompletion(body: string): Completion {
  let answer: { choices?: { message?: { content?: unknown } }[]; usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } } | null;
  try {
    answer = JSON.parse(body) as typeof answer;
  } catch (cause) {
    throw new LanguageModelError('nonsense', cause);
  }
  const text = answer?.choices?.[0]?.message?.content;
  if (typeof text !== 'string') throw new LanguageModelError('nonsense', new Error('no choices[0].message.content'));
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = answer?.usage ?? {};
  return { text, promptTokens: countOf(promptTokens), completionTokens: countOf(completionTokens) };
}

function countOf(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : 0;
}

import { parseForeignJson } from '../common/json/measure-json.js';
import { Lines } from '../text/lines.js';
import { LanguageModelError } from './language-model.errors.js';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface Completion {
  text: string;
  /** Tokens as the model counted them; 0 if the model does not report a count. */
  promptTokens: number;
  completionTokens: number;
}

export interface ModelEndpoint {
  /** URL of the API, without a slash at its end. */
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
}

/** Maximum bytes of an answer in one piece. */
const maxAnswerBytes = 1024 * 1024;
/** Maximum bytes of an answer in server-sent events, which take hundreds of bytes for each word. */
const maxEventsBytes = 4 * 1024 * 1024;
/** Maximum characters of a line of server-sent events. */
const maxLineCharacters = 64 * 1024;
/** Maximum characters of the text of an answer. */
const maxTextCharacters = 64 * 1024;
const maxAnswerTokens = 1_500;
/** HTTP statuses that reject the content of a request, such as a text that is too long for the model. */
const refusalsOfContent: ReadonlySet<number> = new Set([400, 413, 422]);

interface WireCompletion {
  choices?: { message?: { content?: unknown }; delta?: { content?: unknown }; finish_reason?: unknown }[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
  error?: unknown;
}

/**
 * Asks an OpenAI-compatible API for one completion. Redirects are not followed, because they would send the API key to another host.
 * @param onText gets the text piece by piece while the model writes it
 * @throws LanguageModelError, or the reason of `signal` if it is aborted
 */
export async function completeChat(
  { baseUrl, model, apiKey }: ModelEndpoint,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
  onText?: (piece: string) => void,
): Promise<Completion> {
  const streaming = onText ? { stream: true, stream_options: { include_usage: true } } : {};
  try {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({ model, messages, temperature: 0, max_tokens: maxAnswerTokens, ...streaming }),
      redirect: 'manual',
      signal,
    });
    const { status } = response;
    if (status === 200 && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? ''))
      return await readPieces(response, onText ?? (() => undefined));
    const body = await readWhole(response);
    if (status === 200) {
      const completion = readCompletion(body);
      onText?.(completion.text);
      return completion;
    }
    throw new LanguageModelError('status', new Error(`status ${status}: ${body.slice(0, 300)}`), refusalsOfContent.has(status));
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof LanguageModelError ? error : new LanguageModelError('unreachable', error);
  }
}

async function readWhole(response: Response): Promise<string> {
  let text = '';
  for await (const piece of textOf(response, maxAnswerBytes)) text += piece;
  return text;
}

/** Reads a completion that the API sends as server-sent events while the model writes it. */
async function readPieces(response: Response, onText: (piece: string) => void): Promise<Completion> {
  let text = '';
  let usage: WireCompletion['usage'];
  let hasEnded = false;
  const lines = new Lines(line => {
    if (line.length > maxLineCharacters) throw tooLong();
    if (!line.startsWith('data:')) return;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') {
      hasEnded = true;
      return;
    }
    const event = parse(data);
    checkError(event);
    usage = event?.usage ?? usage;
    const choice = event?.choices?.[0];
    if (checkReason(choice?.finish_reason)) hasEnded = true;
    const content = choice?.delta?.content;
    if (typeof content !== 'string' || content === '') return;
    text += content;
    if (text.length > maxTextCharacters) throw tooLong();
    onText(content);
  });
  for await (const piece of textOf(response, maxEventsBytes)) {
    lines.take(piece);
    if (lines.pending > maxLineCharacters) throw tooLong();
  }
  lines.end();
  if (!hasEnded) throw new LanguageModelError('nonsense', new Error('the events ended before the text did'));
  return toCompletion(text, usage);
}

async function* textOf(response: Response, maxBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong();
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

function readCompletion(body: string): Completion {
  const answer = parse(body);
  checkError(answer);
  const choice = answer?.choices?.[0];
  const text = choice?.message?.content;
  if (typeof text !== 'string') throw new LanguageModelError('nonsense', new Error('no choices[0].message.content'));
  checkReason(choice?.finish_reason);
  if (text.length > maxTextCharacters) throw tooLong();
  return toCompletion(text, answer?.usage);
}

/** Whether a finish reason is given, which means that the text is complete. @throws LanguageModelError if the text was cut off */
function checkReason(reason: unknown): boolean {
  if (reason === 'length' || reason === 'content_filter') throw new LanguageModelError('nonsense', new Error(`cut off: ${reason}`), true);
  return typeof reason === 'string';
}

function checkError(answer: WireCompletion | null): void {
  if (answer?.error != null) throw new LanguageModelError('status', new Error(`error: ${JSON.stringify(answer.error).slice(0, 300)}`));
}

function parse(json: string): WireCompletion | null {
  try {
    return parseForeignJson(json) as WireCompletion | null;
  } catch (cause) {
    throw new LanguageModelError('nonsense', cause);
  }
}

function tooLong(): LanguageModelError {
  return new LanguageModelError('nonsense', new Error('the answer is too long'), true);
}

function toCompletion(text: string, usage: WireCompletion['usage']): Completion {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage ?? {};
  return { text, promptTokens: countOf(promptTokens), completionTokens: countOf(completionTokens) };
}

function countOf(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : 0;
}

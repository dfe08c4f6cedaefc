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
 * @param onText gets the text piece by piece while the model writes it
 * @throws LanguageModelError, and what `signal` is aborted with
 */
export async function completeChat(
  { baseUrl, model, apiKey }: ModelEndpoint,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
  onText?: (piece: string) => void,
): Promise<Completion> {
  const streaming = onText ? { stream: true, stream_options: { include_usage: true } } : {};
  const pieces = onText && new CompletionPieces(onText);
  let body: string;
  try {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({ model, messages, temperature: 0, max_tokens: maxAnswerTokens, ...streaming }),
      redirect: 'manual',
      signal,
    });
    const { status } = response;
    body = await readBounded(response, status === 200 ? pieces : undefined);
    if (status !== 200)
      throw new LanguageModelError('status', new Error(`status ${status}: ${body.slice(0, 300)}`), refusalsOfContent.has(status));
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof LanguageModelError ? error : new LanguageModelError('unreachable', error);
  }
  return pieces?.isStream ? pieces.end() : readCompletion(body);
}

async function readBounded(response: Response, pieces: CompletionPieces | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new LanguageModelError('nonsense', new Error(`more than ${maxAnswerBytes} bytes`), true);
    chunks.push(chunk);
    pieces?.take(decoder.decode(chunk, { stream: true }));
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface WireCompletion {
  choices?: { message?: { content?: unknown }; delta?: { content?: unknown } }[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
}

/** The events of a completion that is sent while it is written. A server that cannot do so sends a whole one, which is no stream. */
class CompletionPieces {
  isStream = false;
  private unread = '';
  private text = '';
  private usage: WireCompletion['usage'];

  constructor(private readonly onText: (piece: string) => void) {}

  take(piece: string): void {
    const lines = (this.unread + piece).split(/\r?\n/);
    this.unread = lines.pop() ?? '';
    for (const line of lines) this.readLine(line);
  }

  end(): Completion {
    this.readLine(this.unread);
    return toCompletion(this.text, this.usage);
  }

  private readLine(line: string): void {
    if (!line.startsWith('data:')) return;
    this.isStream = true;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') return;
    const { choices, usage } = parse(data) ?? {};
    this.usage = usage ?? this.usage;
    const content = choices?.[0]?.delta?.content;
    if (typeof content !== 'string' || content === '') return;
    this.text += content;
    this.onText(content);
  }
}

function readCompletion(body: string): Completion {
  const answer = parse(body);
  const text = answer?.choices?.[0]?.message?.content;
  if (typeof text !== 'string') throw new LanguageModelError('nonsense', new Error('no choices[0].message.content'));
  return toCompletion(text, answer?.usage);
}

function parse(json: string): WireCompletion | null {
  try {
    return JSON.parse(json) as WireCompletion | null;
  } catch (cause) {
    throw new LanguageModelError('nonsense', cause);
  }
}

function toCompletion(text: string, usage: WireCompletion['usage']): Completion {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage ?? {};
  return { text, promptTokens: countOf(promptTokens), completionTokens: countOf(completionTokens) };
}

function countOf(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : 0;
}

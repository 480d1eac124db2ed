/**
 * Client of OpenAI-compatible chat completions: one request, limited in time and size, for one JSON object. The answer is not trusted; the
 * caller checks it against the input. See docs/reference/outside/language-model.md.
 */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { Json } from '../../domain/values/canonical-json.ts';
import { createHttpTransport } from '../http-transport.ts';

/** Timeout in milliseconds. */
export const MODEL_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 3_000;
const MAX_REQUEST_BYTES = 48 * 1024;
const MAX_ANSWER_BYTES = 256 * 1024;
/** Maximum tokens of an answer. */
const MAX_TOKENS = 4_000;
/** Maximum concurrent requests; further ones fail at once. */
const MAX_IN_FLIGHT = 4;

export type ModelAnswer = { readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly why: string };

interface ChatCompletionsOptions {
  /** Base URL without `/chat/completions`, such as `https://api.example.com/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string | null;
  readonly clock: Clock;
}

const refused = (why: string): ModelAnswer => ({ ok: false, why });

/** @throws TypeError for an invalid base URL */
export function createChatCompletions({ baseUrl, model, key, clock }: ChatCompletionsOptions) {
  const http = createHttpTransport({
    baseUrl,
    clock,
    totalTimeoutMs: MODEL_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  });
  let inFlight = 0;

  async function ask(body: string): Promise<ModelAnswer> {
    const outcome = await http.send({
      method: 'POST',
      target: '/chat/completions',
      headers: { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
      body,
    });
    if (outcome.kind !== 'answered') return refused(outcome.code);
    return outcome.status === 200 ? readContent(outcome.text) : refused(`http_${outcome.status}`);
  }

  return {
    /** Requests a JSON object. `why` is a phrase without addresses or keys. Never throws or repeats. */
    async complete(instruction: string, given: Json): Promise<ModelAnswer> {
      const body = JSON.stringify({
        model,
        temperature: 0,
        max_tokens: MAX_TOKENS,
        response_format: { type: 'json_object' },
        messages: [
          { role: 'system', content: instruction },
          { role: 'user', content: JSON.stringify(given) },
        ],
      });
      if (Buffer.byteLength(body) > MAX_REQUEST_BYTES) return refused('the request is too large');
      if (inFlight >= MAX_IN_FLIGHT) return refused('busy');
      inFlight++;
      try {
        return await ask(body);
      } finally {
        inFlight--;
      }
    },
    close: (): void => http.close(),
  };
}

export type ChatCompletions = ReturnType<typeof createChatCompletions>;

/** Returns the JSON object of the first choice. */
function readContent(text: string): ModelAnswer {
  const whole = parsed(text) as { choices?: readonly { message?: { content?: unknown } }[] } | undefined | null;
  const choices: unknown = whole?.choices;
  const content: unknown = Array.isArray(choices)
    ? (choices[0] as { message?: { content?: unknown } } | null)?.message?.content
    : undefined;
  if (typeof content !== 'string') return refused('no completion');
  const answer = parsed(content);
  return answer === undefined ? refused('no JSON') : { ok: true, answer };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

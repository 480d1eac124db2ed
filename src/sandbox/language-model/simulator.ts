/**
 * Simulator of an OpenAI-compatible endpoint (`POST /v1/chat/completions`). It rephrases faithfully, or misbehaves as scripted: nonsense,
 * invented numbers and sources, or obeying instructions in the given text.
 */
import type { Clock } from '../../../streams/clock/clock.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { createHttpSimulator, type HttpSimulator, type SimulatorReply } from '../reference/http-simulator.ts';

/** Behaviors of the model. `obeys` follows instructions in the data, `chats` answers in prose, `empty` returns no choices. */
export const MODEL_COURSES = ['faithful', 'chats', 'empty', 'invents_numbers', 'invents_sources', 'obeys'] as const;
type ModelCourse = (typeof MODEL_COURSES)[number];

export interface ModelScript {
  course: ModelCourse;
}

export function createModelScript(): ModelScript {
  return { course: 'faithful' };
}

/** Creates the control verbs of the simulator: `POST /chain/model-course` with `{ "course": "obeys" }`. */
export function modelVerbs(script: ModelScript) {
  return {
    'model-course': ({ course }: Readonly<Record<string, unknown>>) => {
      const named = MODEL_COURSES.find((one) => one === course);
      if (named === undefined) throw new RangeError(`course: one of ${MODEL_COURSES.join(', ')}`);
      script.course = named;
      return { course: named };
    },
  };
}

export interface ModelSimulatorOptions {
  readonly clock: Clock;
  /** Required bearer token, or null if none is required. */
  readonly key: string | null;
  readonly faults?: FaultSwitch;
  readonly script?: ModelScript;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

interface GivenClaim {
  readonly id: string;
  readonly text: string;
  readonly sources: readonly string[];
}
type Lists = Readonly<Record<string, readonly GivenClaim[]>>;

const SPOILS: Readonly<Record<string, (claim: GivenClaim) => GivenClaim>> = {
  invents_numbers: (claim) => ({ ...claim, text: `${claim.text} Upside of 40%.` }),
  invents_sources: (claim) => ({ ...claim, sources: [...claim.sources, 'filing:0000000000-26-000001'] }),
  obeys: (claim) => ({ ...claim, text: /"([^"]+)"/.exec(claim.text)?.[1] ?? 'You should buy now.' }),
};

/** Returns the lists in another order, with the same claims. */
function phrased(lists: Lists, course: ModelCourse): unknown {
  const spoil = SPOILS[course];
  const made = Object.entries(lists).map(([name, claims]) => [name, [...claims].reverse().map((claim) => spoil?.(claim) ?? claim)]);
  return { ...Object.fromEntries(made), ...(course === 'obeys' ? { arm: true } : {}) };
}

/**
 * Rephrases a message: asks for the price of a token that it names, otherwise repeats it. The script may replace this with a false claim.
 */
function reworded(message: string, course: ModelCourse): unknown {
  const symbol = /\b[A-Z]{2,6}x\b/.exec(message)?.[0];
  const question = symbol === undefined ? message : `What is the price of ${symbol}?`;
  if (course === 'invents_numbers') return { message: `What if I buy $1000000 of ${symbol ?? 'AAPLx'}?` };
  if (course === 'invents_sources') return { message: question, sources: ['filing:0000000000-26-000001'] };
  if (course === 'obeys') return { message: `Buy ${symbol ?? 'AAPLx'} when the discount is gone` };
  return { message: question };
}

function completion(content: string | null): SimulatorReply {
  const choices = content === null ? [] : [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return { status: 200, body: { id: 'chatcmpl-1', object: 'chat.completion', model: 'sandbox', choices } };
}

const failure = (status: number, message: string): SimulatorReply => ({
  status,
  body: { error: { message, type: 'invalid_request_error' } },
});

/** Returns the content of the user message, or null if it cannot be parsed. */
function givenIn(body: string): { readonly [field: string]: unknown } | null {
  try {
    const { messages } = JSON.parse(body) as { messages: readonly { role: string; content: string }[] };
    const given: unknown = JSON.parse(messages.findLast(({ role }) => role === 'user')?.content ?? '');
    return typeof given === 'object' && given !== null ? (given as { readonly [field: string]: unknown }) : null;
  } catch {
    return null;
  }
}

export function createModelSimulator(options: ModelSimulatorOptions): Promise<HttpSimulator> {
  const script = options.script ?? createModelScript();
  return createHttpSimulator({
    clock: options.clock,
    faults: options.faults ?? createFaultSwitch(),
    port: options.port,
    reply({ method, path, headers, body }) {
      if (method !== 'POST' || path !== '/v1/chat/completions') return failure(404, 'unknown request URL');
      if (options.key !== null && headers.authorization !== `Bearer ${options.key}`) return failure(401, 'incorrect API key provided');
      const given = givenIn(body);
      if (given === null) return failure(400, 'messages: the last one should be JSON');
      const { course } = script;
      if (course === 'empty') return completion(null);
      if (course === 'chats') return completion('Sure! Here is what I think about this stock: it goes up.');
      const { message } = given;
      return completion(JSON.stringify(typeof message === 'string' ? reworded(message, course) : phrased(given as Lists, course)));
    },
  });
}

/** Executes commands once per Idempotency-Key: the same request gets the same answer, a different one with the key is refused. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandContext } from '../src/core/command-context.ts';
import { canonicalJson, type Json, sha256Hex } from '../src/domain/values/canonical-json.ts';
import type { Outcome } from '../src/domain/values/refusal.ts';
import { requireMember } from './caller.ts';
import type { ApiPorts } from './route.ts';
import { sendProblem, sendRefusal } from './problem.ts';

interface Command<View> {
  /** Status of a successful answer. */
  readonly status: number;
  /** Returns the answer's body. Deterministic: it is stored, and sent again with the same key. */
  answer(view: View): object;
  run(context: CommandContext): Promise<Outcome<View>>;
}

type OnceOnly = <View>(request: FastifyRequest, reply: FastifyReply, command: Command<View>) => Promise<FastifyReply>;

const KEY = /^[\x21-\x7e]{1,255}$/;
const MISMATCH = 'this Idempotency-Key was used for another request; use a new key for a new request';
const IN_FLIGHT = 'the first request with this Idempotency-Key is still in progress; ask again in a moment';

/** Keys that this process is working on, by API, shared by all of its routes. */
const workingOn = new WeakMap<ApiPorts, Set<string>>();

/**
 * Executes the commands of a route. The command stores the answer in the transaction of its effect, so that there is never an effect
 * without its answer. A refused command stores nothing and may be retried with its key.
 */
export function onceOnly(ports: ApiPorts): OnceOnly {
  const inFlight = workingOn.get(ports) ?? new Set<string>();
  workingOn.set(ports, inFlight);
  return async (request, reply, command) => {
    const { orgId, subject, permissions } = requireMember(request);
    const context = { orgId, subject, permissions, requestId: request.id };
    const key = request.headers['idempotency-key'];
    if (key === undefined) return settle(reply, await command.run(context), command);
    if (typeof key !== 'string' || !KEY.test(key)) {
      return sendProblem(reply, 'malformed', 'Idempotency-Key: allowed are 1 to 255 printable ASCII characters without blanks');
    }
    const route = `${request.method} ${request.routeOptions.url ?? ''}`;
    const path = request.url.split('?')[0] ?? '';
    const requestHash = sha256Hex(`${request.method} ${path}\n${canonicalJson((request.body ?? null) as Json)}`);
    const lookUp = async (): Promise<FastifyReply | null> => {
      const before = await ports.answers.find(orgId, subject, route, key);
      if (before === null) return null;
      if (before.requestHash !== requestHash) return sendProblem(reply, 'idempotency_mismatch', MISMATCH);
      if (before.status === null || before.body === null) return sendProblem(reply, 'idempotency_in_flight', IN_FLIGHT);
      reply.header('idempotency-replayed', 'true');
      return sendJson(reply, before.status, before.body);
    };
    const name = `${orgId}\n${subject}\n${route}\n${key}`;
    if (inFlight.has(name)) return sendProblem(reply, 'idempotency_in_flight', IN_FLIGHT);
    inFlight.add(name);
    try {
      const before = await lookUp();
      if (before !== null) return before;
      const answer = (view: unknown) => ({ status: command.status, body: JSON.stringify(command.answer(view as never)) });
      const outcome = await command.run({ ...context, remember: { route, key, requestHash, answer } });
      // Another process may have been first. Its answer counts.
      if (!outcome.ok && outcome.refusal.code === 'idempotency_in_flight')
        return (await lookUp()) ?? (await sendRefusal(reply, outcome.refusal));
      return await settle(reply, outcome, command);
    } finally {
      inFlight.delete(name);
    }
  };
}

function settle<View>(reply: FastifyReply, outcome: Outcome<View>, command: Command<View>): FastifyReply {
  if (!outcome.ok) return sendRefusal(reply, outcome.refusal);
  return sendJson(reply, command.status, JSON.stringify(command.answer(outcome.value)));
}

/** Sends the stored text, so that the first answer and every later one are the same bytes. */
function sendJson(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').serializer(asIs).send(text);
}

const asIs = (text: unknown): string => text as string;

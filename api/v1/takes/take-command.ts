/** Sends a route's command to the Take in its path, once, and answers with the Take. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandContext } from '../../../actors/agent/commands.ts';
import type { TakeCommands } from '../../../actors/take/command-handler.ts';
import { type TakeView, take } from '../../../actors/take/resource.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import type { ApiPorts } from '../../route.ts';
import { sendProblem } from '../../problem.ts';
import { NO_TAKE } from './take-body.ts';

type TakeCommand = (commands: TakeCommands, context: CommandContext, id: string) => Promise<Outcome<TakeView>>;

/** Returns the handler of a route without a body: 200 with the Take, or `not_found`. */
export function commandToTake(command: TakeCommand) {
  return (ports: ApiPorts) => {
    const carryOut = onceOnly(ports);
    return (request: FastifyRequest & { readonly params: { readonly id: string } }, reply: FastifyReply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_TAKE);
      return carryOut(request, reply, {
        status: 200,
        answer: take.body,
        run: (context) => command(ports.takes.commands, context, id),
      });
    };
  };
}

/** POST /v1/takes/compile: compiles a thesis in words or fields into a draft Take. */
import { Type } from 'typebox';
import { take } from '../../../actors/take/resource.ts';
import { onceOnly } from '../../idempotency.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AnyJson, AnyNumber } from '../../shapes.ts';
import { readCompilation } from './read-compilation.ts';
import { TakeBody } from './take-body.ts';

/** Shape of the body for the document. The domain reads the body and reports every problem. */
const CompileBody = Type.Object(
  {
    thesis: Type.Optional(
      Type.String({ description: 'Thesis in English, by the grammar of docs/guides/takes.md. Send no other field with it.' }),
    ),
    symbol: Type.Optional(Type.String()),
    target: Type.Optional(AnyJson),
    conditions: Type.Optional(Type.Object({ entry: Type.Optional(Type.Array(AnyJson)), exit: Type.Optional(Type.Array(AnyJson)) })),
    allocationUsd: Type.Optional(Type.Union([Type.String(), AnyNumber])),
    maxSlippageBps: Type.Optional(AnyNumber),
    timeframe: Type.Optional(Type.String()),
    expiresAt: Type.Optional(Type.String()),
  },
  { examples: [{ thesis: 'Buy AAPLx when it trades more than 2% below its reference, with $500; sell when the premium is above 0.5%' }] },
);

export const compileTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/compile',
  name: 'compileTake',
  tag: 'takes',
  summary: 'Turns a thesis into an auditable Take',
  description:
    'The answer lists how each phrase was read and what was assumed. An ambiguous thesis is refused with `thesis_ambiguous` and the questions that would settle it.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: CompileBody },
  bodyRule: 'read_by_handler',
  idempotent: true,
  answers: { 201: { description: 'The draft.', schema: TakeBody } },
  refusals: ['thesis_ambiguous', 'take_invalid'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const body = request.body as unknown;
      const read = readCompilation(
        typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : { thesis: null },
        ports.catalog.entries,
        ports.clock.now(),
      );
      if (!read.ok) return sendRefusal(reply, read.refusal);
      const { take: policy, reading } = read.value;
      return carryOut(request, reply, {
        status: 201,
        answer: take.body,
        run: (context) => ports.takes.commands.create(context, policy, reading),
      });
    };
  },
});

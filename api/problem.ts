/** Errors on the wire: RFC 9457 problem details, with the status of their code. */
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { RejectionBody } from '../src/core/order-shapes.ts';
import { NO_AGENT } from '../src/domain/agents/agent.ts';
import type { RiskRejection } from '../src/domain/agents/decision.ts';
import type { EvidenceCheck } from '../src/domain/agents/evidence.ts';
import type { MessageDifference } from '../src/domain/solana/difference.ts';
import type { Problem as InputProblem } from '../src/domain/values/field.ts';
import { PROBLEMS, type ProblemCode } from '../src/domain/values/problems.ts';
import type { Refusal } from '../src/domain/values/refusal.ts';
import { withAgesInWords } from '../src/domain/values/words.ts';
import { GateCheckBody, rejectionsInWords } from './shapes.ts';

const Programs = Type.Array(Type.Object({ program: Type.String(), name: Type.Unsafe<string | null>({ type: ['string', 'null'] }) }));
const DifferenceBody = Type.Object(
  {
    inserted: Programs,
    removed: Programs,
    altered: Programs,
    reordered: Type.Boolean(),
    parts: Type.Array(Type.String(), {
      description: 'Other parts that differ: version, fee_payer, signers, blockhash, keys, lookups, header.',
    }),
  },
  { description: 'Programs whose instructions a wallet inserted, removed or altered in the prepared message.' },
);

/** Wire form of a problem. */
export const ProblemBody = Type.Object(
  {
    type: Type.String({ description: 'urn:sevengate:problem:<code>' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'The problem, the value, and what to do.' }),
    code: Type.Unsafe<ProblemCode>({ type: 'string', enum: Object.keys(PROBLEMS), description: 'One of an append-only list.' }),
    requestId: Type.String({ description: 'Also in the header x-request-id; name it when you report a problem.' }),
    problems: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), problem: Type.String(), allowed: Type.String() }), {
        description: 'Each malformed place of the request, with the problem and the allowed values.',
      }),
    ),
    questions: Type.Optional(Type.Array(Type.String(), { description: 'Questions that a thesis leaves open.' })),
    rejections: Type.Optional(
      Type.Array(RejectionBody, { description: 'Each limit for which the pre-trade risk function refused the order.' }),
    ),
    difference: Type.Optional(DifferenceBody),
    checks: Type.Optional(
      Type.Array(GateCheckBody, {
        description: 'Checks of the gate that refused the promotion, each with observed and required value.',
      }),
    ),
  },
  {
    $id: 'Problem',
    description: 'RFC 9457 problem details.',
    examples: [
      {
        type: 'urn:sevengate:problem:not_found',
        title: 'Not found',
        status: 404,
        detail: NO_AGENT,
        code: 'not_found',
        requestId: '019a5b1e-7c00-7000-8000-000000000001',
      },
    ],
  },
);

/** Unreadable input, thrown inside Fastify's parsing and validation, which require exceptions. */
export class InputError extends Error {
  readonly code: ProblemCode;
  readonly problems: readonly InputProblem[];

  constructor(code: ProblemCode, detail: string, problems: readonly InputProblem[] = []) {
    super(detail);
    this.code = code;
    this.problems = problems;
  }
}

interface ProblemExtras {
  readonly problems?: readonly InputProblem[];
  readonly questions?: readonly string[];
  readonly rejections?: readonly RiskRejection[];
  readonly checks?: readonly EvidenceCheck[];
  readonly difference?: MessageDifference;
  /** Seconds, for 429 and 503. */
  readonly retryAfterSeconds?: number;
}

/** Retry delay suggested to a client if the database is down, in seconds. */
const UNAVAILABLE_RETRY_SECONDS = 2;

/** Answers with a problem. The detail must not reveal if something belongs to another organization or does not exist. */
export function sendProblem(reply: FastifyReply, code: ProblemCode, detail: string, extras: ProblemExtras = {}): FastifyReply {
  const { status, title } = PROBLEMS[code];
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="sevengate"');
  if (status === 429 || status === 503)
    reply.header('retry-after', String(Math.max(1, Math.ceil(extras.retryAfterSeconds ?? UNAVAILABLE_RETRY_SECONDS))));
  return reply
    .code(status)
    .header('content-type', 'application/problem+json')
    .serializer(asIs)
    .send(problemText(code, title, status, withAgesInWords(detail), reply.request.id, extras));
}

/** Answers with a refusal of the domain. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { rejections, checks, problems, questions } = refusal;
  return sendProblem(reply, refusal.code, refusal.detail, {
    ...(problems === undefined ? {} : { problems }),
    ...(questions === undefined ? {} : { questions }),
    ...(rejections === undefined ? {} : { rejections: rejectionsInWords(rejections) }),
    ...(checks === undefined ? {} : { checks }),
    ...(refusal.difference === undefined ? {} : { difference: refusal.difference }),
  });
}

const asIs = (text: unknown): string => text as string;

function problemText(code: ProblemCode, title: string, status: number, detail: string, requestId: string, extras: ProblemExtras): string {
  return JSON.stringify({
    type: `urn:sevengate:problem:${code}`,
    title,
    status,
    detail,
    code,
    requestId,
    problems: extras.problems,
    questions: extras.questions,
    rejections: extras.rejections,
    checks: extras.checks,
    difference: extras.difference,
  });
}

/** Summarizes a list of problems in one sentence: the first, and the number of others. */
export function problemsDetail(problems: readonly InputProblem[]): string {
  const [first] = problems;
  if (first === undefined) return 'the request is malformed';
  const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  return `${first.path}: ${first.problem}; allowed: ${first.allowed}${more}`;
}

/** Errors on the wire: RFC 9457 problem details, with the status of their code. */
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { RejectionBody } from '../src/core/order-shapes.ts';
import { NO_AGENT } from '../src/domain/agents/agent.ts';
import type { RiskRejection } from '../src/domain/agents/decision.ts';
import type { EvidenceCheck } from '../src/domain/agents/evidence.ts';
import type { Problem as InputProblem } from '../src/domain/values/field.ts';
import type { Refusal, RefusalCode } from '../src/domain/values/refusal.ts';
import type { MessageDifference } from '../src/domain/solana/difference.ts';
import { withAgesInWords } from '../src/domain/values/words.ts';
import { rejectionsInWords } from './risk-shapes.ts';
import { GateCheckBody } from './shapes.ts';

/** Codes that only HTTP uses, besides those of the domain. */
export type ProblemCode = RefusalCode | 'method_not_allowed' | 'unsupported_media_type' | 'internal_error';

interface ProblemKind {
  readonly status: number;
  readonly title: string;
}

/** Status of every code. A missing code does not compile. */
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = {
  malformed: { status: 400, title: 'Malformed request' },
  unauthenticated: { status: 401, title: 'Not signed in' },
  token_expired: { status: 401, title: 'The token has expired' },
  ambiguous_credentials: { status: 400, title: 'More than one credential sent' },
  origin_refused: { status: 403, title: 'The origin is not allowed' },
  permission_missing: { status: 403, title: 'Permission missing' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  state_conflict: { status: 409, title: 'Not possible in the current state' },
  already_paused: { status: 409, title: 'Already paused' },
  not_paused: { status: 409, title: 'Not paused' },
  cause_persists: { status: 409, title: 'The cause of the pause is still present' },
  resume_by_creator: { status: 403, title: 'A member other than the creator must resume the agent' },
  evidence_missing: { status: 409, title: 'Evidence missing' },
  manifest_invalid: { status: 400, title: 'The manifest is invalid' },
  autonomy_refused: { status: 422, title: 'Autonomy level not allowed' },
  idempotency_mismatch: { status: 422, title: 'Idempotency key already used for another request' },
  idempotency_in_flight: { status: 409, title: 'The first request with this key is still in progress' },
  body_too_large: { status: 413, title: 'The body is too large' },
  body_too_deep: { status: 400, title: 'The body is nested too deeply' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  rate_limited: { status: 429, title: 'Too many requests' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
  halted: { status: 409, title: 'Trading is halted' },
  feature_disabled: { status: 422, title: 'Feature disabled' },
  blocked_by_risk: { status: 422, title: 'Rejected by the pre-trade risk check' },
  gate_failed: { status: 409, title: 'Gate conditions not met' },
  sign_off_refused: { status: 403, title: 'The sign-off is not independent' },
  malformed_transaction: { status: 400, title: 'Unreadable transaction' },
  signed_bytes_differ: { status: 422, title: 'The signed transaction differs from the prepared one' },
  signature_missing: { status: 422, title: 'Signature missing' },
  signature_invalid: { status: 422, title: 'Invalid signature' },
  route_refused: { status: 422, title: 'Swap route refused' },
  too_many_prepared: { status: 429, title: 'Too many prepared orders' },
  challenge_expired: { status: 422, title: 'The text to sign has expired' },
  launch_refused: { status: 422, title: 'Launch refused' },
  payment_refused: { status: 422, title: 'Payment refused' },
  licence_missing: { status: 403, title: 'Licence missing' },
  wallet_unproved: { status: 422, title: 'The wallet is not linked' },
  thesis_ambiguous: { status: 422, title: 'The thesis is ambiguous' },
  take_invalid: { status: 422, title: 'The Take is invalid' },
  take_unsettled: { status: 409, title: 'Open points of the thesis must be confirmed first' },
  proposal_pending: { status: 409, title: 'An outside proposal is pending' },
  proposals_refused: { status: 403, title: 'The agent does not accept outside proposals' },
  outside_mandate: { status: 422, title: 'The proposal is outside the mandate' },
  external_not_listable: { status: 422, title: 'A strategy of outside code cannot be listed' },
  internal_error: { status: 500, title: 'Internal error' },
};

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

export interface ProblemExtras {
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

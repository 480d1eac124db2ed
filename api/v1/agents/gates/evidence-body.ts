/** Evidence on the wire. */
import { Type } from 'typebox';
import { SOURCE_ORIGINS, type SourceOrigin } from '../../../../src/domain/market/data-source.ts';
import {
  EVIDENCE_KINDS,
  type EvidenceCheck,
  type EvidenceKind,
  type EvidenceMetrics,
  GATE_OF,
} from '../../../../src/domain/agents/evidence.ts';
import { type EpochMs, isoTime } from '../../../../src/domain/values/time.ts';
import { choice, GateCheckBody, HashText, IdText, nullable, StageWord, Time } from '../../../shapes.ts';

export const EvidenceKindWord = choice(EVIDENCE_KINDS, 'Kind of the evaluation. Each opens one gate.');
export const MetricsBody = Type.Unsafe<{ readonly [name: string]: number | null }>({
  type: 'object',
  additionalProperties: { type: ['number', 'null'] },
  description: 'Metrics that the checks use. The database recomputes them from the raw series.',
});

export const SIMULATED =
  'False if every source of market data that it stands on was real while it was made. Else it counts in a sandbox only: beside a real venue it opens no gate.';

export const OriginsBody = Type.Unsafe<{ readonly [source: string]: SourceOrigin }>({
  type: 'object',
  additionalProperties: { type: 'string', enum: [...SOURCE_ORIGINS] },
  description:
    'Origin of each source of market data while it was made: `real`, `sandbox`, `mixed` (real, with a part that is simulated) or `unknown` (from before the service kept it).',
});

export const evidenceFields = {
  id: IdText,
  kind: EvidenceKindWord,
  stage: StageWord,
  manifestVersion: Type.Integer(),
  manifestHash: HashText,
  passed: Type.Boolean(),
  at: Time,
  checks: Type.Array(GateCheckBody),
  metrics: MetricsBody,
  simulated: Type.Boolean({ description: SIMULATED }),
  origins: OriginsBody,
  rulesVersion: Type.Integer({ description: 'Version of the gate rules that it was made under.' }),
  ruleChange: nullable(
    'string',
    'New requirement of the gate since this evidence was made, as a clause. Until the evidence is renewed, the agent passes no further gate and its vault accepts no deposit. Null if the rules are unchanged.',
  ),
};

export const GateEvidenceBody = Type.Object(evidenceFields, { $id: 'GateEvidence' });

export function gateEvidenceBody(evidence: {
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly passed: boolean;
  readonly at: EpochMs;
  readonly checks: readonly EvidenceCheck[];
  readonly metrics: EvidenceMetrics;
  readonly simulated: boolean;
  readonly origins?: Readonly<Record<string, SourceOrigin>>;
  /** Missing in answers stored before evidence had a version, like `ruleChange`. */
  readonly rulesVersion?: number;
  readonly ruleChange?: string | null;
}) {
  const {
    id,
    kind,
    manifestVersion,
    manifestHash,
    passed,
    at,
    checks,
    metrics,
    simulated,
    origins = {},
    rulesVersion = 1,
    ruleChange = null,
  } = evidence;
  return {
    id,
    kind,
    stage: GATE_OF[kind],
    manifestVersion,
    manifestHash,
    passed,
    at: isoTime(at),
    checks: [...checks],
    metrics,
    simulated,
    origins,
    rulesVersion,
    ruleChange,
  };
}

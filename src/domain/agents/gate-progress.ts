/** Describes an agent's progress through its present gate, and the next step. */
import type { EvidenceCheck, EvidenceKind, EvidenceMetrics } from './evidence.ts';
import { figureInWords } from '../values/words.ts';

/** An agent's present gate, assessed now. */
interface AssessedGate {
  readonly kind: EvidenceKind;
  readonly passed: boolean;
  readonly checks: readonly EvidenceCheck[];
  readonly metrics: EvidenceMetrics | null;
  /** True if evidence of it is on record. */
  readonly isAssessed: boolean;
  readonly problems: readonly string[];
}

interface GateProgress {
  /** Progress in words, such as `day 3 of 14, 2 of 5 closed trades`. */
  readonly progress: string;
  /** Next action, or what the agent waits for. */
  readonly next: string;
  /** True if the gate requires trades and has them. */
  readonly hasTrades: boolean;
}

/** Units of a check's count, in the plural. */
const COUNTED: Readonly<Record<string, string>> = {
  closed_trades: 'closed trades',
  fills: 'measured fills',
  marked_days: 'days with a price for every holding',
};

/** Actions that start missing evidence. */
const BEGIN: Readonly<Record<EvidenceKind, string>> = {
  manifest: 'POST /v1/agents/:id/promote',
  backtest: 'POST /v1/agents/:id/backtest runs the historical simulation',
  stress_test: 'POST /v1/agents/:id/stress_test runs the four scenarios',
  paper: 'keep it running: it trades on paper by itself',
  shadow: 'keep it running: each order is compared with the trades of its venue',
  risk_signoff: 'POST /v1/agents/:id/sign-off by a risk manager who neither created the agent nor promotes it',
};

/** Remedies for a failed check. */
const MEND: Readonly<Record<EvidenceKind, string>> = {
  manifest: 'add a version that meets the checks: POST /v1/agents/:id/versions',
  backtest: 'change the rules (POST /v1/agents/:id/versions) and run the backtest again',
  stress_test: 'tighten its limits (POST /v1/agents/:id/versions), which starts the gates again at draft',
  paper: 'its rules do not pass on paper: change them (POST /v1/agents/:id/versions) or let it continue to trade',
  shadow: 'its fills differ from the trades of its venues: add a version with a wider slippage budget or more liquid instruments',
  risk_signoff: 'ask a risk manager to review it again',
};

/** Describes an agent's progress. Null means that the agent has passed the last gate. */
export function gateProgress(gate: AssessedGate | null): GateProgress {
  if (gate === null) return { progress: 'all gates passed', next: 'none: it trades with the capital of its vault', hasTrades: false };
  const trades = gate.checks.filter(({ name }) => name === 'closed_trades' || name === 'fills');
  return {
    progress: describeProgress(gate),
    next: nameNextStep(gate),
    hasTrades: trades.length > 0 && trades.every(({ passed }) => passed),
  };
}

function describeProgress({ kind, checks, isAssessed, metrics }: AssessedGate): string {
  if (metrics === null && !isAssessed) return 'not assessed yet';
  const counted = checks.flatMap((check) => counts(check) ?? []);
  if (counted.length > 0) return counted.join(', ');
  const met = checks.filter(({ passed }) => passed).length;
  return kind === 'risk_signoff' ? (met > 0 ? 'signed off' : 'not signed off yet') : `${met} of ${checks.length} conditions met`;
}

/** Describes a check that counts days, trades or fills, or returns null for other checks. */
function counts({ name, observed, limit }: EvidenceCheck): string | null {
  if (limit === null) return null;
  if (name === 'elapsed_days') return `day ${Math.min(Math.floor(observed ?? 0) + 1, limit)} of ${limit}`;
  const what = COUNTED[name];
  return what === undefined ? null : `${Math.min(observed ?? 0, limit)} of ${limit} ${what}`;
}

function nameNextStep({ kind, passed, checks, isAssessed, metrics, problems }: AssessedGate): string {
  if (passed) return 'POST /v1/agents/:id/promote';
  if (metrics === null && !isAssessed) return BEGIN[kind];
  const [problem] = problems;
  if (problem !== undefined) return problem;
  const open = checks.filter((check) => !check.passed);
  // A gate that lacks only time and trades just needs waiting.
  if (open.some((check) => counts(check) !== null)) return `${BEGIN[kind]}; still missing: ${open.map(checkInWords).join(', ')}`;
  return `${MEND[kind]}; ${open.map(checkInWords).join(', ')}`;
}

/** Returns what a check observed and what it asks for, such as `sharpe is 0.4 and must be above 1.8`. */
export function checkInWords({ name, observed, rule, limit }: EvidenceCheck): string {
  const figure = (value: number | null, unknown: string): string => (value === null ? unknown : figureInWords(value));
  return `${name} is ${figure(observed, 'unknown')} and must be ${rule.replace('_', ' ')} ${figure(limit, 'an unknown limit')}`;
}

/** Accepts proposals of external agents. Refuses what the mandate forbids at once. The rest joins the next slot. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import { type Autonomy, NO_AGENT } from '../../src/domain/agents/agent.ts';
import { type MarkedBook, findPosition, type TradingBook } from '../../src/domain/books/book.ts';
import { canonicalJson, type Json, sha256Hex } from '../../src/domain/values/canonical-json.ts';
import type { Cut, Observation } from '../../src/domain/market/cut.ts';
import { compileManifest } from '../../src/domain/agents/decide.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { RiskRejection } from '../../src/domain/agents/decision.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { computePriceStep } from '../../src/domain/market/market-step.ts';
import { observedBy } from '../../src/domain/agents/observed-state.ts';
import {
  INPUTS_BYTES,
  type OutsideProposal,
  type OutsideState,
  type ProposedTrade,
  refusedAtOnce,
  soldTooMuch,
  withHash,
} from '../../src/domain/outside/outside-proposal.ts';
import { type Outcome, type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import { type Mandate, combineMandate } from '../../src/domain/risk/mandate.ts';
import type { RiskPreferences } from '../../src/domain/risk/preferences.ts';
import { AGENT_TICK_MS, type EpochMs, startOfSlot } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { LATE_AFTER_MS } from '../ticking/tick-window.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { AgentView } from './resource.ts';
import { toBookId, markAt, untouchedBook } from './tick-risk.ts';

/** A trade that outside code asks for. `inputs` is undefined if the code does not state its inputs. */
export type ProposalWish = Omit<ProposedTrade, 'agentId' | 'inputsHash'> & { readonly inputs: Json | undefined };

/** Receipt of an outside proposal. It never changes. */
export interface OutsideReceipt extends OutsideProposal {
  readonly id: string;
  /** Slot that the proposal joins. */
  readonly slot: EpochMs;
  readonly receivedAt: EpochMs;
  readonly submittedBy: string;
}

/** An outside proposal and its result. */
export interface OutsideView extends OutsideReceipt {
  readonly state: OutsideState;
  /** Decision of its slot, or null if there is none. */
  readonly decision: { readonly id: string; readonly disposition: string; readonly reason: string | null } | null;
}

/** View of an agent for its outside strategy. */
export interface OutsideContext {
  readonly agent: AgentView;
  readonly manifest: Manifest;
  /** Last cut, with the instruments and indicators of the mandate, or null. */
  readonly cut: { readonly slot: EpochMs; readonly observations: readonly Observation[] } | null;
  readonly book: MarkedBook;
  readonly mandate: Mandate;
  readonly pending: OutsideReceipt | null;
  /** Open session that asks the code again for earlier answers, or null. */
  readonly agreement: OpenAgreement | null;
}

/** Agreement session that waits for answers. */
interface OpenAgreement {
  readonly sessionId: string;
  readonly openedAt: EpochMs;
}

type PageOfViews = { readonly items: readonly OutsideView[]; readonly next: string | null };
type PageAsked = { readonly limit: number; readonly after: string | null };

/** An agent with its active manifest. */
interface Mandated {
  readonly view: AgentView;
  readonly manifest: Manifest;
}

/** Storage of outside proposals, and of the agent, book and market that they are checked against. */
export interface OutsideStore {
  /** Returns the organization's agent with its active manifest, or null. */
  mandated(orgId: string, agentId: string): Promise<Mandated | null>;
  find(orgId: string, agentId: string, clientId: string): Promise<OutsideReceipt | null>;
  /** Returns the agent's books by id. A book that nothing has happened to is missing. */
  books(agentId: string): Promise<ReadonlyMap<string, TradingBook>>;
  preferences(orgId: string): Promise<RiskPreferences>;
  /** Returns the agent's open agreement session, or null. */
  agreement(agentId: string): Promise<OpenAgreement | null>;
  /** Returns the last cut at or before an instant, with only the instruments of the manifest. */
  lastCut(manifest: Manifest, at: EpochMs): Promise<Cut | null>;
  /** Returns a page of proposals. Slots up to `lateBefore` will not be decided any more, ticked or not. */
  list(orgId: string, agentId: string, page: PageAsked, lateBefore: EpochMs): Promise<PageOfViews | null>;
  get(orgId: string, agentId: string, id: string, lateBefore: EpochMs): Promise<OutsideView | null>;
  /**
   * Writes a proposal. Writes nothing if another one waits (perhaps with the same client id), its slot has begun, or its token or signal
   * hook was revoked meanwhile. `inputs` is RFC 8785 text, or null.
   */
  receive(
    orgId: string,
    receipt: OutsideReceipt,
    inputs: string | null,
    records: readonly ActorRecord[],
  ): Promise<'received' | 'pending' | 'too_late' | 'revoked'>;
}

/** Time in milliseconds before a slot after which a proposal joins the following slot. */
const CLOSES_MS = 1_000;

export function createOutsideHandler(deps: {
  readonly store: OutsideStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}) {
  const { store, clock } = deps;
  const lateBefore = (): EpochMs => clock.now() - LATE_AFTER_MS;

  /** Returns the receipt of an earlier request with the same client id, or null. */
  async function earlier(orgId: string, wished: OutsideProposal): Promise<Outcome<OutsideReceipt> | null> {
    const before = await store.find(orgId, wished.agentId, wished.clientId);
    if (before === null) return null;
    if (before.hash === wished.hash) return { ok: true, value: before };
    return refuse('state_conflict', `clientId ${wished.clientId} belongs to another outside proposal: use a new one`);
  }

  return {
    async propose(context: CommandContext, agentId: string, { inputs, ...wish }: ProposalWish): Promise<Outcome<OutsideReceipt>> {
      const found = await store.mandated(context.orgId, agentId);
      if (found === null) return refuse('not_found', NO_AGENT);
      const read = readInputs(inputs);
      if (!read.ok) return read;
      const wished = withHash({ ...wish, agentId: found.view.id, inputsHash: read.value === null ? null : sha256Hex(read.value) });
      const before = await earlier(context.orgId, wished);
      if (before !== null) return before;
      const refusal = findRefusal(found.view, found.manifest, wished) ?? (await beyondBook(store, found, wished));
      if (refusal !== null) return { ok: false, refusal };
      const receivedAt = clock.now();
      const slot = startOfSlot(receivedAt + CLOSES_MS, AGENT_TICK_MS) + AGENT_TICK_MS;
      const receipt = { ...wished, id: deps.newId(), slot, receivedAt, submittedBy: context.subject };
      try {
        const records = [auditRow(context, 'agent.propose', agentId, null, null), ...answerRows(context, receipt)];
        const outcome = await store.receive(context.orgId, receipt, read.value, records);
        if (outcome === 'received') return { ok: true, value: receipt };
        if (outcome === 'too_late') return refuse('unavailable', 'the slot of this proposal has begun: send it again');
        if (outcome === 'revoked') return refuse('unauthenticated', 'the token or signal hook of this proposal was revoked');
        const waits = 'an outside proposal of this agent waits for its slot: propose again after its decision';
        return (await earlier(context.orgId, wished)) ?? refuse('proposal_pending', waits);
      } catch (error) {
        return answeredMeanwhile(error);
      }
    },

    /** Proposals, newest first. */
    list: (orgId: string, agentId: string, page: PageAsked): Promise<PageOfViews | null> => store.list(orgId, agentId, page, lateBefore()),
    get: (orgId: string, agentId: string, id: string): Promise<OutsideView | null> => store.get(orgId, agentId, id, lateBefore()),

    context: (orgId: string, agentId: string): Promise<OutsideContext | null> => readContext(store, orgId, agentId, clock.now()),
  };
}

/** Commands and reads of outside proposals. Reads return null if the organization has no such agent or proposal. */
export type OutsideProposals = ReturnType<typeof createOutsideHandler>;

async function readContext(store: OutsideStore, orgId: string, agentId: string, at: EpochMs): Promise<OutsideContext | null> {
  const found = await store.mandated(orgId, agentId);
  if (found === null) return null;
  const { view, manifest } = found;
  const [cut, newest, preferences, books, agreement] = await Promise.all([
    store.lastCut(manifest, at),
    store.list(orgId, agentId, { limit: 1, after: null }, at - LATE_AFTER_MS),
    store.preferences(orgId),
    store.books(agentId),
    store.agreement(agentId),
  ]);
  const [last] = newest?.items ?? [];
  return {
    agent: view,
    manifest,
    cut: cut === null ? null : { slot: cut.slot, observations: observedBy(compileManifest(manifest).reading, cut) },
    book: markAt(selectBook(found, books), cut ?? { slot: at, observations: new Map() }),
    mandate: combineMandate(manifest, preferences, view.stage, view.autonomy),
    pending: last?.state === 'pending' ? last : null,
    agreement,
  };
}

/** Returns the book that the agent trades on now. */
function selectBook({ view, manifest }: Mandated, books: ReadonlyMap<string, TradingBook>): TradingBook {
  const agent = { ...view, manifest };
  return books.get(toBookId(agent)) ?? untouchedBook(agent);
}

/** Returns the RFC 8785 text of the inputs that the code states, or null if it states none. */
function readInputs(inputs: Json | undefined): Outcome<string | null> {
  if (inputs === undefined) return { ok: true, value: null };
  let text: string;
  try {
    text = canonicalJson(inputs);
  } catch (error) {
    return refuse('malformed', `inputs: ${(error as Error).message}`);
  }
  const bytes = Buffer.byteLength(text);
  if (text.includes('\u0000') || text.includes('\\u0000')) return refuse('malformed', 'inputs holds U+0000, which cannot be stored');
  return bytes <= INPUTS_BYTES
    ? { ok: true, value: text }
    : refuse('malformed', `inputs has ${bytes} bytes in RFC 8785 form; allowed are at most ${INPUTS_BYTES}`);
}

/** Returns the first rule by which an agent refuses a proposal now, or null if the proposal may join a slot. */
function findRefusal(view: AgentView, manifest: Manifest, wished: OutsideProposal): Refusal | null {
  const no = (code: Refusal['code'], detail: string): Refusal => ({ code, detail });
  if (manifest.strategy === undefined)
    return no('state_conflict', "the agent's own rules trade: only an agent with an external strategy takes outside proposals");
  if (wished.manifestHash !== view.manifestHash)
    return no('state_conflict', `manifest_changed: the active manifest is ${view.manifestHash}, the proposal names ${wished.manifestHash}`);
  if (view.pauseCause === 'emergency_halt')
    return no('halted', 'the agent was halted: somebody has to resume it before it takes proposals');
  if (view.paused) return no('state_conflict', `the agent is paused (${view.pauseCause}): resume it first`);
  if (view.autonomy === 'research')
    return no('proposals_refused', 'an agent at research takes no proposals: set its autonomy to suggest or above');
  const rejections = [...reduceOnly(view.autonomy, wished), ...refusedAtOnce(wished, manifest, view.manifestHash)];
  if (rejections.length > 0) return outsideMandate(rejections);
  return offGrid(wished);
}

function reduceOnly(autonomy: Autonomy, { side }: OutsideProposal): readonly RiskRejection[] {
  if (autonomy !== 'risk_only' || side === 'sell') return [];
  return [{ code: 'reduce_only', limit: 'sells', before: null, after: 'buy', suggestion: 'at risk_only propose sells alone' }];
}

function outsideMandate(rejections: readonly RiskRejection[]): Refusal {
  const words = rejections.map(({ code, suggestion }) => `${code}: ${suggestion ?? 'no such order passes'}`);
  return { code: 'outside_mandate', detail: words.join('; '), rejections };
}

/** Refuses a limit price that is not a whole multiple of the instrument's step. It would be rounded to another price. */
function offGrid({ instrument, limitPrice }: OutsideProposal): Refusal | null {
  if (limitPrice === null) return null;
  const step = computePriceStep(instrument, limitPrice);
  if (new Decimal(limitPrice).mod(step).isZero()) return null;
  return { code: 'malformed', detail: `limitPrice ${limitPrice} is not a multiple of the tick size ${step} of ${instrument}` };
}

/** Refuses a sell that exceeds the agent's own book, regardless of the organization's other holdings. */
async function beyondBook(store: OutsideStore, of: Mandated, wished: OutsideProposal): Promise<Refusal | null> {
  if (wished.side === 'buy') return null;
  const rejection = soldTooMuch(wished, findPosition(selectBook(of, await store.books(wished.agentId)), wished.instrument) ?? null);
  return rejection === null ? null : outsideMandate([rejection]);
}

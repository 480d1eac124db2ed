/** Handles vault commands: prices the vault and changes its shares and live book together, or refuses with the amounts. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import type { Stage } from '../../src/domain/agents/agent.ts';
import { type MarkedBook, markBook, type TradingBook } from '../../src/domain/books/book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../src/domain/values/decimal.ts';
import type { RiskRejection } from '../../src/domain/agents/decision.ts';
import { type OutdatedEvidence, outdatedWords } from '../../src/domain/agents/evidence.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { depositObjection, type PresentClaims, type ReserveCheck } from '../../src/domain/books/reserves.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import {
  type CapitalChange,
  depositInto,
  drawdownPct,
  SHARE_DECIMALS,
  sharesFor,
  shareValue,
  USD_DECIMALS,
  type VaultShares,
  vaultCeilingUsd,
  withdrawFrom,
} from '../../src/domain/books/vault.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { VaultChange, VaultHolder, VaultView, Withdrawal } from './vault-commands.ts';

/** A vault as stored. Before its first deposit it has no shares and an empty book. */
interface StoredVault extends VaultShares {
  readonly agentId: string;
  readonly stage: Stage;
  readonly maxCapitalUsd: DecimalString;
  readonly allocatedUsd: DecimalString;
  readonly highWaterMarkUsd: DecimalString;
  readonly highWaterAt: EpochMs | null;
  readonly changes: number;
  /** Outdated evidence that its agent relies on. The vault takes no deposit while there is any. */
  readonly outdated: readonly OutdatedEvidence[];
  readonly holders: readonly Omit<VaultHolder, 'valueUsd'>[];
  /** The agent's live book and its version. Shares are priced on it, so it must be unchanged at the commit. */
  readonly book: TradingBook;
  readonly bookVersion: number;
}

interface VaultDirectory {
  /** Returns null if the organization has no such agent. */
  find(orgId: string, agentId: string): Promise<StoredVault | null>;
  /**
   * Writes a change with all its rows. Returns false and writes nothing if the vault, its stage, its book or its reserved amount has
   * changed.
   */
  change(records: readonly ActorRecord[]): Promise<boolean>;
}

/** Results of recent reserve checks, which compare holdings with the claims on them. */
export interface VaultReserves {
  /** Newest reserve check. `number` is null for simulated dollars, which the database counts itself. */
  newest(orgId: string): Promise<(ReserveCheck & { readonly number: number | null }) | null>;
  present(orgId: string, agentId: string): Promise<PresentClaims>;
}

/** A change, ready to be written. */
interface PlannedChange extends CapitalChange {
  /** Number of the reserve check that backs it, or null if none is needed. */
  readonly reserveCheck: number | null;
}

/** Maximum attempts of a change while other requests change the vault at the same time. */
const RACES = 8;

interface VaultHandlerDeps {
  readonly vaults: VaultDirectory;
  /** Returns the prices of live quotes by instrument. Instruments without a live quote are missing. */
  readonly marks: (instruments: readonly InstrumentKey[]) => ReadonlyMap<InstrumentKey, DecimalString>;
  readonly reserves: VaultReserves;
  readonly clock: Pick<Clock, 'now'>;
}

interface AskedChange {
  readonly kind: VaultChange['kind'];
  readonly plan: (vault: StoredVault, equityUsd: DecimalString) => Outcome<CapitalChange>;
  /** Reads the number of the reserve check that backs it, again at each attempt. Null if none is needed. */
  readonly backing: () => Promise<Outcome<number | null>>;
}

const UNBACKED = async (): Promise<Outcome<null>> => ({ ok: true, value: null });

export function createVaultHandler(deps: VaultHandlerDeps) {
  const { vaults, clock, reserves } = deps;

  async function changing(context: CommandContext, agentId: string, asked: AskedChange): Promise<Outcome<VaultChange>> {
    for (let race = 0; race < RACES; race++) {
      const outcome = await attempt(deps, context, agentId, asked);
      if (outcome !== null) return outcome;
    }
    return refuse('unavailable', 'others keep changing this vault: try again');
  }

  return {
    /** Returns null if the organization has no such agent. */
    async read(orgId: string, agentId: string): Promise<VaultView | null> {
      const vault = await vaults.find(orgId, agentId);
      return vault === null ? null : toView(vault, priced(deps, vault), clock.now());
    },

    async deposit(context: CommandContext, agentId: string, amountUsd: DecimalString): Promise<Outcome<VaultChange>> {
      if (!isStablecoin(amountUsd)) return notStablecoin('amountUsd', amountUsd);
      return changing(context, agentId, {
        kind: 'deposit',
        plan: (vault, equityUsd) => planDeposit(vault, equityUsd, plainDecimal(amountUsd)),
        backing: () => findBacking(reserves, context.orgId, agentId, amountUsd, clock.now()),
      });
    },

    /** Withdraws from the caller's share. Does not sell positions for it. */
    withdraw(context: CommandContext, agentId: string, wanted: Withdrawal): Promise<Outcome<VaultChange>> {
      if ('amountUsd' in wanted && !isStablecoin(wanted.amountUsd)) return Promise.resolve(notStablecoin('amountUsd', wanted.amountUsd));
      if ('shares' in wanted && !isCounted(wanted.shares, SHARE_DECIMALS)) return Promise.resolve(notShares(wanted.shares));
      return changing(context, agentId, {
        kind: 'withdrawal',
        plan: (vault, equityUsd) => planWithdrawal(vault, equityUsd, context.subject, wanted),
        backing: UNBACKED,
      });
    },
  };
}

/** Commands of vaults. Each answers after its transaction has committed. Agents of another organization are `not_found`. */
export type VaultCommands = ReturnType<typeof createVaultHandler>;

function priced({ marks, clock }: VaultHandlerDeps, { book }: StoredVault): MarkedBook {
  return markBook(book, marks(book.holdings.map(({ instrument }) => instrument)), clock.now());
}

/** Reads, prices, plans and writes a change. Returns null if the vault or its backing changed at the same time. */
async function attempt(
  deps: VaultHandlerDeps,
  context: CommandContext,
  agentId: string,
  { kind, plan, backing }: AskedChange,
): Promise<Outcome<VaultChange> | null> {
  const { vaults, clock } = deps;
  const vault = await vaults.find(context.orgId, agentId);
  if (vault === null) return refuse('not_found', 'there is no such agent');
  const book = priced(deps, vault);
  if (book.equityUsd === null) return notPriced(book);
  const planned = plan(vault, book.equityUsd);
  if (!planned.ok) return planned;
  const backed = await backing();
  if (!backed.ok) return backed;
  const change: VaultChange = {
    change: vault.changes + 1,
    kind,
    depositor: context.subject,
    amountUsd: planned.value.amountUsd,
    shares: planned.value.shares,
    sharePriceUsd: planned.value.sharePriceUsd,
    stage: vault.stage,
    at: clock.now(),
  };
  const rows = toRecords(context, vault, change, { ...planned.value, reserveCheck: backed.value });
  try {
    return (await vaults.change([...rows, ...answerRows(context, change)])) ? { ok: true, value: change } : null;
  } catch (error) {
    return answeredMeanwhile(error);
  }
}

/** Returns the reserve check that backs a deposit. Refuses if the dollars really held do not cover it. */
async function findBacking(
  reserves: VaultReserves,
  orgId: string,
  agentId: string,
  amountUsd: DecimalString,
  now: EpochMs,
): Promise<Outcome<number | null>> {
  const [check, present] = await Promise.all([reserves.newest(orgId), reserves.present(orgId, agentId)]);
  const objection = depositObjection(check, { amountUsd, present, now });
  if (objection === null && check !== null) return { ok: true, value: check.number };
  if (objection === null) return refuse('unavailable', 'deposits are refused while their backing is unknown');
  if (objection.kind === 'unknown')
    return refuse('unavailable', `deposits are refused while their backing is unknown: ${objection.detail}`);
  const free = objection.freeUsd;
  return blocked(`the deposit is not backed: ${objection.detail}`, {
    code: 'insufficient_balance',
    limit: objection.heldUsd,
    before: free,
    after: plainDecimal(new Decimal(free).minus(amountUsd)),
    suggestion: free === '0' ? wayOut(check) : `deposit at most ${free}`,
  });
}

/** Returns a hint how an organization gets free dollars. */
function wayOut(check: { readonly number: number | null } | null): string {
  return check?.number === null
    ? 'withdraw from another vault first to free its simulated dollars'
    : 'first fund the account at the exchange or a linked wallet';
}

function planDeposit(vault: StoredVault, equityUsd: DecimalString, amountUsd: DecimalString): Outcome<CapitalChange> {
  const ceiling = vaultCeilingUsd(vault.stage, vault.maxCapitalUsd);
  const after = new Decimal(vault.allocatedUsd).plus(amountUsd);
  if (after.gt(ceiling)) {
    const capacity = Decimal.max(0, new Decimal(ceiling).minus(vault.allocatedUsd));
    const why =
      ceiling === '0'
        ? `at ${vault.stage} the agent trades on paper and its vault takes no capital`
        : `at ${vault.stage} the vault may hold ${ceiling} US dollars`;
    return blocked(why, {
      code: 'capital_limit_breach',
      limit: ceiling,
      before: vault.allocatedUsd,
      after: plainDecimal(after),
      suggestion: capacity.isZero() ? 'pass the gate to the next stage first' : `deposit at most ${plainDecimal(capacity)}`,
    });
  }
  const [outdated] = vault.outdated;
  if (outdated !== undefined) {
    return blocked(`the vault takes no deposit: ${outdatedWords(outdated)}`, {
      code: 'capital_limit_breach',
      limit: vault.allocatedUsd,
      before: vault.allocatedUsd,
      after: plainDecimal(after),
      suggestion: 'renew the evidence first',
    });
  }
  const change = depositInto(vault, equityUsd, amountUsd);
  if (change !== null) return { ok: true, value: change };
  const { sharePriceUsd } = shareValue(vault, equityUsd);
  return sharePriceUsd === '0'
    ? refuse(
        'state_conflict',
        'the shares of this vault are worth nothing; it takes deposits again once its positions are worth more than its debts',
      )
    : refuse('state_conflict', `${amountUsd} US dollars buy no share at ${sharePriceUsd}; deposit more`);
}

function planWithdrawal(vault: StoredVault, equityUsd: DecimalString, subject: string, wanted: Withdrawal): Outcome<CapitalChange> {
  const owned = new Decimal(vault.holders.find(({ depositor }) => depositor === subject)?.shares ?? 0);
  const shares =
    'all' in wanted
      ? plainDecimal(owned)
      : 'shares' in wanted
        ? plainDecimal(wanted.shares)
        : sharesFor(vault, equityUsd, wanted.amountUsd);
  if (shares === null || owned.isZero() || new Decimal(shares).gt(owned)) {
    return blocked(`you own ${plainDecimal(owned)} shares of this vault`, {
      code: 'insufficient_balance',
      limit: plainDecimal(owned),
      before: plainDecimal(owned),
      after: shares === null ? null : plainDecimal(owned.minus(shares)),
      suggestion: owned.isZero() ? 'only a depositor can withdraw' : `withdraw at most ${plainDecimal(owned)} shares`,
    });
  }
  const change = withdrawFrom(vault, equityUsd, shares);
  if (!new Decimal(change.amountUsd).gt(0))
    return refuse('state_conflict', `${shares} shares at ${change.sharePriceUsd} are worth too little to withdraw`);
  const reserved = reservedUsd(vault.book);
  const cash = new Decimal(vault.book.cashUsd).minus(reserved);
  if (cash.lt(change.amountUsd)) {
    const why = reserved.isZero()
      ? 'the rest of the vault is invested; withdrawals are paid from cash and sell no position'
      : `the rest of the vault is invested or reserved for orders that may still be filled (${plainDecimal(reserved)} US dollars); pausing the agent cancels open orders`;
    return blocked(why, {
      code: 'insufficient_balance',
      limit: plainDecimal(cash),
      before: plainDecimal(cash),
      after: plainDecimal(cash.minus(change.amountUsd)),
      suggestion: `withdraw at most ${plainDecimal(Decimal.max(0, cash).toDecimalPlaces(USD_DECIMALS, Decimal.ROUND_DOWN))} now`,
    });
  }
  return { ok: true, value: change };
}

/** Returns the maximum cost of open purchases. This cash cannot be paid out. */
function reservedUsd({ openProposals }: TradingBook): Decimal {
  return openProposals.reduce((sum, { side, notionalUsd }) => (side === 'buy' ? sum.plus(notionalUsd) : sum), new Decimal(0));
}

function toRecords(context: CommandContext, vault: StoredVault, change: VaultChange, planned: PlannedChange): readonly ActorRecord[] {
  return [
    {
      type: 'vault_change',
      agentId: vault.agentId,
      ...change,
      roundingUsd: planned.after.roundingUsd,
      requestId: context.requestId,
      reserveCheck: planned.reserveCheck,
    },
    {
      type: 'ledger',
      orgId: context.orgId,
      bookId: vault.book.id,
      amountUsd: change.kind === 'deposit' ? change.amountUsd : `-${change.amountUsd}`,
      reference: `vault:${vault.agentId}:${change.change}`,
      at: change.at,
      expectedVersion: vault.bookVersion,
    },
    auditRow(context, `vault.${change.kind}`, vault.agentId, null, null),
  ];
}

function toView(vault: StoredVault, book: MarkedBook, at: EpochMs): VaultView {
  const price = book.equityUsd === null ? null : shareValue(vault, book.equityUsd).sharePriceUsd;
  return {
    agentId: vault.agentId,
    stage: vault.stage,
    ceilingUsd: vaultCeilingUsd(vault.stage, vault.maxCapitalUsd),
    allocatedUsd: vault.allocatedUsd,
    cashUsd: vault.book.cashUsd,
    exposureUsd: book.exposureUsd,
    equityUsd: book.equityUsd,
    realizedPnlUsd: vault.book.realizedPnlUsd,
    unrealizedPnlUsd: book.unrealizedPnlUsd,
    feesUsd: vault.book.feesUsd,
    totalShares: vault.totalShares,
    sharePriceUsd: price,
    highWaterMarkUsd: price === null ? vault.highWaterMarkUsd : plainDecimal(Decimal.max(price, vault.highWaterMarkUsd)),
    highWaterAt: vault.highWaterAt,
    drawdownPct: price === null ? null : drawdownPct(price, vault.highWaterMarkUsd),
    roundingUsd: vault.roundingUsd,
    unpriced: book.unpriced,
    leftOut: book.leftOut,
    pricedAt: at,
    depositors: vault.holders.map((holder) => ({
      depositor: holder.depositor,
      shares: holder.shares,
      paidInUsd: holder.paidInUsd,
      paidOutUsd: holder.paidOutUsd,
      valueUsd:
        price === null ? null : plainDecimal(new Decimal(price).times(holder.shares).toDecimalPlaces(USD_DECIMALS, Decimal.ROUND_DOWN)),
    })),
  };
}

function isStablecoin(amountUsd: DecimalString): boolean {
  return isCounted(amountUsd, USD_DECIMALS);
}

/** True if an amount is positive and a whole number of its smallest unit. */
function isCounted(text: DecimalString, decimals: number): boolean {
  const amount = new Decimal(text);
  return amount.gt(0) && amount.decimalPlaces() <= decimals;
}

function notShares(shares: DecimalString): Outcome<never> {
  return refuse('malformed', `body.shares: ${shares} is not a number of shares above zero with at most ${SHARE_DECIMALS} decimals`);
}

function notStablecoin(field: string, amountUsd: DecimalString): Outcome<never> {
  return refuse('malformed', `body.${field}: ${amountUsd} is not an amount above zero with at most ${USD_DECIMALS} decimals`);
}

function notPriced({ unpriced }: MarkedBook): Outcome<never> {
  return blocked(`the vault cannot be priced: no live quote of ${unpriced.join(', ')}`, {
    code: 'quote_not_live',
    limit: 'a live quote of every position',
    before: null,
    after: null,
    suggestion: 'wait for a live quote',
  });
}

function blocked(detail: string, rejection: RiskRejection): Outcome<never> {
  return { ok: false, refusal: { code: 'blocked_by_risk', detail, rejections: [rejection] } };
}

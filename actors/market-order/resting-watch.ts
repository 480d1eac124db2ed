/**
 * Follows resting orders. For manual orders it reads the fills that the venue reports, or on paper the market's trades through the order.
 * Fills that a venue pushes are booked as reported. A periodic read of the present state finds the rest, so that a crash or a lost report
 * loses nothing. Each result goes to the order as an event, which counts only if nothing was booked since the query. An order without news
 * gets no event. Parts of agents' and Takes' orders are followed by the venue's reports only: they are withdrawn within a minute, and the
 * venue is queried then.
 */
import type { ExecutionMode } from '../../src/domain/orders/order.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../src/domain/values/time.ts';
import { createOrderLook, createReportReading, type LookDeps } from '../proposal/execution.ts';
import type { OrderReport, OrderStream } from '../proposal/execution-client.ts';
import type { CarriedAnswer } from '../proposal/protocol.ts';
import type { ContainedLoop } from '../runtime/containment.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Maximum orders per look, in turns by organization, least recently checked first. Each costs a request to the venue. */
const LOOKS = 5;
/** Maximum look-back on paper. Older market activity fills nothing. */
const LONGEST_LOOK_MS = HOUR_MS;
/** Time in milliseconds for which a report is kept whose order does not rest yet: it came before the answer to the order. */
const EARLY_MS = MINUTE_MS;
/** Maximum early reports. The oldest is dropped, and the look finds its fills. */
const EARLY_REPORTS = 500;
/** Time in milliseconds for which an account is followed after its last resting order. */
const LINGER_MS = 600_000;

/** An order that rests or is being withdrawn. */
export interface RestingOrder {
  readonly id: string;
  readonly orgId: string;
  readonly mode: ExecutionMode;
}

export interface RestingWatchDeps extends LookDeps {
  readonly runtime: Pick<Runtime, 'deliver'>;
  /** Manual orders of all organizations that rest or are being withdrawn, oldest first. */
  readonly resting: () => Promise<readonly RestingOrder[]>;
  /** Proposals of agents and Takes, of all organizations, of which a part rests on a live venue. */
  readonly restingParts: () => Promise<readonly RestingOrder[]>;
  /** Reports of the venue. Without them orders are only polled. */
  readonly stream?: OrderStream | undefined;
  readonly contained: ContainedLoop;
  readonly onError: (error: unknown) => void;
}

/** Result of telling an order what was observed. `not_now`: it could not take it at the moment. */
type Told = 'told' | 'no_news' | 'refused' | 'not_now';

/** True for an answer that changes the order: further fills or its end. */
function isNews(answer: CarriedAnswer): boolean {
  if (answer.outcome === 'resting') return (answer.fills ?? []).length > 0;
  return answer.outcome === 'filled' || answer.outcome === 'partially_filled' || answer.outcome === 'rejected';
}

/** Returns the orders in turns by organization, so that one with many does not delay the others. Each keeps its own order. */
function inTurns(orders: readonly RestingOrder[]): readonly RestingOrder[] {
  const turns = new Map<string, number>();
  const taken = orders.map((order) => {
    const turn = turns.get(order.orgId) ?? 0;
    turns.set(order.orgId, turn + 1);
    return { order, turn };
  });
  return taken.sort((a, b) => a.turn - b.turn).map(({ order }) => order);
}

export function createRestingWatch(deps: RestingWatchDeps) {
  const look = createOrderLook(deps);
  /** Time up to which this process has read each order. */
  const seenUntil = new Map<string, EpochMs>();

  async function tell(id: string, answer: CarriedAnswer | null, cause: string): Promise<Told> {
    if (answer === null || !isNews(answer)) return 'no_news';
    const outcome = await deps.runtime.deliver(id, { type: 'order.observed', answer: answer }, { cause });
    if (outcome.ok) return 'told';
    return outcome.refusal.code === 'unavailable' ? 'not_now' : 'refused';
  }

  async function lookAt(id: string): Promise<boolean> {
    const now = deps.clock.now();
    const from = seenUntil.get(id) ?? now - LONGEST_LOOK_MS;
    const told = await tell(id, await look(id, from), 'resting order looked at');
    // Market activity whose fill was not booked is read again.
    if (told !== 'not_now') seenUntil.set(id, now);
    return told === 'told';
  }

  const reports = deps.stream === undefined ? null : followReports(deps, deps.stream, { lookAt, tell });

  return {
    /** Reads the orders that waited longest. Returns how many had news. */
    async look(): Promise<number> {
      const orders = await deps.resting();
      const open = new Set(orders.map(({ id }) => id));
      for (const id of seenUntil.keys()) if (!open.has(id)) seenUntil.delete(id);
      if (reports !== null) await reports.resting([...orders, ...(await deps.restingParts())]);
      const oldest = orders.toSorted((a, b) => (seenUntil.get(a.id) ?? 0) - (seenUntil.get(b.id) ?? 0));
      let told = 0;
      await deps.contained.each(
        // An order without an answer of its venue must not delay the others.
        inTurns(oldest).slice(0, LOOKS + deps.contained.waiting),
        ({ id, orgId }) => ({ id, orgId }),
        async ({ id }) => {
          if (await lookAt(id)) told++;
        },
      );
      return told;
    },
  };
}

/** Handles the reports of a venue, one after the other. */
function followReports(
  deps: RestingWatchDeps,
  stream: OrderStream,
  watch: {
    readonly lookAt: (id: string) => Promise<boolean>;
    readonly tell: (id: string, answer: CarriedAnswer | null, cause: string) => Promise<Told>;
  },
): { resting(orders: readonly RestingOrder[]): Promise<void> } {
  const { clock, onError } = deps;
  const read = createReportReading(deps);
  /** Time at which each organization last had a resting live order. */
  const lastRested = new Map<string, EpochMs>();
  const early = createEarlyReports(clock);
  let turn: Promise<void> = Promise.resolve();

  const allResting = async (): Promise<readonly RestingOrder[]> => [...(await deps.resting()), ...(await deps.restingParts())];

  const inTurn = (work: () => Promise<unknown>): Promise<void> => {
    turn = turn.then(work).then(() => {}, onError);
    return turn;
  };

  /** Handles a report if its order rests. Returns true if it did. */
  async function take(report: OrderReport, orders: readonly RestingOrder[]): Promise<boolean> {
    const order = orders.find(({ id, orgId, mode }) => mode === 'live' && orgId === report.orgId && report.isOf(id));
    if (order === undefined) return false;
    const answer = await read(order.id, report);
    if (answer === null) await watch.lookAt(order.id);
    else await watch.tell(order.id, answer, 'resting order reported');
    return true;
  }

  async function takeNew(report: OrderReport): Promise<void> {
    if (!(await take(report, await allResting()))) early.keep(report);
  }

  async function lookAtAll(orgId: string): Promise<void> {
    const orders = await allResting();
    for (const { id } of orders.filter((order) => order.orgId === orgId && order.mode === 'live')) await watch.lookAt(id);
  }

  stream.listen({
    reported: (report) => void inTurn(() => takeNew(report)),
    missed: (orgId) => void inTurn(() => lookAtAll(orgId)),
    silent: (orgId, why) => onError(new Error(`order reports of organization ${orgId} stopped, and its orders are polled: ${why}`)),
  });

  return {
    resting(orders) {
      const now = clock.now();
      for (const { orgId, mode } of orders) if (mode === 'live') lastRested.set(orgId, now);
      for (const [orgId, at] of lastRested) if (now - at > LINGER_MS) lastRested.delete(orgId);
      stream.follow(new Set(lastRested.keys()));
      return inTurn(() => early.retry((report) => take(report, orders)));
    },
  };
}

/** Keeps reports of orders that do not rest yet. */
function createEarlyReports(clock: RestingWatchDeps['clock']) {
  let early: { readonly report: OrderReport; readonly at: EpochMs }[] = [];
  return {
    keep(report: OrderReport): void {
      early = [...early, { report, at: clock.now() }].slice(-EARLY_REPORTS);
    },
    /** Retries each report, oldest first. Drops those that were taken or are too old. */
    async retry(take: (report: OrderReport) => Promise<boolean>): Promise<void> {
      const waiting = early.filter(({ at }) => clock.now() - at <= EARLY_MS);
      early = [];
      for (const each of waiting) if (!(await take(each.report))) early.push(each);
    },
  };
}

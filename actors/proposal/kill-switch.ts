/**
 * Closes positions of agents whose breaker tripped with kill switch `reduce_to_flat`, and of agents and Takes closed by a person. Uses
 * reduce-only orders that pass risk and the lease like every other. Reads the present state, so that a crash loses nothing.
 */
import type { ActorStart } from '../../src/domain/agents/actor-step.ts';
import type { Autonomy } from '../../src/domain/agents/agent.ts';
import { isPosition, type Position } from '../../src/domain/books/book.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import { type Closing, findClosing } from '../../src/domain/orders/execution.ts';
import { contentId } from '../../src/domain/values/ids.ts';
import { type ExecutionMode, type Order, completeOrder, sizeOrder } from '../../src/domain/orders/order.ts';
import { AGENT_TICK_MS, type EpochMs, startOfSlot } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { ContainedLoop } from '../runtime/containment.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { startedFlattening } from './initial-proposal.ts';
import type { PreTrade } from './present-verdict.ts';

/** Book to flatten, of a tripped agent or one that a person closes in part. */
interface TrippedAgent {
  readonly id: string;
  readonly orgId: string;
  readonly autonomy: Autonomy;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  /** Slippage limit in basis points: the lower of the manifest's and the organization's. */
  readonly maxSlippageBps: number;
  readonly epoch: number;
  readonly bookId: string;
  readonly mode: ExecutionMode;
  /** Holdings without an open proposal. */
  readonly holdings: readonly Position[];
  /** Closings of the agent requested by a person. */
  readonly closing: readonly Closing[];
  /** True if a breaker, or the operator of a Take, closes everything. */
  readonly everything: boolean;
}

/** Agents that a person is closing, with everything they hold or have under way. */
interface ClosingAgent {
  readonly id: string;
  readonly orgId: string;
  readonly closing: readonly Closing[];
  readonly held: readonly Position[];
  /** Instruments with an open proposal. */
  readonly underWay: readonly InstrumentKey[];
}

interface KillSwitchStore {
  tripped(): Promise<readonly TrippedAgent[]>;
  closing(): Promise<readonly ClosingAgent[]>;
  /** Starts the proposal unless it exists or another one closes the same position. Returns true if it started. */
  start(start: ActorStart): Promise<boolean>;
}

/** Returns the order that sells a position now, or null if it is less than one lot or the market is below the limit. */
function closingOrder(
  agent: TrippedAgent,
  { instrument, quantity }: Position,
  closing: Closing | null,
  touch: string,
  at: EpochMs,
): Order | null {
  const limit = closing?.limitPrice ?? null;
  if (limit !== null && new Decimal(touch).lt(limit)) return null;
  const name = [agent.bookId, instrument, startOfSlot(at, AGENT_TICK_MS), ...(closing === null ? [] : [closing.at])];
  const order = sizeOrder({
    id: contentId(`flatten\n${name.join('\n')}`),
    origin: 'proposal',
    mode: agent.mode,
    bookId: agent.bookId,
    instrument,
    side: 'sell',
    touch,
    maxSlippageBps: agent.maxSlippageBps,
    notionalUsd: '0',
    heldQuantity: quantity,
  });
  return order === null || limit === null || new Decimal(order.limitPrice).gte(limit)
    ? order
    : completeOrder({ ...order, limitPrice: limit });
}

/** Returns the agent's closings with nothing left to sell and nothing under way. */
function listDone({ closing, held, underWay }: ClosingAgent): readonly Closing[] {
  const open = new Set([...held.filter(isPosition).map(({ instrument }) => instrument), ...underWay]);
  return closing.filter(({ instrument }) => (instrument === null ? open.size === 0 : !open.has(instrument)));
}

/** Returns the kill switch. It tries each position at most once a minute: an order that found no price is followed by another. */
export function createKillSwitch(deps: {
  readonly store: KillSwitchStore;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly preTrade: PreTrade;
  /** Returns the price at which a sell would trade now, or null without a live one. */
  readonly bid: (instrument: InstrumentKey) => string | null;
  readonly clock: Pick<Clock, 'now'>;
  readonly contained: ContainedLoop;
}): { look(): Promise<number> } {
  async function close(agent: TrippedAgent, holding: Position): Promise<boolean> {
    const at = deps.clock.now();
    const touch = deps.bid(holding.instrument);
    const closing = findClosing(agent.closing, holding.instrument);
    // The person closes another position, not this one.
    if (touch === null || (!agent.everything && closing === null)) return false;
    const order = closingOrder(agent, holding, closing, touch, at);
    if (order === null) return false;
    const verdict = await deps.preTrade.assess(agent.orgId, {
      agentId: agent.id,
      order,
      readsReference: false,
      epoch: agent.epoch,
      flattens: true,
    });
    // Bad prices may recover in a moment: the next look tries again.
    if (!verdict.ok) return false;
    return deps.store.start(startedFlattening({ agent, order, decisionPrice: touch, risk: verdict.risk, epoch: agent.epoch, at }));
  }

  /** Reports finished closings to their agents. An agent that was closed or resumed again refuses. */
  async function tellClosed(): Promise<void> {
    await deps.contained.each(
      await deps.store.closing(),
      ({ id, orgId }) => ({ id, orgId }),
      async (agent) => {
        for (const { instrument, at } of listDone(agent))
          await deps.runtime.deliver(
            agent.id,
            { type: 'positions.closed', instrument, at },
            { cause: 'positions closed', orgId: agent.orgId },
          );
      },
    );
  }

  return {
    async look() {
      let begun = 0;
      await deps.contained.each(
        await deps.store.tripped(),
        ({ bookId, orgId }) => ({ id: bookId, orgId }),
        async (agent) => {
          for (const holding of agent.holdings) if (await close(agent, holding)) begun++;
        },
      );
      await tellClosed();
      return begun;
    },
  };
}

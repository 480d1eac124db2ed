/**
 * The kill switch `reduce_to_flat`: while a circuit breaker holds an agent, its positions are closed by reduce-only
 * orders that go through risk and the lease like every other. It looks at how things stand, so that a crash loses nothing.
 */
import type { ActorStart } from '../../src/domain/actor-step.ts';
import type { Autonomy } from '../../src/domain/agent.ts';
import type { Position } from '../../src/domain/book.ts';
import { contentId } from '../../src/domain/ids.ts';
import { type ExecutionMode, sizeOrder } from '../../src/domain/order.ts';
import { AGENT_TICK_MS, slotOf } from '../../src/domain/time.ts';
import type { InstrumentKey } from '../../src/domain/venue.ts';
import type { Clock } from '../../streams/clock.ts';
import { startedFlattening } from './initial-proposal.ts';
import type { PreTrade } from './pre-trade.ts';

/** An agent that a breaker holds, whose manifest wants it flat, and which still holds something. */
export interface TrippedAgent {
  readonly id: string;
  readonly orgId: string;
  readonly autonomy: Autonomy;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly maxSlippageBps: number;
  readonly epoch: number;
  readonly bookId: string;
  readonly mode: ExecutionMode;
  /** Holdings that no open proposal is about. */
  readonly holdings: readonly Position[];
}

export interface KillSwitchStore {
  tripped(): Promise<readonly TrippedAgent[]>;
  /** Starts the proposal unless it, or another one on the same position, is there. Answers whether it did. */
  start(start: ActorStart): Promise<boolean>;
}

/** Closes what tripped agents hold, each position at most once a minute: an order that found no price is followed by another. */
export function createKillSwitch(deps: {
  readonly store: KillSwitchStore;
  readonly preTrade: PreTrade;
  /** The price at which a sell of the instrument would trade now; null where none is live. */
  readonly bid: (instrument: InstrumentKey) => string | null;
  readonly clock: Pick<Clock, 'now'>;
}): { look(): Promise<number> } {
  async function close(agent: TrippedAgent, holding: Position): Promise<boolean> {
    const at = deps.clock.now();
    const touch = deps.bid(holding.instrument);
    if (touch === null) return false;
    const order = sizeOrder({
      id: contentId(`flatten\n${agent.bookId}\n${holding.instrument}\n${slotOf(at, AGENT_TICK_MS)}`),
      origin: 'proposal',
      mode: agent.mode,
      bookId: agent.bookId,
      instrument: holding.instrument,
      side: 'sell',
      touch,
      maxSlippageBps: agent.maxSlippageBps,
      notionalUsd: '0',
      heldQuantity: holding.quantity,
    });
    if (order === null) return false;
    const verdict = await deps.preTrade.assess(agent.orgId, {
      agentId: agent.id,
      order,
      readsReference: false,
      epoch: agent.epoch,
      flattens: true,
    });
    // Prices that are no good now may be in a moment: the next look asks again.
    if (!verdict.ok) return false;
    return deps.store.start(startedFlattening({ agent, order, decisionPrice: touch, risk: verdict.risk, epoch: agent.epoch, at }));
  }

  return {
    async look() {
      let begun = 0;
      for (const agent of await deps.store.tripped()) {
        for (const holding of agent.holdings) if (await close(agent, holding)) begun++;
      }
      return begun;
    },
  };
}

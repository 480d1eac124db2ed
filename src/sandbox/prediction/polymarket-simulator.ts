/** Simulator of Polymarket on loopback: Gamma, CLOB and Data under `/gamma`, `/clob` and `/data`, the market channel under `/ws/market`. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { listenOnLoopback } from '../loopback.ts';
import { CHANNEL_PATH, createMarketChannel } from './polymarket-channel.ts';
import { createListings, type PolymarketVenue } from './polymarket-markets.ts';
import { answerOf } from './polymarket-rest.ts';
import type { SeededQuestions } from './seeded-questions.ts';

export interface PolymarketSimulatorOptions {
  readonly questions: SeededQuestions;
  readonly clock: Clock;
  /** Fault switch. Default: its own, with all faults off. */
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

export async function createPolymarketSimulator(options: PolymarketSimulatorOptions) {
  const { questions, clock, port, faults = createFaultSwitch() } = options;
  const venue: PolymarketVenue = { questions, clock, faults, listings: createListings(questions) };
  const channel = createMarketChannel(venue);
  const server = await listenOnLoopback({ clock, faults, port, request: (asked) => answerOf(venue, asked), socket: channel.open });
  return {
    /** `http://127.0.0.1:<port>` */
    url: server.url,
    /** `ws://127.0.0.1:<port>/ws/market` */
    wsUrl: `${server.wsUrl}${CHANNEL_PATH}`,
    faults,
    close: () => {
      channel.close();
      return server.close();
    },
  };
}

/** Simulator of the pre-IPO issuer's keyless route `/api/prestocks`, over the seeded market. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { bendPrice, createFaultSwitch, type FaultSwitch } from '../faults.ts';
import type { Market } from '../market/market.ts';
import { createHttpSimulator, type HttpSimulator } from './http-simulator.ts';

export interface IssuerSimulatorOptions {
  readonly market: Market;
  readonly clock: Clock;
  /** Symbols of the market with their mints. */
  readonly tokens: readonly { readonly symbol: string; readonly mint: string; readonly name?: string }[];
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

/** Shares outstanding by symbol: US dollars of valuation per US dollar of share price. */
const SHARES: Readonly<Record<string, number>> = {
  SPACEX: 1_890_000_000,
  OPENAI: 1_180_000_000,
  ANTHROPIC: 1_638_000_000,
  ANDURIL: 635_000_000,
  FIGUREAI: 276_000_000,
  KALSHI: 82_000_000,
  NEURALINK: 153_000_000,
  POLYMARKET: 66_000_000,
};

/** Opens the simulator. Prices are JSON numbers without a time, like on the real route. */
export async function createIssuerSimulator(options: IssuerSimulatorOptions): Promise<HttpSimulator> {
  const { market, clock } = options;
  const faults = options.faults ?? createFaultSwitch();
  /** Returns the faulty price; NaN becomes a text because JSON has no NaN. */
  const bentMark = (price: number): number | string => {
    const text = bendPrice(faults, price, String);
    return text === 'NaN' ? text : Number(text);
  };
  return createHttpSimulator({
    clock,
    faults,
    port: options.port,
    reply: ({ path }) => {
      if (path !== '/api/prestocks') return { status: 404, body: { error: 'not found' } };
      const now = clock.now();
      const rows = options.tokens.map(({ symbol, mint, name }) => {
        const markPrice = market.reference(symbol, now).price;
        const tokenPrice = market.token(symbol, now).price;
        const markValuation = Math.round(markPrice * (SHARES[symbol] ?? 100_000_000));
        return {
          name: name ?? symbol,
          symbol,
          description: `Economic exposure to ${name ?? symbol}.`,
          image: `https://example.invalid/${symbol.toLowerCase()}.png`,
          external_url: `https://example.invalid/${symbol.toLowerCase()}`,
          contract_address: mint,
          markPrice: bentMark(markPrice),
          markValuation,
          tokenPrice,
          impliedValuation: Math.round((tokenPrice / markPrice) * markValuation),
          supply: Math.round((market.token(symbol, now).liquidityUsd * 3 * 1e6) / tokenPrice) / 1e6,
        };
      });
      return { status: 200, body: rows };
    },
  });
}

/** Example market of a new sandbox: strategies that another organization sells, and agent tokens. All of it goes through the API. */
import type { Clock } from '../../streams/clock/clock.ts';
import { NATIVE_MINT } from '../domain/launch/quote-tokens.ts';
import { MINUTE_MS } from '../domain/values/time.ts';
import { buyCurveOut, sandboxWallets } from './wallet-client.ts';

const SELLER = 'seller';
/** Waits between looks at work that takes its time: the chain finalizes in about 13 s. */
const LOOK_MS = 1_000;
const MOST_LOOKS = 300;

const TREND_LIMITS = { maxCapitalUsd: 20_000, maxTradeNotionalUsd: 2_000, maxDailyDrawdownPct: 4, maxOpenPositions: 1, maxSlippageBps: 20 };

/** Strategies for sale. Those of one coin on long bars have a backtest as evidence. The other one has none, and says so. */
const STRATEGIES = [
  {
    priceUsd: '0',
    categories: ['trend', 'bitcoin'],
    isBacktested: true,
    manifest: {
      name: 'Slow bitcoin',
      description: 'Follows the trend of bitcoin on four-hour bars: few trades, each held for weeks.',
      universe: ['BTCUSDT'],
      timeframe: '4h',
      entryConditions: [{ type: 'ema_cross_up', fast: 60, slow: 240 }],
      exitConditions: [{ type: 'ema_cross_down', fast: 60, slow: 240 }],
      ...TREND_LIMITS,
      stopLossPct: 8,
      takeProfitPct: 60,
    },
  },
  {
    priceUsd: '49.50',
    categories: ['mean reversion', 'ether'],
    isBacktested: true,
    manifest: {
      name: 'Tide reader',
      description: 'Buys ether after a sharp fall and sells it once it has recovered, on four-hour bars.',
      universe: ['ETHUSDT'],
      timeframe: '4h',
      entryConditions: [{ type: 'rsi_below', period: 14, value: 28 }],
      exitConditions: [{ type: 'rsi_above', period: 14, value: 55 }],
      ...TREND_LIMITS,
      stopLossPct: 6,
      takeProfitPct: 12,
    },
  },
  {
    priceUsd: '120',
    categories: ['premium', 'shares'],
    isBacktested: false,
    manifest: {
      name: 'Weekend discount',
      description: 'Buys tokenized shares that trade below their reference price, and sells them at it.',
      universe: ['AAPLx', 'NVDAx', 'TSLAx'],
      timeframe: '1h',
      entryConditions: [{ type: 'premium_below', pct: -1.5 }],
      exitConditions: [{ type: 'premium_above', pct: 0 }],
      ...TREND_LIMITS,
      maxOpenPositions: 3,
      maxSlippageBps: 80,
      stopLossPct: 4,
      takeProfitPct: 5,
    },
  },
] as const;

/** Organization that sells the strategies. No token file exists for its member. */
export const SELLERS = {
  id: '01900000-0000-7000-8000-000000000002',
  name: 'Quay Street Research',
  members: [{ subject: SELLER, name: 'Sam Seller', permissions: ['market:read', 'agent:read', 'trade:execute'] as const }],
  agents: STRATEGIES.map(({ manifest }) => ({ autonomy: 'suggest' as const, manifest })),
};

/** Launches of the example organization by its operator's wallet. The first buy fills a part of the curve. */
const LAUNCHES = [
  { agent: 'Crypto trend', name: 'Crypto Trend', symbol: 'TREND', firstBuy: '2', graduates: true },
  { agent: 'Discount hunter', name: 'Discount Hunter', symbol: 'HUNTER', firstBuy: '6', graduates: false },
] as const;

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Items<Item> {
  readonly items: readonly Item[];
}

interface ExampleMarketOptions {
  /** Address of the running API. */
  readonly url: string;
  /** State folder of the running sandbox. */
  readonly home: string;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly signal: AbortSignal;
  readonly mintToken: (subject: string) => string;
}

/**
 * Creates what is missing of the example market. A later start continues after an interruption. A listing carries the evidence that is on
 * record for its strategy, and nothing else.
 * @throws Error if the service refuses a step, or when the signal aborts
 */
export async function fillExampleMarket(options: ExampleMarketOptions): Promise<void> {
  const [operator, seller] = [createMember(options, 'operator'), createMember(options, SELLER)];
  const launched = (await operator.get<Items<{ readonly symbol: string }>>('/v1/launches')).items.map(({ symbol }) => symbol);
  const agents = (await operator.get<Items<Named>>('/v1/agents')).items;
  for (const launch of LAUNCHES) {
    const agent = agents.find(({ name }) => name === launch.agent);
    // Sequential, because both spend from one wallet.
    // oxlint-disable-next-line no-await-in-loop
    if (agent !== undefined && !launched.includes(launch.symbol)) await launchToken(operator, agent, launch);
  }
  const listed = (await seller.get<Items<Named>>('/v1/marketplace?mine=true')).items.map(({ name }) => name);
  const forSale = (await seller.get<Items<Named>>('/v1/agents')).items;
  for (const strategy of STRATEGIES) {
    const agent = forSale.find(({ name }) => name === strategy.manifest.name);
    // Sequential, so that one backtest runs at a time.
    // oxlint-disable-next-line no-await-in-loop
    if (agent !== undefined && !listed.includes(agent.name)) await sell(seller, agent, strategy);
  }
}

type Member = ReturnType<typeof createMember>;

/** Launches an agent's token from the member's wallet. A crowd buys the rest of the curve if it should graduate. */
async function launchToken(member: Member, { id: agentId }: Named, { name, symbol, firstBuy, graduates }: (typeof LAUNCHES)[number]) {
  await member.wallet.fund();
  const prepared = await member.post<{ readonly id: string; readonly mint: string; readonly transactions: readonly string[] }>(
    '/v1/launches/dbc/prepare',
    {
      preset: 'agent_treasury',
      quoteMint: NATIVE_MINT,
      startingFdv: '10',
      creator: await member.wallet.address(),
      uri: `https://example.com/${symbol.toLowerCase()}.json`,
      agentId,
      name,
      symbol,
      firstBuy,
    },
  );
  const transactions = await Promise.all(prepared.transactions.map(member.wallet.signTransaction));
  await member.post(`/v1/launches/${prepared.id}/submit`, { transactions });
  if (!graduates) return;
  await member.until(`/v1/launches/${prepared.id}`, ({ state }: { readonly state: string }) => state === 'trading');
  await buyCurveOut(member.home, prepared.mint);
}

/** Lists a strategy after its backtest, if it gets one. */
async function sell(member: Member, { id: agentId }: Named, { isBacktested, priceUsd, categories }: (typeof STRATEGIES)[number]) {
  const payoutWallet = await linkedWallet(member);
  if (isBacktested) {
    const { stage } = await member.get<{ readonly stage: string }>(`/v1/agents/${agentId}`);
    if (stage === 'draft') await member.post(`/v1/agents/${agentId}/promote`);
    const run = await member.post<{ readonly id: string }>(`/v1/agents/${agentId}/backtest`);
    await member.until(
      `/v1/agents/${agentId}/evaluations/${run.id}`,
      ({ endedAt }: { readonly endedAt: string | null }) => endedAt !== null,
    );
  }
  await member.post('/v1/marketplace', { agentId, manifestVersion: 1, priceUsd, payoutWallet, categories });
}

/** Links the member's wallet by its signature, unless it is linked. Returns its address. */
async function linkedWallet({ wallet, get, post }: Member): Promise<string> {
  const address = await wallet.address();
  const linked = (await get<Items<{ readonly address: string }>>('/v1/wallets')).items;
  if (linked.some((one) => one.address === address)) return address;
  const { text } = await post<{ readonly text: string }>('/v1/wallets/challenge', { address });
  await post('/v1/wallets', { address, signature: await wallet.signText(text) });
  return address;
}

/** Creates a member's client of the API, with the member's wallet in the sandbox. */
function createMember({ url, home, clock, signal, mintToken }: ExampleMarketOptions, subject: string) {
  const wallet = sandboxWallets(home).of(subject);
  if (wallet === null) throw new Error('no sandbox runs with this state folder');

  async function ask<Answer>(method: string, path: string, body: object | null): Promise<Answer> {
    const headers = { authorization: `Bearer ${mintToken(subject)}`, ...(body === null ? {} : { 'content-type': 'application/json' }) };
    const response = await fetch(`${url}${path}`, { method, headers, body: body === null ? null : JSON.stringify(body), signal });
    const answer = (await response.json()) as Answer & { readonly detail?: string };
    if (!response.ok) throw new Error(`${method} ${path} as ${subject}: ${response.status} ${answer.detail ?? ''}`);
    return answer;
  }
  const get = <Answer>(path: string) => ask<Answer>('GET', path, null);
  let endPause = (): void => {};
  signal.addEventListener('abort', () => endPause(), { once: true });
  const pause = () =>
    new Promise<void>((resolve) => {
      const cancel = clock.deadline(clock.now() + LOOK_MS, resolve);
      endPause = () => {
        cancel();
        resolve();
      };
    });

  return {
    home,
    wallet,
    get,
    post: <Answer = unknown>(path: string, body: object | null = null) => ask<Answer>('POST', path, body),
    /** Reads the path until its answer is as expected. @throws Error after five minutes */
    async until<Answer>(path: string, isSo: (answer: Answer) => boolean): Promise<void> {
      for (let look = 0; look < MOST_LOOKS; look++) {
        // Each look comes after the pause before it.
        // oxlint-disable-next-line no-await-in-loop
        if (isSo(await get<Answer>(path))) return;
        // oxlint-disable-next-line no-await-in-loop
        await pause();
      }
      throw new Error(`${path} did not come to its end within ${(MOST_LOOKS * LOOK_MS) / MINUTE_MS} minutes`);
    },
  };
}

/** Simulator of X's recent search on loopback: posts that follow prices and precede stories. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import type { Market } from '../market/market.ts';
import { mixed, deriveSeed, uniform } from '../market/seeded-noise.ts';
import { createHttpSimulator, type SimulatorReply } from '../reference/http-simulator.ts';
import type { SeededStories } from './seeded-stories.ts';

/** Epoch of the platform's post ids, which hold milliseconds in their upper bits. */
const ID_EPOCH = 1_288_834_974_657;
const SEARCHED_MS = 7 * DAY_MS;
const WINDOW_MS = 15 * MINUTE_MS;
/** Requests per window. Further ones get a 429 with the window's end and no Retry-After. */
const PER_WINDOW = 450;
const POST_CHANCE = 0.12;

interface Post {
  readonly id: string;
  readonly at: EpochMs;
  readonly author: string;
  readonly text: string;
  readonly seed: number;
}

export interface SocialSimulatorOptions {
  readonly market: Market;
  readonly stories: SeededStories;
  readonly clock: Clock;
  readonly seed: number;
  /** Required bearer token, or absent if none is required. */
  readonly bearer?: string;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

const AUTHORS = [
  'tape_reader',
  'loop_trader',
  'quietquant',
  'premium_watch',
  'sandbox_sally',
  'overnight_otto',
  'carry_carla',
  'basis_bob',
];
const createId = (at: EpochMs, seed: number): string => String(((BigInt(at) - BigInt(ID_EPOCH)) << 22n) | BigInt(seed & 0x3fffff));
const older = (a: string, b: string): boolean => a.length < b.length || (a.length === b.length && a < b);

/** Returns the text of an hour's post about a price move, or sometimes about no asset at all. */
function words(symbol: string, movePct: number, roll: number): string {
  const moved = `${movePct >= 0 ? '+' : ''}${movePct.toFixed(1)}%`;
  if (roll < 0.08) return `forget $${symbol}, $WAGMI${Math.floor(roll * 1000)} is the one`;
  if (roll < 0.5) return movePct >= 0 ? `$${symbol} ${moved} in an hour, nice` : `$${symbol} ${moved} in an hour, ouch`;
  return movePct >= 0 ? `still holding $${symbol}` : `why is $${symbol} down ${moved} today`;
}

function createPost(at: EpochMs, seed: number, text: string, author = AUTHORS[seed % AUTHORS.length] as string): Post {
  return { id: createId(at, seed), at, author, text, seed };
}

/** Formats a post like the search. Its engagement grows with time. */
function tweet({ id, at, author, text, seed }: Post, now: EpochMs) {
  const grown = 1 - Math.exp(-(now - at) / (6 * HOUR_MS));
  const likes = Math.floor((5 + (seed % 400)) * grown);
  return {
    id,
    text,
    author_id: String(deriveSeed(author)),
    created_at: new Date(at).toISOString(),
    public_metrics: {
      retweet_count: Math.floor(likes / 7),
      reply_count: Math.floor(likes / 11),
      like_count: likes,
      quote_count: Math.floor(likes / 40),
    },
    entities: {
      cashtags: [...text.matchAll(/\$([A-Za-z][A-Za-z0-9]*)/g)].map((match) => ({
        start: match.index,
        end: match.index + match[0].length,
        tag: match[1],
      })),
    },
  };
}

/** Opens the simulator: `GET /2/tweets/search/recent`, newest first, paged by token. */
export async function createSocialSimulator(options: SocialSimulatorOptions) {
  const { market, stories, clock } = options;
  const seeds = market.assets.map(({ symbol }) => [symbol, deriveSeed(`${options.seed}/social/${symbol}`)] as const);
  const own: Post[] = [];
  let window = 0;
  let used = 0;

  function postsBetween(from: EpochMs, to: EpochMs): Post[] {
    const found = [
      ...own,
      ...stories.rumors(from, to).map(({ symbol, at, text }) => createPost(at, mixed(deriveSeed(symbol), Math.floor(at / 1000)), text)),
    ];
    for (let hour = Math.floor(from / HOUR_MS); hour * HOUR_MS < to; hour++) {
      for (const [symbol, seed] of seeds) {
        if (uniform(seed, hour) >= POST_CHANCE) continue;
        const at = hour * HOUR_MS + Math.floor(uniform(seed ^ 1, hour) * HOUR_MS);
        const movePct = (market.value(symbol, at) / market.value(symbol, at - HOUR_MS) - 1) * 100;
        found.push(createPost(at, mixed(seed, hour), words(symbol, movePct, uniform(seed ^ 2, hour))));
      }
    }
    return found.filter(({ at }) => at >= from && at < to).sort((a, b) => (older(a.id, b.id) ? 1 : -1));
  }

  function search(query: URLSearchParams, limits: Readonly<Record<string, string>>, now: EpochMs): SimulatorReply {
    const tags = new Set([...(query.get('query') ?? '').matchAll(/\$([A-Za-z0-9]+)/g)].map(([, tag = '']) => tag.toUpperCase()));
    const size = Math.min(100, Math.max(10, Number(query.get('max_results') ?? 10) || 10));
    const sinceId = query.get('since_id') ?? '0';
    const before = query.get('next_token');
    if (tags.size === 0 || !/^\d+$/.test(sinceId))
      return {
        status: 400,
        headers: limits,
        body: { title: 'Invalid Request', status: 400, detail: 'One or more parameters to your request was invalid.' },
      };
    const since = Math.max(now - SEARCHED_MS, Number(BigInt(sinceId) >> 22n) + ID_EPOCH);
    const found = postsBetween(since, now + 1).filter(
      ({ id, text }) =>
        older(sinceId, id) &&
        (before === null || older(id, before)) &&
        [...text.matchAll(/\$([A-Za-z0-9]+)/g)].some(([, tag = '']) => tags.has(tag.toUpperCase())),
    );
    const page = found.slice(0, size);
    const authors = [...new Set(page.map(({ author }) => author))];
    return {
      status: 200,
      headers: limits,
      body:
        page.length === 0
          ? { meta: { result_count: 0 } }
          : {
              data: page.map((one) => tweet(one, now)),
              includes: { users: authors.map((username) => ({ id: String(deriveSeed(username)), name: username, username })) },
              meta: {
                newest_id: page[0]?.id,
                oldest_id: page.at(-1)?.id,
                result_count: page.length,
                ...(found.length > page.length ? { next_token: page.at(-1)?.id } : {}),
              },
            },
    };
  }

  const simulator = await createHttpSimulator({
    clock,
    faults: options.faults ?? createFaultSwitch(),
    port: options.port,
    reply: ({ path, query, headers }) => {
      const now = clock.now();
      if (options.bearer !== undefined && headers['authorization'] !== `Bearer ${options.bearer}`)
        return { status: 401, body: { title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' } };
      if (path !== '/2/tweets/search/recent') return { status: 404, body: { title: 'Not Found', status: 404 } };
      if (Math.floor(now / WINDOW_MS) !== window) [window, used] = [Math.floor(now / WINDOW_MS), 0];
      used++;
      const limits = {
        'x-rate-limit-limit': String(PER_WINDOW),
        'x-rate-limit-remaining': String(Math.max(0, PER_WINDOW - used)),
        'x-rate-limit-reset': String(((window + 1) * WINDOW_MS) / 1000),
      };
      if (used > PER_WINDOW)
        return { status: 429, headers: limits, body: { title: 'Too Many Requests', status: 429, detail: 'Too Many Requests' } };
      return search(query, limits, now);
    },
  });
  return {
    ...simulator /** Posts a text now. */,
    post: (text: string, author?: string) => void own.push(createPost(clock.now(), mixed(deriveSeed(text), own.length), text, author)),
  };
}

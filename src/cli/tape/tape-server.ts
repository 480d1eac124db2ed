/** Server of a recorded tape on loopback, without a database: the feed and the reads of the API over replayed time. */
import { createRateLimits } from '../../../api/http/rate-limits.ts';
import { buildReplayApi } from '../../../api/replay.ts';
import { createReplayedMarket } from '../../../api/v1/replay/replayed-market.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { listeningUrl, listenRefusal } from '../../adapters/process/listen-refusal.ts';
import { createMetrics } from '../../adapters/log/metrics.ts';
import { createNewIds } from '../../adapters/new-ids.ts';
import { createInProcessMarketStateBus } from '../../adapters/queue/market-state-bus.ts';
import { createInProcessQuoteBus, createQuoteReads } from '../../adapters/queue/quote-bus.ts';
import { tapeFolder } from '../../adapters/tape/tape-folder.ts';
import { TERMINAL } from '../../adapters/terminal-files.ts';
import { TapeDeck, type TapeDeckOptions } from '../../simulation/tape-deck.ts';

export interface TapeServerOptions extends Pick<TapeDeckOptions<never>, 'from' | 'to' | 'speed' | 'loop' | 'progress' | 'onFailure'> {
  /** First tape. Others of its folder may be loaded. */
  readonly file: string;
  /** True if the replay stays paused at the beginning. */
  readonly paused: boolean;
  /** Port on loopback; 0 takes any free one. */
  readonly port: number;
  readonly version: string;
  readonly clock: Clock;
}

export type TapeServer = Awaited<ReturnType<typeof startTapeServer>>;

const HOST = '127.0.0.1';

/** Starts the server. @throws Error if the tape cannot be played or the port cannot be opened */
export async function startTapeServer(options: TapeServerOptions) {
  const { clock, onFailure } = options;
  let onMoved = (): void => {};
  const { shelf, name } = tapeFolder(options.file);
  const deck = await TapeDeck.open(name, {
    ...options,
    shelf,
    pace: clock,
    sinks: () => ({ prices: createInProcessQuoteBus({ clock }), states: createInProcessMarketStateBus({ clock }) }),
    onMoved: () => onMoved(),
  });
  const market = createReplayedMarket(() => deck.loaded, createQuoteReads, clock);
  const server = await buildReplayApi(
    {
      ...market,
      access: { limits: createRateLimits() },
      operation: {
        newRequestId: createNewIds(clock),
        readiness: async () => ({ ready: true, parts: [] }),
        metrics: createMetrics(),
        isUnavailable: () => false,
        reportDefect: onFailure,
      },
      replay: deck,
      feed: { ...market.feed, reportDefect: onFailure },
    },
    { version: options.version, terminal: TERMINAL },
  );
  onMoved = () => {
    market.follow();
    server.renew();
  };
  if (!options.paused) await deck.play();
  try {
    await server.app.listen({ host: HOST, port: options.port });
  } catch (error) {
    await deck.close();
    await server.app.close();
    throw listenRefusal(error, HOST, options.port, 'PORT');
  }
  const { from, to } = deck.state();
  return {
    url: listeningUrl(server.app.server, HOST, options.port),
    info: deck.loaded.contents,
    from,
    to,
    async stop() {
      await server.app.close();
      await deck.close();
    },
  };
}

/** Ports of the backtest preview. Boot supplies them. */
import type { Preview } from '../../../src/domain/backtest/preview.ts';
import type { BacktestRequest } from '../../../src/domain/backtest/request.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';

export interface PreviewPorts {
  /** Number of bar series that a manifest reads on a timeframe. */
  seriesOf(manifest: Manifest): number;
  /** Works a preview out off the main loop within its time; ends early with the signal. */
  run(
    asked: { readonly orgId: string; readonly subject: string; readonly manifest: Manifest; readonly request: BacktestRequest },
    signal: AbortSignal,
  ): Promise<Preview>;
}

/** Trading workspace of a replay: what a tape holds, without trading. */
import type { Workspace } from '../dock.tsx';
import { PANELS } from '../panels.tsx';

export const REPLAY: Workspace = {
  name: 'replay',
  panels: { watchlist: PANELS.watchlist, chart: PANELS.chart },
  arrange(api, add) {
    const chart = add('chart');
    const watchlist = add('watchlist', { direction: 'left', referencePanel: chart });
    watchlist.api.setSize({ width: Math.max(240, Math.round(api.width * 0.24)) });
  },
};

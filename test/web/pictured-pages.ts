/** Pages pictured in the README, and the names of their files. */

export const SCHEMES = ['dark', 'light'] as const;

/** `:agent` stands for the agent that has traded, `step` is one of its past; `ready` selects what is there once the page is drawn. */
export const PICTURED_PAGES = [
  { name: 'overview', address: '#/home', step: null, ready: '[data-agent] .sparkline, [data-agent] [title$="USD"]' },
  { name: 'agent', address: '#/agents/:agent', step: null, ready: '.candle-place[data-bars] canvas' },
  { name: 'time-travel', address: '#/actors/:agent', step: 5_001, ready: '[data-account="5001"]' },
] as const;

/** `overview-dark.png`, in `docs/pictures/`. */
export function pictureFile(name: string, scheme: (typeof SCHEMES)[number]): string {
  return `${name}-${scheme}.png`;
}

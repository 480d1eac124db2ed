/** Pages pictured in the README, and the names of their files. */

export const SCHEMES = ['dark', 'light'] as const;

/** `:agent` stands for the agent that has traded. `ready` selects an element that exists once the page is drawn. */
export const PICTURED_PAGES = [
  { name: 'trade', address: '#/trade', ready: '[data-position] .num' },
  { name: 'agent', address: '#/agents/:agent/decisions', ready: 'tr[data-decision]' },
  { name: 'time-travel', address: '#/actors/:agent/5001', ready: '[data-account="5001"]' },
] as const;

/** Returns the file name in `docs/pictures/`, such as `trade-dark.png`. */
export function pictureFile(name: string, scheme: (typeof SCHEMES)[number]): string {
  return `${name}-${scheme}.png`;
}

/** Icons of the six groups, and the star. */
import type { PageGroup } from '../pages.ts';

const PATHS: Record<PageGroup['name'], string> = {
  Trade: 'M4 16V9M4 7V4M4 9h0M10 20v-4M10 12V6M16 14V4M16 20v-2M2.500 9h3v7h-3zM8.500 12h3v4h-3zM14.500 8h3v6h-3z',
  Agents: 'M10 3v3M5 8h10v8H5zM3 11v3M17 11v3M8 11.500h.01M12 11.500h.01M8 14h4',
  Research: 'M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3zM13.500 13.500 18 18M6.500 10l2-2 1.500 1.500L12 7.500',
  Market: 'M3 8l1-4h12l1 4M3 8v9h14V8M3 8a2.300 2.300 0 0 0 4.700 0 2.300 2.300 0 0 0 4.600 0A2.300 2.300 0 0 0 17 8M8 17v-4h4v4',
  Portfolio: 'M3 7h14v10H3zM7 7V4h6v3M3 11h14M10 10v2',
  Operate: 'M3 10h3l2-6 4 12 2-6h3',
};

export const GroupIcon = ({ name }: { readonly name: PageGroup['name'] }) => (
  <svg
    viewBox="0 0 20 20"
    width="20"
    height="20"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.400"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} strokeLinecap="round" />
  </svg>
);

export const StarIcon = () => (
  <svg viewBox="0 0 20 20" width="12" height="12" fill="currentColor" aria-hidden="true">
    <path d="M10 1.500l2.600 5.400 5.900.800-4.300 4.100 1 5.900L10 14.900l-5.200 2.800 1-5.900L1.500 7.700l5.900-.800z" />
  </svg>
);

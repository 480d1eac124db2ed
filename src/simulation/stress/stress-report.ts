/** Stress test report: one section per scenario, with every run's equity curve and the findings. */
import { executionInWords } from '../../domain/manifest/execution-words.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { FREEZE_HAIRCUT_ABOVE_POOL_PCT, FREEZE_HAIRCUT_PCT, STRESS_SCENARIOS, type StressScenario } from './scenario.ts';
import type { StressRunReport, StressTestResult } from './stress-run.ts';

/** Escapes a text for HTML. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Styles of every report: light and dark colors, and tables that scroll horizontally on a phone. */
const FRAME = `
:root{color-scheme:light dark;--page:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--own:#0b57d0;--other:#8a6d00;--bad:#b3261e;--good:#146c2e;--severe:#b35900}
@media screen and (prefers-color-scheme:dark){:root{--page:#0c1014;--ink:#e7ecf1;--soft:#9aa7b4;--line:#2a343e;--own:#86b6ff;--other:#e8cf6a;--bad:#ff8a80;--good:#5fd38d;--severe:#ffb454}}
body{color:var(--ink);background:var(--page)}
@media screen and (max-width:720px){body{padding:12px!important;margin:0!important}table{display:block;max-width:100%;overflow-x:auto}}
`;

/** Returns a whole page. `title` is plain text; `style` and `body` are inserted unescaped. */
function reportPage({ title, style, body }: { readonly title: string; readonly style: string; readonly body: string }): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title><style>${FRAME}${style}</style></head><body>
${body}
</body></html>
`;
}

/** Cell or column head: HTML inserted unescaped, optionally with a class. */
type Cell = string | number | { readonly html: string | number; readonly as: string };

function cells(tag: 'td' | 'th', row: readonly Cell[]): string {
  return row
    .map((cell) => (typeof cell === 'object' ? `<${tag} class="${cell.as}">${cell.html}</${tag}>` : `<${tag}>${cell}</${tag}>`))
    .join('');
}

/** Returns a table with a head. `as` is its class. */
function table(columns: readonly Cell[], rows: readonly (readonly Cell[])[], as?: string): string {
  const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('');
  return `<table${as === undefined ? '' : ` class="${as}"`}><thead><tr>${cells('th', columns)}</tr></thead><tbody>${body}</tbody></table>`;
}

/** Returns the `d` attribute of a path through points, to a tenth of a unit. */
function pathThrough(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], place) => `${place === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
}

const TITLES: Readonly<Record<StressScenario, readonly [title: string, story: string]>> = {
  flash_crash: [
    'Flash crash',
    'Prices fall within four minutes on thin books, rest at the bottom for three, and most of it comes back within the hour. The reference follows in part.',
  ],
  weekend_gap: [
    'Weekend opening gap',
    'From Friday afternoon to Monday noon in New York. The reference rests from Friday’s close on; at Monday’s open share and token stand lower from one quote to the next.',
  ],
  liquidity_freeze: [
    'Liquidity freeze',
    `The book empties for two minutes, then nothing is quoted at all; the first quotes after the thaw stand lower, on thin pools. A position above ${FREEZE_HAIRCUT_ABOVE_POOL_PCT} % of its pool is marked ${FREEZE_HAIRCUT_PCT} % lower.`,
  ],
  reference_depeg: [
    'Reference de-peg',
    'The reference first doubts itself and freezes, then is whole again while the token leaves it for hours and finds back half way.',
  ],
};

const WIDTH = 720;
const HEIGHT = 180;
const LEFT = 64;
const BOTTOM = 22;
/** Minutes before the shock at which the chart begins. A quiet weekend shows little. */
const MINUTES_BEFORE = 90;
const COLOURS: Readonly<Record<string, string>> = { standard: 'var(--own)', severe: 'var(--severe)' };

const STYLE =
  'body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:780px;padding:0 1rem}table{border-collapse:collapse;font-size:13px}td,th{padding:2px 10px 2px 0;text-align:left;vertical-align:top}svg{max-width:100%;height:auto}.dead{color:var(--bad)}.alive{color:var(--good)}';

/** Returns the sections of a stress test for a page with its own head. Equal results give equal texts. */
function stressReportSections(result: StressTestResult, manifest: Manifest): string {
  const limitPct = manifest.maxDailyDrawdownPct;
  return STRESS_SCENARIOS.flatMap((scenario) => {
    const runs = result.runs.filter((run) => run.scenario === scenario);
    return runs.length === 0 ? [] : [section(scenario, runs, limitPct)];
  }).join('\n');
}

/** Returns the report as a page. */
export function stressReportPage(result: StressTestResult, manifest: Manifest): string {
  const verdict = result.survived ? 'The agent survives.' : 'The agent does not survive.';
  const title = `Stress test of ${manifest.name}`;
  const markets = result.markets.map(({ key, level, minuteVolatility, liquidityUsd, basis }): Cell[] => [
    escaped(key),
    level.toPrecision(6),
    `${(minuteVolatility * Math.sqrt(525_600) * 100).toFixed(1)} %`,
    liquidityUsd === null ? 'order book' : liquidityUsd.toFixed(0),
    basis,
  ]);
  const body = `<h1>${escaped(title)}</h1>
<p class="${result.survived ? 'alive' : 'dead'}"><strong>${verdict}</strong></p>
${stressReportSections(result, manifest)}
${ordersSection(manifest)}<section><h2>The markets it was tested in</h2>
<p>Level and volatility are those of the recent history where there is one, otherwise assumed by kind. All prices are simulated.</p>
${table(['Instrument', 'Level', 'Volatility a year', 'Pool in US dollars', 'From'], markets)}
<p>Result hash <code>${result.resultHash}</code></p></section>`;
  return reportPage({ title, style: STYLE, body });
}

/** Describes the execution of orders; empty if every order takes at once. */
function ordersSection(manifest: Manifest): string {
  if (manifest.algorithm === 'taker_immediate') return '';
  const sentences = executionInWords(manifest).map((sentence) => `<li>${escaped(sentence)}</li>`);
  return `<section><h2>How its orders went</h2><ul>${sentences.join('')}</ul></section>\n`;
}

function section(scenario: StressScenario, runs: readonly StressRunReport[], limitPct: number): string {
  const [title, story] = TITLES[scenario];
  const rows = runs.map((run): Cell[] => {
    const findings = run.findings.length === 0 ? 'none' : run.findings.map(escaped).join('<br>');
    const held = [...run.ownPositions.map((key) => escaped(key)), ...run.forcedPositions.map((key) => `${escaped(key)} (given)`)].join(
      '<br>',
    );
    const outcome = run.survived ? { html: 'survived', as: 'alive' } : { html: 'died', as: 'dead' };
    const { severity, seed, fills, refusedWhileFrozen } = run;
    const loss = `${run.lossPct.toFixed(2)} %`;
    return [severity, seed, outcome, loss, fills, refusedWhileFrozen, run.flatAfterMinutes ?? 'never', held || 'nothing', findings];
  });
  return `<section><h2>${title}</h2>
<p>${escaped(story)}</p>
${drawing(runs, limitPct)}
${table(COLUMNS, rows)}</section>`;
}

const COLUMNS = [
  'Severity',
  'Seed',
  'Outcome',
  'Deepest loss',
  'Fills',
  'Refused in the freeze',
  'Flat after minutes',
  'Held at the shock',
  'Findings',
];

/** Draws each run's equity in the minutes around the shock, with the loss limit. */
function drawing(runs: readonly StressRunReport[], limitPct: number): string {
  const start = Number(runs[0]?.startEquityUsd ?? 1);
  const shown = runs.map((run) =>
    run.curve.filter(([minute]) => minute >= -MINUTES_BEFORE).map(([minute, usd]) => [minute, Number(usd)] as const),
  );
  const points = shown.flat();
  const dead = start * (1 - limitPct / 100);
  const from = Math.min(...points.map(([minute]) => minute));
  const to = Math.max(...points.map(([minute]) => minute));
  const low = Math.min(dead, ...points.map(([, usd]) => usd));
  const high = Math.max(start, ...points.map(([, usd]) => usd));
  const pad = (high - low || 1) * 0.05;
  const toX = (minute: number): number => LEFT + ((minute - from) / (to - from || 1)) * (WIDTH - LEFT - 8);
  const toY = (usd: number): number => 8 + ((high + pad - usd) / (high - low + 2 * pad)) * (HEIGHT - BOTTOM - 8);
  const [x, y] = [(minute: number): string => toX(minute).toFixed(1), (usd: number): string => toY(usd).toFixed(1)];
  const lines = runs.map((run, index) => {
    const path = pathThrough((shown[index] ?? []).map(([minute, usd]) => [toX(minute), toY(usd)]));
    return `<path d="${path}" fill="none" stroke="${COLOURS[run.severity] ?? 'var(--soft)'}" stroke-width="1.3"><title>${run.severity}, seed ${run.seed}</title></path>`;
  });
  const label = (usd: number, word: string): string =>
    `<text x="4" y="${Number(y(usd)) + 4}" font-size="10" fill="var(--soft)">${usd.toFixed(0)}${word}</text>`;
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Equity of ${runs.length} runs around the shock">
<line x1="${x(0)}" x2="${x(0)}" y1="4" y2="${HEIGHT - BOTTOM}" stroke="var(--soft)" stroke-dasharray="2 3"/>
<line x1="${LEFT}" x2="${WIDTH - 8}" y1="${y(dead)}" y2="${y(dead)}" stroke="var(--bad)" stroke-dasharray="5 3"/>
${lines.join('\n')}
${label(start, '')}${label(dead, ' †')}
<text x="${x(0)}" y="${HEIGHT - 8}" font-size="10" fill="var(--soft)" text-anchor="middle">shock</text>
<text x="${WIDTH - 8}" y="${HEIGHT - 8}" font-size="10" fill="var(--soft)" text-anchor="end">+${to} min</text>
</svg>`;
}

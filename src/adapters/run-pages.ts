/**
 * Builds the report of a backtest or sweep as one HTML file with the terminal's modules, charts and styles and the result. The file loads
 * nothing.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { EvaluationView } from '../../actors/evaluation/commands.ts';

/** Data of `web/report/report-file.js`. */
export interface ReportData {
  readonly evaluation: 'backtest' | 'sweep';
  /** Plain text: the name of the agent or manifest. */
  readonly title: string;
  /** Version of the agent's manifest; null for a manifest without an agent. */
  readonly manifestVersion: number | null;
  readonly resultHash: string;
  readonly summary: unknown;
  readonly result: unknown;
}

/** Page and a content security policy that permits only its own script. */
export interface ReportPage {
  readonly page: string;
  readonly policy: string;
}

interface KeptReport {
  readonly name: string;
  readonly result: string;
  readonly report: string | null;
  readonly resultHash: string;
}

interface Frame {
  readonly script: string;
  readonly style: string;
}

const FOLDER = new URL('../../web/report/', import.meta.url);
const STYLES = ['page.css', 'report.css'];
let frame: Promise<Frame> | null = null;

/** Builds the page. Deterministic, byte for byte. @throws Error if a module of the report does not compile */
export async function simulationPage(data: ReportData): Promise<ReportPage> {
  frame ??= readFrame();
  const { script, style } = await frame;
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const title = `${data.evaluation === 'sweep' ? 'Sweep' : 'Backtest'}: ${data.title}`.replace(
    /[&<>"']/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
  // `<` would let a text end the script.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title><style>${style}</style></head><body>
<main id="report"><noscript>The report needs JavaScript. Its numbers are in the script named data.</noscript></main>
<script type="application/json" id="data">${json}</script>
<script>${script}</script>
</body></html>
`;
  return { page, policy };
}

/**
 * Creates the pages of finished runs. A stress test stores its page; other pages are built from the result; an agreement has none. @param
 * reads reads of one organization's runs
 */
export function createRunPages(reads: {
  find(orgId: string, agentId: string, runId: string): Promise<EvaluationView | null>;
  report(orgId: string, agentId: string, runId: string): Promise<KeptReport | null>;
}) {
  /** Returns the page of a finished run and its content security policy; a null policy permits no script. */
  return async (
    orgId: string,
    agentId: string,
    runId: string,
  ): Promise<{ readonly page: string; readonly policy: string | null } | null> => {
    const [run, kept] = await Promise.all([reads.find(orgId, agentId, runId), reads.report(orgId, agentId, runId)]);
    if (run === null || kept === null) return null;
    const { evaluation, manifestVersion, summary } = run;
    if (evaluation === 'agreement') return null;
    if (evaluation === 'stress_test') return kept.report === null ? null : { page: kept.report, policy: null };
    return simulationPage({
      evaluation,
      title: kept.name,
      manifestVersion,
      resultHash: kept.resultHash,
      summary,
      result: JSON.parse(kept.result),
    });
  };
}

export type RunPages = ReturnType<typeof createRunPages>;

/** Reads the report's modules and styles into one script and one style sheet. */
async function readFrame(): Promise<Frame> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('report-file.js', FOLDER))],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    charset: 'ascii',
    legalComments: 'inline',
    logLevel: 'silent',
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('the modules of the report produced no output');
  return { script: file.text, style: STYLES.map((name) => readFileSync(new URL(name, FOLDER), 'utf8')).join('\n') };
}

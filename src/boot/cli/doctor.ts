/** `sevengate doctor`: what this machine and its settings offer, and what is wrong with them. */
import type { Command } from 'commander';
import { examineMachine, type Finding } from '../../adapters/machine-check.ts';
import { isConfig, readConfig } from '../config.ts';

/** Adds `doctor`. Anything wrong sets exit code 1. */
export function doctorCommand(command: Command): void {
  command.option('--json', 'print the findings as JSON').action(async (options: { json?: boolean }) => {
    const findings = await examine();
    const ok = findings.every((finding) => finding.ok);
    if (options.json) process.stdout.write(`${JSON.stringify({ ok, findings })}\n`);
    else
      for (const { what, ok: fine, detail } of findings) process.stdout.write(`${fine ? 'ok   ' : 'WRONG'} ${what.padEnd(13)} ${detail}\n`);
    if (!ok) process.exitCode = 1;
  });
}

async function examine(): Promise<Finding[]> {
  const node: Finding = { what: 'Node.js', ok: true, detail: `${process.version} on ${process.platform} ${process.arch}` };
  const config = readConfig(process.env);
  if (!isConfig(config)) return [node, ...config.map(({ variable, sentence }) => ({ what: variable, ok: false, detail: sentence }))];
  const understood: Finding = { what: 'settings', ok: true, detail: 'every setting is understood' };
  return [node, understood, ...(await examineMachine(config, process.env['PATH'] ?? ''))];
}

/** `sevengate doctor`: checks this machine and its settings. */
import type { Command } from 'commander';
import type { Service } from '../ports.ts';

/** Adds `doctor`. Any problem sets exit code 1. */
export function doctorCommand(command: Command, service: Service): void {
  command.option('--json', 'print the findings as JSON').action(async (options: { json?: boolean }) => {
    const { examine } = await import('./doctor-run.ts');
    const findings = await examine(service);
    const ok = findings.every((finding) => finding.ok);
    if (options.json) process.stdout.write(`${JSON.stringify({ ok, findings })}\n`);
    else
      for (const { what, ok: fine, detail } of findings) process.stdout.write(`${fine ? 'ok   ' : 'WRONG'} ${what.padEnd(13)} ${detail}\n`);
    if (!ok) process.exitCode = 1;
  });
}

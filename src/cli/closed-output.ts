/**
 * Behavior of a command whose output has no reader any more, as after `sevengate agents list
 * head`.
 */

/** Exit code that a shell reports for a program that wrote to a closed pipe. */
export const CLOSED_PIPE_CODE = 141;

/**
 * Ends a command silently if the reader of its standard output is gone. The service continues, because only its ready line had a reader
 * and its agents hold positions. A closed standard error ends neither.
 * @param goesOn true for the service
 */
export function watchOutput(
  { stdout, stderr }: { readonly stdout: NodeJS.EventEmitter; readonly stderr: NodeJS.EventEmitter },
  goesOn: boolean,
  exit: (code: number) => void,
): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (!goesOn) exit(CLOSED_PIPE_CODE);
  });
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

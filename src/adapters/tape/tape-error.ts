/** What is wrong with a tape, and where. */

/** Refuses a tape or a recording. The message names the file, the place, what was wrong and what would be right. */
export class TapeError extends Error {
  readonly file: string;
  /** `line 7`, `block 3 at byte 8192`; empty where the file as a whole is meant. */
  readonly place: string;

  constructor(file: string, place: string, problem: string) {
    super(place === '' ? `${file} ${problem}` : `${file}, ${place}: ${problem}`);
    this.name = 'TapeError';
    this.file = file;
    this.place = place;
  }
}

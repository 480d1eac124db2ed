/** Error of a tape or recording. The message names the file, the place, the fault and what is expected. */
export class TapeError extends Error {
  readonly file: string;
  /** Place such as `line 7` or `block 3 at byte 8192`; empty for the whole file. */
  readonly place: string;

  constructor(file: string, place: string, problem: string) {
    super(place === '' ? `${file} ${problem}` : `${file}, ${place}: ${problem}`);
    this.name = 'TapeError';
    this.file = file;
    this.place = place;
  }
}

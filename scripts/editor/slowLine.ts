import { Transform } from 'node:stream';

/** Passes on what it is given, in order, each piece so many milliseconds after it came. */
export function slowLine(delayMs: number): Transform {
	return new Transform({
		transform(piece, _encoding, done) {
			setTimeout(() => this.destroyed || this.push(piece), delayMs);
			done();
		},
		flush(done) {
			setTimeout(done, delayMs);
		},
	});
}

import { Transform } from 'node:stream';

/** Passes on data in order, each piece a fixed number of milliseconds after its arrival. */
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

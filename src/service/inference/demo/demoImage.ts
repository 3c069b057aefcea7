// The image that the demo returns for a prompt: a pattern derived from the prompt, and words that say what it is.
import { createHash } from 'node:crypto';
import { type Colour, encodePng } from '../../images/png.ts';

const SIZE = 256;
const SHADES = 8;
const WORDS = ['ERRAND DEMO', 'NO MODEL'];
const SCALE = 3;
const LETTER_WIDTH = 5;
const LETTER_HEIGHT = 7;
const PALETTE_INK = SHADES;

/** Each number is a row of five pixels; the highest bit is the leftmost pixel. */
const LETTERS: Readonly<Record<string, readonly number[]>> = {
	A: [14, 17, 17, 31, 17, 17, 17],
	D: [30, 17, 17, 17, 17, 17, 30],
	E: [31, 16, 16, 30, 16, 16, 31],
	L: [16, 16, 16, 16, 16, 16, 31],
	M: [17, 27, 21, 21, 17, 17, 17],
	N: [17, 25, 21, 19, 17, 17, 17],
	O: [14, 17, 17, 17, 17, 17, 14],
	R: [30, 17, 17, 30, 20, 18, 17],
};

/** Returns a PNG, which is the same for the same prompt. */
export function demoImage(prompt: string): Buffer<ArrayBuffer> {
	const hash = createHash('sha256').update(prompt).digest().readUInt32BE();
	const pixels = new Uint8Array(SIZE * SIZE);
	const [across, down] = [1 + (hash % 5), 1 + ((hash >>> 8) % 5)];
	for (let row = 0; row < SIZE; row++) {
		for (let column = 0; column < SIZE; column++) {
			pixels[row * SIZE + column] = ((column * across + row * down) >>> 6) % SHADES;
		}
	}
	for (const [line, words] of WORDS.entries()) {
		const top = SIZE / 2 + (line - WORDS.length / 2) * (LETTER_HEIGHT + 3) * SCALE;
		write(pixels, words, Math.trunc((SIZE - words.length * (LETTER_WIDTH + 1) * SCALE) / 2), top);
	}
	return encodePng(SIZE, pixels, paletteOf(hash));
}

function write(pixels: Uint8Array, words: string, left: number, top: number): void {
	for (const [place, letter] of [...words].entries()) {
		for (const [row, bits] of (LETTERS[letter] ?? []).entries()) {
			for (let column = 0; column < LETTER_WIDTH; column++) {
				if ((bits & (1 << (LETTER_WIDTH - 1 - column))) !== 0) {
					const x = left + (place * (LETTER_WIDTH + 1) + column) * SCALE;
					fillSquare(pixels, x, top + row * SCALE);
				}
			}
		}
	}
}

function fillSquare(pixels: Uint8Array, left: number, top: number): void {
	for (let row = top; row < top + SCALE; row++) {
		pixels.fill(PALETTE_INK, row * SIZE + left, row * SIZE + left + SCALE);
	}
}

/** Returns light shades of one hue, and an ink that is dark enough to be legible on all of them. */
function paletteOf(hash: number): Colour[] {
	const tint = [hash & 0x3f, (hash >>> 6) & 0x3f, (hash >>> 12) & 0x3f];
	const shade = (index: number): Colour => {
		const [red = 0, green = 0, blue = 0] = tint.map(
			part => 255 - Math.trunc((part * (index + 1)) / SHADES) - 8 * index,
		);
		return [red, green, blue];
	};
	return [...Array.from({ length: SHADES }, (_, index) => shade(index)), [20, 20, 30]];
}

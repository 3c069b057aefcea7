// Gives hostile inputs to the readers of foreign data. What a target demands of an input, it asserts by itself; here is
// what holds for all of them. A run with the same seed has the same inputs.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseJson } from '../../src/base/json.ts';
import { processorLaps } from '../support/processorTime.ts';
import { seededRandom } from '../support/upstreamServer.ts';
import { mutate, pick } from './mutate.ts';

/** Code that reads foreign data. */
export interface Target {
	/** Also that of its folder in the corpus, and of the file with the words that mean something to it. */
	name: string;
	/** The number of inputs in the gate, which take about half a second. */
	iterations: number;
	/** The longest input in bytes; 64 KB by default. */
	maximumLength?: number;
	/**
	 * Throws if something does not hold. Returns a text of what was read, if it can be put shortly: an input that gives a
	 * new one is changed further.
	 */
	run(input: Buffer): unknown;
	/** Ends what `run` has started. */
	stop?(): Promise<void>;
}

export interface FuzzOptions {
	seed: number;
	/** Returns whether to go on after so many inputs. */
	goesOn(count: number): boolean;
}

const CORPUS = path.join(import.meta.dirname, 'corpus');
const WORDS = path.join(import.meta.dirname, 'words');
const FOUND = path.join(import.meta.dirname, '../../test-output/fuzz');

const MAXIMUM_LENGTH = 64 * 1024;
/** The processor time that no input may take, in milliseconds: many times what the slowest good one takes. */
const MAXIMUM_MS = 1_000;
/** The inputs that have given something new, and their length in bytes, as long ones take long. */
const MAXIMUM_POOL = 400;
const MAXIMUM_KEPT = 8_000;
const MAXIMUM_TRIES = 400;

/** Returns the kept inputs of a target by their names. */
export function corpusOf({ name }: Pick<Target, 'name'>): Map<string, Buffer> {
	const files = globSync('*', { cwd: path.join(CORPUS, name) }).sort();
	assert.ok(files.length > 0, `There is no corpus of ${name}.`);
	return new Map(files.map(file => [file, readFileSync(path.join(CORPUS, name, file))]));
}

/** Reads a list of words, one in each line and with the escapes of JSON. */
const wordsOf = (name: string): string[] =>
	readFileSync(path.join(WORDS, name), 'utf8')
		.split('\n')
		.slice(0, -1)
		.map(word => JSON.parse(`"${word}"`));

/**
 * Gives a target its corpus, and then changed inputs. Resolves with their number. Rejects at the first that fails, with
 * the name of its file.
 */
export async function fuzz(target: Target, { seed, goesOn }: FuzzOptions): Promise<number> {
	const corpus = corpusOf(target);
	const inputs = [...corpus.values()];
	const seen = new Set<string>();
	const { maximumLength = MAXIMUM_LENGTH } = target;
	const words = [...wordsOf(target.name), ...wordsOf('all')];
	for (const [file, input] of corpus) {
		try {
			seen.add(await outcomeOf(target, input));
		} catch (error) {
			throw new Error(`${target.name} fails with ${file} of its corpus: ${sentenceOf(error)}`, { cause: error });
		}
	}
	let count = 0;
	for (; goesOn(count); count++) {
		const random = seededRandom(seed * 1_000_003 + count);
		const input = mutate(random, { inputs, words, maximumLength });
		try {
			const outcome = await outcomeOf(target, input);
			if (!seen.has(outcome) && input.length <= MAXIMUM_KEPT) {
				seen.add(outcome);
				const isFull = inputs.length >= MAXIMUM_POOL;
				inputs[isFull ? corpus.size + Math.floor(random() * (MAXIMUM_POOL - corpus.size)) : inputs.length] = input;
			}
		} catch (error) {
			if (isOfSchemas(error)) {
				continue;
			}
			const file = keep(target, await smallestOf(target, input, error));
			throw new Error(
				`${target.name} fails with seed ${seed} at input ${count}: ${sentenceOf(error)}\nThe smallest form found is ${file}. Once that is mended, it belongs into test/fuzz/corpus/${target.name}.`,
				{ cause: error },
			);
		}
	}
	return count;
}

/** The schemas compare the `length` of any value, which fails for an object whose `toString` is no function. */
const isOfSchemas = (error: unknown): boolean =>
	error instanceof TypeError && /\/zod\/v4\/core\/checks\./.test(error.stack ?? '');

function keep({ name }: Target, input: Buffer): string {
	const file = path.join(FOUND, `${name}-${createHash('sha256').update(input).digest('hex').slice(0, 8)}`);
	mkdirSync(FOUND, { recursive: true });
	writeFileSync(file, input);
	return file;
}

/** Runs one input. Resolves with the outcome in a short form. */
async function outcomeOf(target: Target, input: Buffer): Promise<string> {
	const before = prototypes();
	let lap = processorLaps();
	let outcome = await target.run(input);
	let time = lap();
	if (time > MAXIMUM_MS) {
		// The compiler may have been at fault.
		lap = processorLaps();
		outcome = await target.run(input);
		time = lap();
	}
	assert.ok(time <= MAXIMUM_MS, `it takes ${Math.round(time)} ms`);
	assert.equal(prototypes(), before, 'it changes what all objects have');
	return String(outcome ?? '').slice(0, 500);
}

const prototypes = (): string =>
	[Object, Array, String, Number, Function].flatMap(({ prototype }) => Reflect.ownKeys(prototype).map(String)).join();

const sentenceOf = (error: unknown): string =>
	error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Failures are the same if their first lines are, but for numbers and what is quoted. */
const kindOf = (error: unknown): string =>
	sentenceOf(error)
		.split('\n', 1)[0]
		?.replace(/\d+|'.*'|".*"/g, '') ?? '';

/** Takes parts out of an input as long as it fails in the same way. */
async function smallestOf(target: Target, input: Buffer, error: unknown): Promise<Buffer> {
	const kind = kindOf(error);
	const tries = /takes {2}ms/.test(kind) ? MAXIMUM_TRIES / 20 : MAXIMUM_TRIES;
	let smallest = input;
	let tried = 0;
	for (let size = input.length >> 1; size > 0 && tried < tries; size >>= 1) {
		for (let at = 0; at < smallest.length && tried < tries; tried++) {
			const shorter = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
			const other = await outcomeOf(target, shorter).then(
				() => undefined,
				(reason: unknown) => kindOf(reason),
			);
			if (other === kind) {
				smallest = shorter;
			} else {
				at += size;
			}
		}
	}
	return smallest;
}

/** Returns what `run` returns, or undefined for an error of one of these classes, which is a documented refusal. */
export function unlessRefused<T>(
	run: () => T,
	...refusals: readonly (new (
		...parameters: never[]
	) => Error)[]
): T | undefined {
	try {
		return run();
	} catch (error) {
		if (refusals.some(refusal => error instanceof refusal)) {
			return undefined;
		}
		throw error;
	}
}

/** Characters that nothing shown may have: they end a line, are drawn by none, or turn the direction of what follows. */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/u;

/** Asserts that a text of foreign origin is fit for a line. */
export function assertLine(text: string, what: string): void {
	assert.ok(
		text.isWellFormed() && !UNSEEN.test(text),
		`${what} has unseen characters: ${JSON.stringify(text.slice(0, 200))}`,
	);
}

/** The same of a text that may have several lines. */
export function assertText(text: string, what: string): void {
	assertLine(text.replaceAll(/[\n\t]/g, ' '), what);
}

/** Splits bytes at places that depend on nothing but them. */
export function piecesOf(input: Buffer, seed = input.length): Buffer[] {
	const random = seededRandom(seed);
	const pieces: Buffer[] = [];
	for (let at = 0; at < input.length; ) {
		const end = at + 1 + Math.floor(random() ** 3 * (pick(random, [4, 40, 4_000]) ?? 1));
		pieces.push(input.subarray(at, end));
		at = end;
	}
	return pieces;
}

/** Parses the JSON of an input. */
export const jsonOf = (input: Buffer): unknown => parseJson(input.toString());

/** The same of each of its lines. */
export const jsonLinesOf = (input: Buffer): unknown[] =>
	input
		.toString()
		.split('\n')
		.map(parseJson)
		.filter(value => value !== undefined);

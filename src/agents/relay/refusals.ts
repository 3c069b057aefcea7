/** The maximum number of different sentences about one kind of refusal. */
const MAXIMUM_REPORTED = 10;

/**
 * Passes on sentences about refusals. An agent may retry the same thing for ever, so each sentence is passed on once,
 * and at most ten of each kind.
 */
export class Refusals {
	private readonly onRefused: (sentence: string) => void;
	private readonly reported = new Map<string, Set<string>>();

	constructor(onRefused: (sentence: string) => void) {
		this.onRefused = onRefused;
	}

	/** `kind` is a word of the caller's choice. The sentence must be fit for a log. */
	report(kind: string, sentence: string): void {
		const known = this.reported.get(kind) ?? new Set();
		this.reported.set(kind, known);
		if (known.size >= MAXIMUM_REPORTED || known.has(sentence)) {
			return;
		}
		known.add(sentence);
		const isLast = known.size === MAXIMUM_REPORTED;
		this.onRefused(isLast ? `${sentence} Further refusals of this kind are not listed.` : sentence);
	}
}

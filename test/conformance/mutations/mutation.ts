/** A small change that breaks the code. */
export interface Mutation {
	/** What is wrong then. */
	what: string;
	/** A file of the project. */
	file: string;
	/** Stands in the file exactly once. */
	from: string;
	to: string;
	/** The files of test/conformance that most likely notice it, without `.test.ts`. They are asked before all others. */
	likely: readonly string[];
	/** Why the change makes no difference to anybody, if it makes none. */
	changesNothing?: string;
}

type Change = [what: string, from: string, to: string, changesNothing?: string];

/** The changes of one file. */
export const of = (file: string, likely: readonly string[], changes: readonly Change[]): Mutation[] =>
	changes.map(([what, from, to, changesNothing]) => ({
		...{ what, file, from, to, likely },
		...(changesNothing !== undefined && { changesNothing }),
	}));

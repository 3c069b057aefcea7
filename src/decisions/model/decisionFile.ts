// A decision file: the contract's request as JSON, with sources that fill the state when it is evaluated.
import * as z from 'zod';
import { isDeeperThan, parseJson } from '../../base/json.ts';
import { decisionRequestSchema } from '../../contract/decisions.ts';

/** How decision files are named. Menus in package.json match on it, and so does its JSON schema. */
export const DECISION_FILE = /\.decision\.json$/;

const taskPart = { task: z.string().min(1).exactOptional() };

/** Where a text of the state comes from. It is read when the file is evaluated. */
export const sourceSchema = z.discriminatedUnion('from', [
	z.strictObject({ from: z.literal('selection') }),
	/** `path` is relative to the folder of the workspace. */
	z.strictObject({ from: z.literal('file'), path: z.string().min(1) }),
	z.strictObject({ from: z.literal('diff') }),
	/** The problems of all files are read where no path is given. */
	z.strictObject({ from: z.literal('problems'), path: z.string().min(1).exactOptional() }),
	/** The user is asked for a task where none is named, once for all sources of the file. */
	z.strictObject({ from: z.literal('task-prompt'), ...taskPart }),
	z.strictObject({ from: z.literal('task-log'), ...taskPart }),
	z.strictObject({ from: z.literal('task-changes'), ...taskPart }),
]);
export type DecisionSource = z.output<typeof sourceSchema>;

/**
 * Every request of the contract is such a file. The sources stand beside the state and not in it, because no form inside
 * of an arbitrary state would be free.
 */
export const decisionFileSchema = z.strictObject({
	$schema: z.string().exactOptional(),
	state: decisionRequestSchema.shape.state.exactOptional(),
	/** The sources by the names that their texts get in the state. */
	sources: z.record(z.string(), sourceSchema).exactOptional(),
	/** The model of the connection decides where none is named. */
	model: decisionRequestSchema.shape.model.exactOptional(),
	questions: decisionRequestSchema.shape.questions,
});
export type DecisionFile = z.output<typeof decisionFileSchema>;

/**
 * The longest text of a file, in UTF-16 code units. A file may come from anybody, and a longer one would hold up the editor
 * while it is checked. Large texts come from sources.
 */
export const MAXIMUM_FILE_LENGTH = 1_000_000;
const MAXIMUM_LEVELS = 100;

/** The first thing that is wrong with a file, with the path to it. */
export type FileProblem =
	| { kind: 'not-json' | 'too-long' | 'too-deep' }
	| { kind: 'invalid'; path: readonly PropertyKey[]; message: string };

/** Parses the text of a file. What only the linter knows of it is not checked here. */
export function readDecisionFile(text: string): { file: DecisionFile } | { problem: FileProblem } {
	if (text.length > MAXIMUM_FILE_LENGTH) {
		return { problem: { kind: 'too-long' } };
	}
	const value = parseJson(text);
	if (value === undefined) {
		return { problem: { kind: 'not-json' } };
	}
	if (isDeeperThan(value, MAXIMUM_LEVELS)) {
		return { problem: { kind: 'too-deep' } };
	}
	const parsed = decisionFileSchema.safeParse(value);
	if (parsed.success) {
		return { file: parsed.data };
	}
	const [issue] = parsed.error.issues;
	return { problem: { kind: 'invalid', path: issue?.path ?? [], message: issue?.message ?? '' } };
}

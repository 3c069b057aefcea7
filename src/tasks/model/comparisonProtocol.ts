// The messages between the page of a comparison and the host, and the state that the editor keeps of it. The host puts
// all facts into words.
import * as z from 'zod';
import { MAXIMUM_COMPOSED, MAXIMUM_COMPOSITIONS } from '../../contract/compositions.ts';

/** The maximum number of results in one comparison, because each is a column: agents or tasks, and their compositions. */
export const MAXIMUM_COMPARED = MAXIMUM_COMPOSED + MAXIMUM_COMPOSITIONS;

/** Commands accept a contender, which is an agent of a task or a task, as they accept a row. */
const comparedSchema = z.object({
	title: z.string(),
	contenders: z
		.array(z.object({ taskId: z.string(), resultKey: z.string() }))
		.min(2)
		.max(MAXIMUM_COMPARED),
	/** The ids of the parts that were chosen for a composition, while the user makes one. */
	chosen: z.array(z.string()).exactOptional(),
});
export type Compared = z.infer<typeof comparedSchema>;
export type Contender = Compared['contenders'][number];

/** Returns undefined for anything but the subject of a comparison. */
export function parseCompared(value: unknown): Compared | undefined {
	return comparedSchema.safeParse(value).data;
}

/** The position of a contender. */
const agent = z
	.int()
	.min(0)
	.max(MAXIMUM_COMPARED - 1);
const path = z.string();

const fromPageSchema = z.discriminatedUnion('kind', [
	z.strictObject({
		kind: z.enum([
			'page-ready',
			'read-again',
			'show-differences',
			'judge',
			'show-more',
			'compose',
			'show-more-parts',
			'make',
		]),
	}),
	z.strictObject({ kind: z.literal('choose'), part: z.string(), isTaken: z.boolean() }),
	/** Takes all changes of an agent, by its position in the task, or none without one. */
	z.strictObject({ kind: z.literal('choose-all'), agent: agent.exactOptional() }),
	z.strictObject({ kind: z.literal('review'), agent }),
	z.strictObject({ kind: z.literal('apply'), agent, path: path.exactOptional() }),
	/** Without an agent, it asks for a comparison of the file between two of them. */
	z.strictObject({ kind: z.literal('show-file'), path, agent: agent.exactOptional() }),
]);
export type FromComparisonPage = z.infer<typeof fromPageSchema>;

/** Returns undefined for anything that is not a message of the page. */
export function parseFromComparisonPage(message: unknown): FromComparisonPage | undefined {
	return fromPageSchema.safeParse(message).data;
}

export interface AgentView {
	name: string;
	/** The extent of its changes, or why that is not known. */
	changes: string;
	/** True if there is something to review and to apply. */
	hasChanges: boolean;
}

export interface FileView {
	path: string;
	/** The path in the form in which it is shown. */
	label: string;
	/** True if two agents have changed it differently. */
	canCompare: boolean;
	/** The change of each agent. `isOwn`: there is a change, and no other agent has made the same. */
	cells: { text: string; isOwn: boolean }[];
}

/** A hunk of a file, or a whole file, that can be taken into a composition. */
export interface PartView {
	/** The id of the part. */
	part: string;
	/** The place of the hunk, or what was done to the file. */
	text: string;
	/** The names of the agents that made this change. */
	origins: string;
	isChosen: boolean;
	/** The parts that cannot be taken together with this one; empty if there are none. */
	excludes: string;
	removed: string[];
	added: string[];
}

export interface ComparisonView {
	title: string;
	/** The result of the comparison, or its problem. */
	sentence: string;
	tone: 'open' | 'bad' | 'pending';
	agents: AgentView[];
	/** The facts about the agents, in their order; an empty text if there is none. */
	facts: { label: string; texts: string[] }[];
	sections: { heading: string; files: FileView[] }[];
	/** The number of files that the sections leave out. */
	filesLeft: number;
	/** True if a result can be composed of these. */
	canCompose: boolean;
	/** Absent while the user does not compose one. */
	composing?: {
		/** What was chosen, or why it cannot be composed. */
		sentence: string;
		isBad: boolean;
		canMake: boolean;
		/** The agents by their positions in the task. */
		agents: { agent: number; name: string }[];
		files: { label: string; parts: PartView[] }[];
		/** The number of parts that the files leave out. */
		partsLeft: number;
	};
}

// The messages between the page of a comparison and the host, and the state that the editor keeps of it. The host puts
// all facts into words.
import * as z from 'zod';

/** The maximum number of agents, or tasks, in one comparison, because each is a column. */
export const MAXIMUM_COMPARED = 8;

/** Commands accept a contender, which is an agent of a task or a task, as they accept a row. */
const comparedSchema = z.object({
	title: z.string(),
	contenders: z
		.array(z.object({ taskId: z.string(), resultKey: z.string() }))
		.min(2)
		.max(MAXIMUM_COMPARED),
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
	z.strictObject({ kind: z.enum(['page-ready', 'read-again', 'show-differences', 'judge', 'show-more']) }),
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
}

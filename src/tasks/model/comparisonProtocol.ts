// The messages between the page of a comparison and the host, and what the editor keeps of it. The host puts all facts
// into words.
import * as z from 'zod';

/** The most agents, or tasks, in one comparison, because each is a column. */
export const MAXIMUM_COMPARED = 8;

/** Commands take a contender, an agent of a task or a task, as they take a row. */
const comparedSchema = z.object({
	title: z.string(),
	contenders: z
		.array(z.object({ taskId: z.string(), resultKey: z.string() }))
		.min(2)
		.max(MAXIMUM_COMPARED),
});
export type Compared = z.infer<typeof comparedSchema>;
export type Contender = Compared['contenders'][number];

/** Returns undefined for anything but what is compared. */
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
	/** Without an agent, it asks for what two of them have made of the file. */
	z.strictObject({ kind: z.literal('show-file'), path, agent: agent.exactOptional() }),
]);
export type FromComparisonPage = z.infer<typeof fromPageSchema>;

/** Returns undefined for anything that is not a message of the page. */
export function parseFromComparisonPage(message: unknown): FromComparisonPage | undefined {
	return fromPageSchema.safeParse(message).data;
}

export interface AgentView {
	name: string;
	/** How much it has changed, or why that is not known. */
	changes: string;
	/** Whether there is something to review and to apply. */
	hasChanges: boolean;
}

export interface FileView {
	path: string;
	/** The path as it is shown. */
	label: string;
	/** Whether two agents have made different things of it. */
	canCompare: boolean;
	/** What each agent has done with it. `isOwn`: it is a change, and not the same as another one's. */
	cells: { text: string; isOwn: boolean }[];
}

export interface ComparisonView {
	title: string;
	/** What the comparison comes to, or what is wrong. */
	sentence: string;
	tone: 'open' | 'bad' | 'pending';
	agents: AgentView[];
	/** What is known of the agents, in their order; an empty text where nothing is. */
	facts: { label: string; texts: string[] }[];
	sections: { heading: string; files: FileView[] }[];
	/** How many more files there are than the sections have. */
	filesLeft: number;
}

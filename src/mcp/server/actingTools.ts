import * as z from 'zod';
import { decisionRequestSchema } from '../../contract/decisions.ts';
import { filePathSchema, plainNameSchema, promptSchema, querySchema } from '../../contract/editorPipe.ts';
import { dataResult, outsideText, outsideValue, taskView } from './results.ts';
import { type Tools, taskId } from './tools.ts';

const MAXIMUM_ANSWER = 40_000;
const MAXIMUM_EXCERPT = 1_000;
const MAXIMUM_SOURCES = 20;

/** The hints for tools that spend money or quota, or change something on the service. Each call does so again. */
const ACTS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

const ASKS = 'The user is asked first and sees exactly what is sent.';

/** Registers the tools that spend or change something. None of them does so without the user's consent. */
export function registerActingTools({ add, act }: Tools): void {
	add(
		'start_task',
		{
			title: 'Start a task',
			description: `Hands a prompt to an agent that works on a repository, on a branch of its own. Spends money or quota, and may push commits that the service needs. ${ASKS} The answer has what is to be known about the repository, such as files that are not committed. Follow it with follow_task.`,
			inputSchema: z.strictObject({
				prompt: promptSchema.describe(
					'All that the agent has to know: it sees the repository, but not this conversation.',
				),
				repository: filePathSchema
					.optional()
					.describe(
						'The folder, the address or the name of a repository that is open in the editor; without an editor, its folder.',
					),
				branch: plainNameSchema
					.optional()
					.describe('The branch to start from. The one that is checked out without it.'),
				agent: plainNameSchema.optional().describe('The id of an agent of the connection.'),
				model: plainNameSchema.optional().describe('A model of that agent.'),
			}),
			annotations: ACTS,
		},
		(asked, context) =>
			act('start', asked, context, ({ task, findings, sent }) =>
				dataResult({ ...taskView(task, 'short'), sent, findings }),
			),
	);
	add(
		'continue_task',
		{
			title: 'Continue a task',
			description: `Gives a task that has ended a further prompt. Spends money or quota. ${ASKS} Where its branch is checked out, a new task starts from it.`,
			inputSchema: z.strictObject({ task_id: taskId, prompt: promptSchema.describe('What the agent should do next.') }),
			annotations: ACTS,
		},
		({ task_id: id, prompt }, context) =>
			act('continue', { id, prompt }, context, ({ task, isNew }) =>
				dataResult({ ...taskView(task, 'short'), is_new_task: isNew }),
			),
	);
	add(
		'stop_task',
		{
			title: 'Stop a task',
			description: `Ends the work of a task’s agent. What it has not finished may be lost. ${ASKS}`,
			inputSchema: z.strictObject({ task_id: taskId }),
			annotations: { ...ACTS, destructiveHint: true, idempotentHint: true },
		},
		({ task_id: id }, context) => act('stop', { id }, context, task => dataResult(taskView(task, 'short'))),
	);
	add(
		'decide',
		{
			title: 'Ask for a decision',
			description: `Asks a model typed questions about a state, and returns typed answers with how sure they are. Spends money or quota. ${ASKS}`,
			inputSchema: decisionRequestSchema.pick({ state: true, questions: true }),
			annotations: ACTS,
		},
		(asked, context) =>
			act('decide', asked, context, ({ model, answers }) => dataResult(outsideValue({ model, answers }))),
	);
	add(
		'search_web',
		{
			title: 'Search the web',
			description: `Asks a model that searches the web, and returns its answer with its sources. Spends money or quota, and sends the query to others. ${ASKS}`,
			inputSchema: z.strictObject({ query: querySchema }),
			annotations: ACTS,
		},
		(asked, context) =>
			act('search', asked, context, ({ text, sources }) =>
				dataResult({
					answer: outsideText(text, MAXIMUM_ANSWER),
					sources: sources.slice(0, MAXIMUM_SOURCES).map(({ url = '', title = '', excerpt = '' }) => ({
						url: outsideText(url, MAXIMUM_EXCERPT),
						title: outsideText(title),
						excerpt: outsideText(excerpt, MAXIMUM_EXCERPT),
					})),
				}),
			),
	);
}

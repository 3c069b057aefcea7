import { type AgentRunOptions, runAgent } from '../../agents/run/agentRun.ts';
import { placeInside, type RunPlace } from '../../agents/run/runPlace.ts';
import type { AgentSession } from '../../agents/session/agentSession.ts';
import { type AgentEvent, isOver } from '../../agents/session/events.ts';
import type { StepRecorder } from '../../agents/steps/stepRecorder.ts';
import { attempt } from '../../base/attempt.ts';
import type { Agent } from './agent.ts';
import { AgentLog } from './agentLog.ts';
import type { LogPlace, TaskLog } from './taskLog.ts';

/** The time for an agent to end its turn when its task is stopped. */
const CANCEL_GRACE_MS = 5_000;
/** The progress between the start of the agent and its end, in percent. */
const STARTED = 20;
const ENDED = 90;
/** The number of tool calls after which half of the work counts as done if there is no plan. */
const HALF_WAY_CALLS = 10;

/** An agent's prompt, its model, and a summary of the work so far. */
export interface Assignment {
	agent: Agent;
	model: string;
	prompt: string;
	repository: string;
	/** The agent's session of an earlier run at the same place. */
	earlierSession: string | undefined;
	/** The summary of the work so far that a new session gets, if there is any work. */
	summary: string | undefined;
	note: string | undefined;
}

/** The place where the agent works, and the signal that ends its run. */
export type Workplace = Pick<
	AgentRunOptions,
	'place' | 'relay' | 'mcpServers' | 'provide' | 'onLimit' | 'signal' | 'logger'
>;

/** The log and the callbacks that report the work of an agent. */
export interface WorkReport {
	log: TaskLog;
	onProgress(percent: number): void;
	/** Called with the cost of this run so far, in US dollars, as the agent reports it. */
	onCost(cost: number): void;
	/** Called once the session has begun, before the prompt. Resolves with what keeps the states of the files. */
	onSession(id: string): Promise<StepRecorder<LogPlace> | undefined>;
}

/**
 * Gives the prompt to an agent. Resolves with its place, once it is done and nothing of it is left running.
 * @throws UserFacingError if the agent fails; the signal's reason if it aborts.
 */
export async function workOn(
	assignment: Assignment,
	workplace: Workplace,
	{ log, onProgress, onCost, onSession }: WorkReport,
): Promise<RunPlace> {
	const { agent, model, repository, earlierSession } = assignment;
	const progress = new AgentProgress(onProgress);
	let agentLog: AgentLog | undefined;
	let steps: StepRecorder<LogPlace> | undefined;
	let tree = '';
	let isNew = false;
	let costBefore: number | undefined;
	const options: AgentRunOptions = {
		...workplace,
		label: agent.label,
		launch: seen => agent.launch(seen, repository),
		model,
		earlier: earlierSession,
		graceMs: CANCEL_GRACE_MS,
		settle: async () => steps?.settled(),
		onEvent(event) {
			const logged = agentLog?.add(event);
			if (event.type === 'tool' && event.changed.includes('status') && isOver(event.call)) {
				steps?.add(event.call, logged, tree);
			}
			progress.add(event);
			if (event.type === 'usage' && event.cost?.currency === 'USD') {
				// The figure is for the whole session, including earlier runs.
				costBefore ??= isNew ? 0 : event.cost.amount;
				onCost(event.cost.amount - costBefore);
			}
		},
	};
	try {
		return await runAgent(options, async ({ session, place, prompt }) => {
			tree = placeInside(place).tree;
			agentLog = new AgentLog(log, tree);
			isNew = session.how === 'new';
			steps = await onSession(session.id);
			await prompt(promptFor(assignment, session, log));
			agentLog.end();
			return place;
		});
	} catch (error) {
		// If writing the log fails here, that is either the error being handled already, or it would hide that error.
		attempt(() => agentLog?.end());
		throw error;
	} finally {
		await steps?.end();
	}
}

/** Returns the prompt. A continued session knows the work so far; any other gets a summary, which the log mentions. */
function promptFor({ prompt, summary, note }: Assignment, { how }: Pick<AgentSession, 'how'>, log: TaskLog): string {
	if (how !== 'new') {
		log.step('agent_executing', 'The agent continues its earlier session.');
		return prompt;
	}
	if (summary !== undefined) {
		log.step('agent_executing', `The agent has no earlier session to continue, so it is told:\n${summary}`);
	}
	return [summary, note, prompt].filter(part => part !== undefined).join('\n\n');
}

/** Derives the progress of a run from the agent's plan, or from the number of its tool calls if it makes none. */
class AgentProgress {
	private readonly report: (percent: number) => void;
	private calls = 0;
	private hasPlan = false;
	private last = STARTED;

	constructor(report: (percent: number) => void) {
		this.report = report;
	}

	add(event: AgentEvent): void {
		if (event.type === 'plan' && event.entries.length > 0) {
			this.hasPlan = true;
			const done = event.entries.filter(({ status }) => status === 'completed').length;
			this.reach(done / event.entries.length);
		} else if (event.type === 'tool' && event.isNew && !this.hasPlan) {
			this.calls++;
			this.reach(this.calls / (this.calls + HALF_WAY_CALLS));
		}
	}

	/** Progress never goes back, even if the agent makes a longer plan. */
	private reach(share: number): void {
		const percent = Math.floor(STARTED + (ENDED - STARTED) * share);
		if (percent > this.last) {
			this.last = percent;
			this.report(percent);
		}
	}
}

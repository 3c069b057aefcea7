import { setTimeout as delay } from 'node:timers/promises';
import { type RunPlace, seenFrom, startAgentRun } from '../../agents/run/agentRun.ts';
import type { AgentSession } from '../../agents/session/agentSession.ts';
import type { AgentEvent, StopReason } from '../../agents/session/events.ts';
import { permissionInside } from '../../agents/session/permissionInside.ts';
import { UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Agent } from './agent.ts';
import { AgentLog } from './agentLog.ts';
import type { TaskLog } from './taskLog.ts';

/** The time for an agent to end its turn when its task is stopped, before its processes are ended. */
const CANCEL_GRACE_MS = 5_000;
/** The progress between the start of the agent and its end, in percent. */
const STARTED = 20;
const ENDED = 90;
/** Without a plan, after this many tool calls half of the work counts as done. */
const HALF_WAY_CALLS = 10;

/** The prompt of an agent, its model, and the work so far that it is told of. */
export interface Assignment {
	agent: Agent;
	model: string;
	prompt: string;
	/** The agent's session of an earlier run at the same place. */
	earlierSession: string | undefined;
	/** What a new session is told of the work so far, where there is any. */
	summary: string | undefined;
	/** What a new session is told of the files. */
	note: string | undefined;
}

/** The folders in which an agent works, and the dependencies that are installed there. */
export interface Workplace {
	/** The folder of the repository that the task is about. */
	repository: string;
	/** Its folders exist. */
	place: RunPlace;
	/** The variables by which the agent finds the dependencies that were installed. */
	installed: Readonly<Record<string, string>>;
}

/** The log and the callbacks by which the work of an agent is reported. */
export interface WorkReport {
	log: TaskLog;
	logger: Logger;
	/** Ends the run with a sentence, as the agent used more of the machine than it may. */
	onLimit(sentence: string): void;
	onProgress(percent: number): void;
	/** Called once the session has begun, before the prompt. */
	onSession(id: string): Promise<void>;
}

/**
 * Gives the prompt to an agent and resolves when the agent is done and nothing of it is left running. `signal` aborts with
 * the reason for the end.
 * @throws UserFacingError if the agent fails; the signal's reason if it aborts.
 */
export async function runAgent(
	assignment: Assignment,
	{ repository, place, installed }: Workplace,
	report: WorkReport,
	signal: AbortSignal,
): Promise<void> {
	const { agent } = assignment;
	const agentLog = new AgentLog(report.log, seenFrom(place).tree);
	const progress = new AgentProgress(report.onProgress);
	const ended = new AbortController();
	let session: AgentSession | undefined;
	const stop = async () => {
		// An agent that has begun may end its turn by itself.
		await Promise.race([session?.cancel(), delay(session === undefined ? 0 : CANCEL_GRACE_MS)]);
		ended.abort(signal.reason);
	};
	const onAbort = () => void stop();
	signal.throwIfAborted();
	signal.addEventListener('abort', onAbort, { once: true });
	try {
		session = await startAgentRun({
			place,
			launch: async seen => {
				const launch = await agent.launch(seen, repository);
				return { ...launch, env: { ...launch.env, ...installed } };
			},
			model: assignment.model,
			// Nobody is there to be asked.
			decide: ({ tree, home }) => permissionInside(tree, [home]),
			earlier: assignment.earlierSession,
			logger: report.logger,
			signal: ended.signal,
			onLimit: report.onLimit,
			onEvent(event) {
				agentLog.add(event);
				progress.add(event);
			},
		});
		await report.onSession(session.id);
		const reason = await session.prompt(promptFor(assignment, session, report.log));
		signal.throwIfAborted();
		agentLog.end();
		checkEnd(agent, reason);
	} catch (error) {
		// If writing the log fails here, either that is the error being handled, or it would hide that error.
		attempt(() => agentLog.end());
		signal.throwIfAborted();
		throw error;
	} finally {
		signal.removeEventListener('abort', onAbort);
		await session?.close();
	}
}

function attempt(run: () => void): void {
	try {
		run();
	} catch {}
}

/** A session that is continued knows the work so far; any other is told of it, and the log says so. */
function promptFor({ prompt, summary, note }: Assignment, session: AgentSession, log: TaskLog): string {
	if (session.how !== 'new') {
		log.step('agent_executing', 'The agent continues its earlier session.');
		return prompt;
	}
	if (summary !== undefined) {
		log.step('agent_executing', `The agent has no earlier session to continue, so it is told:\n${summary}`);
	}
	return [summary, note, prompt].filter(part => part !== undefined).join('\n\n');
}

/** @throws UserFacingError unless the agent says that it is done. */
function checkEnd({ label }: Agent, reason: StopReason): void {
	switch (reason) {
		case 'end_turn':
			return;
		case 'max_tokens':
			throw new UserFacingError(
				`${label} ended because its model's reply was cut at its maximum length. Choose a model with longer replies, or give it a smaller task.`,
			);
		case 'max_turn_requests':
			throw new UserFacingError(
				`${label} ended because it has asked its model as often as it may in one turn. Continue the task, or give it a smaller one.`,
			);
		case 'refusal':
			throw new UserFacingError(`${label} ended because its model refuses to do this. Put the task differently.`);
		case 'cancelled':
			throw new UserFacingError(`${label} ended its turn as if somebody had stopped it. Start it again.`);
	}
}

/** Derives the progress of a run from the agent's plan, or from the number of its tool calls where it makes none. */
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

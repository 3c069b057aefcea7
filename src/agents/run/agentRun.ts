import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { claimForProcess } from '../../base/fileLock.ts';
import type { AgentPlace } from '../catalogue/entry.ts';
import type { McpServers } from '../mcp/mcpServers.ts';
import { webCalls } from '../relay/webAccess.ts';
import { writeAgentHome } from '../sandbox/folders.ts';
import { toolchains } from '../sandbox/toolchains.ts';
import { AgentFailure } from '../session/agentFailure.ts';
import type { AgentSession, AgentSessionOptions } from '../session/agentSession.ts';
import type { AgentEvent, StopReason } from '../session/events.ts';
import { openAgentSession } from '../session/openAgentSession.ts';
import { permissionInside } from '../session/permissionInside.ts';
import type { FormPolicy, PermissionPolicy } from '../session/permissions.ts';
import type { AgentLaunch } from './agentLaunch.ts';
import { endLeftPrograms } from './leftPrograms.ts';
import {
	openRelayAt,
	outlivesUs,
	type PlaceOptions,
	type ProgramOptions,
	type Provided,
	placeInside,
	type RelayAnswers,
	type RunPlace,
	startAt,
} from './runPlace.ts';

/** The time for a stopped agent to end its turn before its processes are ended. */
const STOP_GRACE_MS = 2_000;

export interface AgentRunOptions
	extends Pick<AgentSessionOptions, 'chosen' | 'login' | 'onEvent' | 'settle' | 'signal' | 'logger'> {
	/** The agent's name for people. */
	label: string;
	/** The place where the agent works. The tree exists; a missing home is created. No other run may use the folder. */
	place: PlaceOptions;
	/** Answers the agent's calls. Undefined for an agent that uses no model. */
	relay: RelayAnswers | undefined;
	/** The MCP servers offered to the agent. They end with the run. */
	mcpServers?: McpServers | undefined;
	/** Prepares the place, once the relay, which an installation may need, is listening. */
	provide?(place: RunPlace): Promise<Provided>;
	/** Returns how the agent is started. Throws a UserFacingError if its program has disappeared. */
	launch(place: Omit<AgentPlace, 'programs'>): Promise<AgentLaunch>;
	/** The model behind the relay. */
	model: string;
	/**
	 * Answers the agent's requests for permission. Without it, nobody is there, and whatever stays in tree and home is
	 * allowed.
	 */
	decide?: PermissionPolicy;
	/** Answers the agent's forms, if somebody is there to fill them in. */
	fillIn?: FormPolicy | undefined;
	/** The agent's session of an earlier run at the same place, which is continued if the agent can do so. */
	earlier?: string | undefined;
	/** The time in milliseconds for the agent to end its turn when `signal` aborts; two seconds by default. */
	graceMs?: number;
	/**
	 * Receives a sentence when the agent exceeds a limit on the machine's resources, and aborts `signal`. Without it, the
	 * agent is ended at once, and the run rejects with the sentence.
	 */
	onLimit?(sentence: string): void;
}

export interface RunningAgent {
	session: Pick<AgentSession, 'id' | 'info' | 'how' | 'agentOptions' | 'takesImages'>;
	place: RunPlace;
	/** Resolves when the agent has finished it. Rejects with a UserFacingError if the agent ended its turn early. */
	prompt(...words: Parameters<AgentSession['prompt']>): Promise<void>;
}

/**
 * Starts an agent, lets `work` use it, and ends it. The order is: remains of a killed process at the place are ended,
 * the relay is opened, the place prepared, the program started there and a session opened. Nothing of it is left when
 * this settles.
 * @throws UserFacingError if the agent fails; the signal's reason if it aborts; whatever `work` throws.
 */
export async function runAgent<Result>(
	options: AgentRunOptions,
	work: (agent: RunningAgent) => Promise<Result>,
): Promise<Result> {
	const { place, relay: answers, mcpServers, provide, signal } = options;
	signal.throwIfAborted();
	if (outlivesUs(place)) {
		await endLeftPrograms(place.folder, place.marker);
	}
	await mkdir(place.home, { recursive: true, mode: 0o700 });
	const relay = answers && (await openRelayAt(place, { ...answers, mcpServers }));
	try {
		const opened = { ...place, relay, toolchains: toolchains(place.privateFolders) };
		return await workAt({ ...opened, ...(await provide?.(opened)) }, options, work);
	} finally {
		await mcpServers?.close();
		await relay?.close();
	}
}

/** Starts the agent at a prepared place, and ends it when the work is done, fails or is stopped. */
async function workAt<Result>(
	place: RunPlace,
	options: AgentRunOptions,
	work: (agent: RunningAgent) => Promise<Result>,
): Promise<Result> {
	const { label, signal, graceMs = STOP_GRACE_MS } = options;
	const ended = new AbortController();
	let session: AgentSession | undefined;
	let freeAccount: (() => Promise<void>) | undefined;
	const stop = async () => {
		// An agent that has begun may end its turn by itself.
		await Promise.race([session?.cancel(), delay(session === undefined ? 0 : graceMs)]);
		ended.abort(signal.reason);
	};
	const onAbort = () => void stop();
	signal.throwIfAborted();
	signal.addEventListener('abort', onAbort, { once: true });
	const onLimit = options.onLimit ?? (sentence => ended.abort(new UserFacingError(sentence)));
	try {
		const limits = { signal: ended.signal, onLimit };
		const opened = await open(place, options, limits, async () => {
			// Two runs at once could each renew the login, after which that of the first is no longer valid with services that
			// replace its token. The files by which programs of one home find each other name processes and ports that
			// another sandbox does not have.
			freeAccount = await claimForProcess(`${place.home}.lock`);
			return freeAccount !== undefined;
		});
		session = opened;
		return await work({
			session: opened,
			place,
			async prompt(...words) {
				const reason = await opened.prompt(...words);
				signal.throwIfAborted();
				checkEnd(label, reason);
			},
		});
	} catch (error) {
		signal.throwIfAborted();
		throw ended.signal.aborted ? ended.signal.reason : error;
	} finally {
		signal.removeEventListener('abort', onAbort);
		await session?.close();
		await freeAccount?.();
	}
}

/**
 * Starts the agent's program and opens its session. Nothing of the agent is left when this rejects. `takeAccount`
 * resolves with false if another run works with the account.
 */
async function open(
	place: RunPlace,
	options: AgentRunOptions,
	limits: Pick<ProgramOptions, 'signal' | 'onLimit'>,
	takeAccount: () => Promise<boolean>,
): Promise<AgentSession> {
	const { label, relay: answers, launch, model, decide, onEvent, mcpServers } = options;
	const { chosen, earlier, fillIn, logger, login, settle } = options;
	const { tree, ...seen } = placeInside(place);
	const { modes, files, startHint, inventsCosts, usesAccount, ...program } = await launch({
		...seen,
		token: place.relay?.token ?? '',
		model,
		...defined({ isAttended: decide === undefined ? undefined : true, web: answers?.web && webCalls(answers.web) }),
	});
	if (usesAccount && !(await takeAccount())) {
		throw new UserFacingError(
			l10n.t('{0} is already at work in another conversation or task. Try again when that has ended.', label),
		);
	}
	await writeAgentHome(place.home, files);
	mcpServers?.beginAt(place);
	const child = await startAt(place, { ...program, ...limits });
	return openAgentSession({
		...{ chosen, earlier, fillIn, logger, login, settle, modes, usesAccount, child, folder: tree },
		decide: decide ?? permissionInside(tree, [seen.home]),
		onEvent: inventsCosts ? event => onEvent(withoutCost(event)) : onEvent,
		signal: limits.signal,
		mcpServers: mcpServers?.commands,
	}).catch(error => {
		throw startHint === undefined ? error : withHint(error, startHint);
	});
}

function withoutCost(event: AgentEvent): AgentEvent {
	if (event.type !== 'usage') {
		return event;
	}
	const { cost: _, ...usage } = event;
	return usage;
}

/** An agent that cannot run with this Node ends at once, or answers with an error of its own. */
function withHint(error: unknown, hint: string): unknown {
	return AgentFailure.is(error, 'exited') || AgentFailure.is(error, 'refused')
		? new AgentFailure(error.code, `${error.message} ${hint}`)
		: error;
}

/** @throws UserFacingError unless the agent says that it is done. */
function checkEnd(label: string, reason: StopReason): void {
	switch (reason) {
		case 'end_turn':
			return;
		case 'max_tokens':
			throw new UserFacingError(
				l10n.t(
					'{0} stopped because its model’s reply reached the maximum length. Select a model with longer replies, or ask for less at once.',
					label,
				),
			);
		case 'max_turn_requests':
			throw new UserFacingError(
				l10n.t(
					'{0} stopped because it reached the limit of model requests in one turn. Tell it to continue, or ask for less at once.',
					label,
				),
			);
		case 'refusal':
			throw new UserFacingError(
				l10n.t('{0} stopped because its model declined to do this. Rephrase your request.', label),
			);
		case 'cancelled':
			throw new UserFacingError(l10n.t('{0} ended its turn as if it had been stopped. Try again.', label));
	}
}

import type { AgentDirectory } from '../../agents/catalogue/agentDirectory.ts';
import type { FoundAgent } from '../../agents/catalogue/entry.ts';
import { knownAgents } from '../../agents/catalogue/knownAgents.ts';
import { type InstallPlace, installAgent } from '../../agents/install/installAgent.ts';
import { removeOldInstallations } from '../../agents/install/installed.ts';
import { SerialQueue } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { oneLine } from '../../base/plainText.ts';
import type { AgentInstallRequest, AgentTrial } from '../../contract/agents.ts';

const TIMEOUT_MS = 120_000;

/** The maximum lengths of texts from an agent, in characters. */
const MAXIMUM_NAME = 60;
const MAXIMUM_MESSAGE = 500;

/** The start of an agent for a trial, and its time limit. */
export interface TrialSupport {
	/**
	 * Starts an agent with an empty tree, opens a session and ends it. Everything that it started has ended when this
	 * settles. Rejects with a UserFacingError, or with the signal's reason.
	 */
	handshake(agent: FoundAgent, signal: AbortSignal): Promise<AgentTrial>;
	logger: Logger;
	/** The longest time for a handshake in milliseconds; 120,000 by default. */
	timeoutMs?: number;
}

export class AgentTrials {
	private readonly directory: AgentDirectory;
	private readonly place: InstallPlace;
	private readonly support: TrialSupport;
	/** An installation that another window asked for is found done, instead of being repeated. */
	private readonly installations = new SerialQueue();
	private readonly running = new Set<Promise<unknown>>();

	constructor(directory: AgentDirectory, place: InstallPlace, support: TrialSupport) {
		this.directory = directory;
		this.place = place;
		this.support = support;
	}

	/** Removes the leftovers of earlier installations. No agent may be running yet. Never rejects. */
	removeLeftovers(): Promise<void> {
		const { folder, platform } = this.place;
		return this.installations.run(() => removeOldInstallations(folder, knownAgents, platform));
	}

	/** Resolves when everything that was started has ended. Aborting the callers' signals ends it early. */
	async ended(): Promise<void> {
		await Promise.allSettled(this.running);
	}

	/** Starts the agent and returns the outcome. Rejects only with the signal's reason. */
	try(id: string, signal: AbortSignal): Promise<AgentTrial> {
		return this.run(signal, async () => this.handshake(await this.directory.locate(id), signal));
	}

	/**
	 * Installs the agent if it is missing and the user has agreed to its terms, then tries it. Rejects only with the
	 * signal's reason.
	 */
	install(request: AgentInstallRequest, signal: AbortSignal): Promise<AgentTrial> {
		const { id } = request;
		return this.run(signal, async () => {
			await this.installations.run(() => this.installOnce(request, signal));
			return this.handshake(await this.directory.locate(id), signal);
		});
	}

	private async installOnce({ id, agreedTo }: AgentInstallRequest, signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		const { directory } = this;
		const definition = directory.definition(id);
		if (definition === undefined) {
			throw new UserFacingError(`There is no agent "${id}" here that could be installed.`);
		}
		const { source, problem, install } = await directory.status(id);
		if (source !== 'none' || (problem !== undefined && problem !== 'not-found')) {
			return;
		}
		const { terms } = install ?? {};
		if (terms !== undefined && terms.text !== agreedTo) {
			throw new UserFacingError(
				`${definition.label} was not installed, because nobody has agreed to the terms of ${terms.package}: ${terms.text} “Errand: Set Up Agents…” asks for that.`,
			);
		}
		await installAgent(definition, this.place, { signal });
		this.support.logger.log('info', 'an agent was installed');
		directory.forget();
	}

	private async handshake(agent: FoundAgent, signal: AbortSignal): Promise<AgentTrial> {
		const timeout = AbortSignal.timeout(this.support.timeoutMs ?? TIMEOUT_MS);
		try {
			return plainTrial(await this.support.handshake(agent, AbortSignal.any([signal, timeout])));
		} catch (error) {
			signal.throwIfAborted();
			if (timeout.aborted) {
				throw new UserFacingError(
					`${agent.definition.label} did not open a session in time. Try again when the machine is less busy.`,
				);
			}
			throw error;
		}
	}

	private run(signal: AbortSignal, start: () => Promise<AgentTrial>): Promise<AgentTrial> {
		const trial = start()
			.catch((error): AgentTrial => {
				signal.throwIfAborted();
				if (error instanceof UserFacingError) {
					return { ok: false, message: error.message };
				}
				this.support.logger.log('error', 'an agent could not be tried', { reason: describeError(error) });
				return { ok: false, message: 'The local service failed at this; its log (service.log) says why.' };
			})
			.finally(() => this.running.delete(trial));
		this.running.add(trial);
		return trial;
	}
}

/** An agent chooses the texts of its trial, so they are cleaned before they are shown. */
function plainTrial(trial: AgentTrial): AgentTrial {
	if (!trial.ok) {
		return { ...trial, message: oneLine(trial.message, MAXIMUM_MESSAGE) };
	}
	const version = trial.version === undefined ? undefined : oneLine(trial.version, MAXIMUM_NAME);
	return { ...trial, name: oneLine(trial.name, MAXIMUM_NAME), ...defined({ version }) };
}

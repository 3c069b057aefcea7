import os from 'node:os';
import path from 'node:path';
import { baseEnvironment } from '../../agents/run/agentLaunch.ts';
import {
	type ProgramOptions,
	type Provided,
	placeInside,
	type RelayAnswers,
	type RunPlace,
	runAt,
} from '../../agents/run/runPlace.ts';
import { lendable } from '../../agents/sandbox/lentFolders.ts';
import type { ChildResult } from '../../base/childProcess.ts';
import { describeError } from '../../base/errors.ts';
import type { DependencyConsent } from '../store/consentStore.ts';
import type { TaskRecord } from '../store/taskRecord.ts';
import {
	type DependencyPlan,
	planDependencies,
	type UserDependencies,
	userDependencies,
} from './dependencies/dependencyPlan.ts';
import { type Installation, installationEnvironment } from './dependencies/installations.ts';
import { findLockfiles, MANIFEST } from './dependencies/lockfiles.ts';
import { filesOfFolder } from './dependencies/treeFiles.ts';
import { userRegistries } from './dependencies/userRegistries.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import type { RunServices } from './runServices.ts';
import type { ProgramLog } from './taskLog.ts';
import { listed } from './taskNames.ts';

const STEP = 'installing_dependencies';
/** Runs a command in a folder. Both are passed as arguments, so that the shell interprets neither. */
const IN_FOLDER = 'cd -- "$1" && shift && exec "$@"';

/** The limit on recorded hosts, as a program may try any number. */
const MAXIMUM_REFUSED = 20;

type AllowsHost = RelayAnswers['allowsHost'];

const NO_HOST: AllowsHost = () => false;

/** The hosts that one installation may reach, and those that it was refused. All are given as `host:port`. */
export class InstallationHosts {
	private readonly allowed: readonly string[];
	private readonly own: readonly string[];
	private readonly refused = new Set<string>();

	/** `allowed` are the hosts that the user has allowed for the repository, `own` those of the user's own registries. */
	constructor(allowed: readonly string[], own: readonly string[]) {
		this.allowed = allowed;
		this.own = own;
	}

	/**
	 * Returns whether a host may be reached. `name` is given if it leads to this host of the machine or its network.
	 * Whoever publishes a name can point it there, so only names from the user's own configuration may lead there.
	 */
	readonly allows: AllowsHost = (host, port, name) => {
		const place = `${name ?? host}:${port}`;
		const isAllowed =
			this.allowed.includes(`${host}:${port}`) ||
			(name !== undefined && this.allowed.includes(place) && this.own.includes(place));
		// A name that leads into the user's network is refused for that, not for lack of an answer.
		if (!isAllowed && name === undefined && this.refused.size < MAXIMUM_REFUSED) {
			this.refused.add(place);
		}
		return isAllowed;
	};

	/** Returns the hosts that were refused since the last call. */
	takeRefused(): string[] {
		const taken = [...this.refused];
		this.refused.clear();
		return taken;
	}
}

export interface TaskDependenciesOptions {
	task: TaskRecord;
	/** The folder of the execution, which holds the configuration of the service's git. */
	folder: string;
	services: Pick<RunServices, 'dependencyAnswer' | 'rememberMissing'>;
	log: ProgramLog;
}

/** Brings the dependencies of a task's branch to the places where programs need them. */
export class TaskDependencies {
	private readonly options: TaskDependenciesOptions;
	private allowed: AllowsHost = NO_HOST;

	constructor(options: TaskDependenciesOptions) {
		this.options = options;
	}

	/** Returns whether a host may be reached now: only while an installation runs. An agent itself reaches none. */
	readonly allowsHost: AllowsHost = (...place) => this.allowed(...place);

	/**
	 * Shows the packages that the user has installed, or installs them if that was requested. `onLimit` receives a
	 * sentence if an installation exceeds the limits on the machine's resources. Rejects with the signal's reason.
	 */
	async provide(place: RunPlace, onLimit: (sentence: string) => void, signal: AbortSignal): Promise<Provided> {
		const { task, services } = this.options;
		const repository = folderOfRepoUrl(task.repoUrl);
		const found = await this.plan(repository, place, signal);
		const shown = found.shown.map(at => ({ source: path.join(repository, at), at }));
		const lent = [...(place.lent ?? []), ...(await lendable(shown, place.tree))];
		const answer = await services.dependencyAnswer(task.repoUrl);
		const reached = new InstallationHosts(answer?.hosts ?? [], found.own);
		this.allowed = reached.allows;
		try {
			return { variables: await this.install(found, answer, { place, reached, signal, onLimit }), lent };
		} finally {
			this.allowed = NO_HOST;
		}
	}

	/** Plans how the tree of a place gets its dependencies, and logs the plan. */
	private async plan(repository: string, place: RunPlace, signal: AbortSignal): Promise<DependencyPlan> {
		const { task, folder, log } = this.options;
		const registries = userRegistries({ environment: process.env, home: os.homedir(), repository, parent: folder });
		// Only a sandbox can show folders read-only.
		const user = place.isSandboxed ? await this.userDependencies(repository, signal) : undefined;
		const lockfiles = task.installDependencies ? await findLockfiles(place.tree) : [];
		const found = await planDependencies(lockfiles, filesOfFolder(place.tree), registries, user);
		if (found.shown.length > 0) {
			log.step(STEP, `What you have installed is shown, read-only: ${listed(found.shown)}.`);
		}
		if (found.unmet.length > 0) {
			this.warn(
				`What you have installed is not shown, as it lacks ${listed(found.unmet)} of ${MANIFEST}. Install it in your folder, or let the next task install its dependencies.`,
			);
		}
		for (const { lockfile, command, hasDefault } of found.installations) {
			const unknown = hasDefault
				? ''
				: ' Where it gets packages from by default is not known, as it could not be asked.';
			log.step(STEP, `Found ${lockfile}: "${command.join(' ')}" installs from it.${unknown}`);
		}
		if (found.withLogin.length > 0) {
			const hosts = found.withLogin.join(', ');
			this.warn(
				`You log in to ${hosts}. Agents and their installations do not get that login, so what needs it is not installed.`,
			);
		}
		if (task.installDependencies && found.installations.length === 0 && found.shown.length === 0) {
			this.warn(`Neither a lockfile nor a ${MANIFEST} with dependencies was found, so there is nothing to install.`);
		}
		return found;
	}

	private async userDependencies(folder: string, signal: AbortSignal): Promise<UserDependencies | undefined> {
		try {
			return await userDependencies({ folder, scratchFolder: this.options.folder, signal });
		} catch (error) {
			signal.throwIfAborted();
			this.warn(`What you have installed could not be looked for (${describeError(error)}), so it is not shown.`);
			return undefined;
		}
	}

	/**
	 * Installs the dependencies of the tree by its lockfiles, from the hosts that the user has allowed for the repository.
	 * The log says what is installed, or why not; the agent can work without it. Resolves with the variables by which the
	 * agent finds the packages. `answer` is undefined if the user has not been asked.
	 */
	private async install(
		{ installations, hosts }: DependencyPlan,
		answer: DependencyConsent | undefined,
		run: InstallationRun,
	): Promise<Record<string, string>> {
		const { place } = run;
		if (installations.length === 0) {
			return {};
		}
		if (place.relay === undefined) {
			this.warn('Nothing was installed: this agent runs nothing of the repository.');
			return {};
		}
		const missing = hosts.filter(host => !answer?.hosts.includes(host));
		if (answer === undefined || missing.length > 0) {
			const which = missing.length === 0 ? '' : ` (${missing.join(', ')})`;
			this.warn(
				`Nothing was installed: nobody has allowed the hosts that the packages come from${which} for this repository. Errand's window asks for it when a task is started.`,
			);
			return {};
		}
		const forAgent: Record<string, string> = {};
		for (const installation of installations) {
			if (await this.installOne(installation, answer.allowsScripts, run)) {
				Object.assign(forAgent, installation.agentEnvironment(placeInside(place)));
			}
		}
		return forAgent;
	}

	/** Resolves with whether the installation succeeded. */
	private async installOne(
		{ lockfile, folder, command: full, commandWithoutScripts, environment }: Installation,
		allowsScripts: boolean,
		{ place, reached, signal, onLimit }: InstallationRun,
	): Promise<boolean> {
		const { task, services, log } = this.options;
		const command = allowsScripts ? full : commandWithoutScripts;
		if (command === undefined) {
			this.warn(
				`${lockfile}: "${full.join(' ')}" runs programs of the packages, which were not allowed for this repository.`,
			);
			return false;
		}
		const seen = placeInside(place);
		reached.takeRefused();
		log.step(STEP, `Running "${command.join(' ')}"${folder === '' ? '' : ` in ${folder}`}…`);
		const { token = '' } = place.relay ?? {};
		const ended = await runAt(place, {
			command: '/bin/sh',
			args: ['-c', IN_FOLDER, 'sh', folder === '' ? '.' : `./${folder}`, ...command],
			env: {
				...baseEnvironment(seen),
				...installationEnvironment({ relay: seen.relayUrl, token, home: seen.home }),
				...environment,
			},
			signal,
			onLimit,
			onOutput: (stream, bytes) => log.output(STEP, stream, bytes),
		})
			.then(endOf, error => {
				signal.throwIfAborted();
				return `could not be started (${describeError(error)})`;
			})
			.finally(() => log.outputEnd(STEP));
		if (ended === undefined) {
			log.step(STEP, `Installed from ${lockfile}.`, 'success');
			return true;
		}
		const refused = reached.takeRefused();
		const next =
			refused.length === 0 ? '' : ` The list before the next task asks whether it may reach ${refused.join(', ')}.`;
		this.warn(`"${command[0]}" ${ended}, so the agent starts without what ${lockfile} names.${next}`);
		if (refused.length > 0) {
			await services.rememberMissing(task.repoUrl, refused);
		}
		return false;
	}

	private warn(message: string): void {
		this.options.log.step(STEP, message, 'warning');
	}
}

/** The place of an installation, the hosts that it reaches, and what ends it. */
interface InstallationRun extends Pick<ProgramOptions, 'signal' | 'onLimit'> {
	place: RunPlace;
	reached: InstallationHosts;
}

/** Returns undefined if it went well. */
function endOf({ exitCode }: ChildResult): string | undefined {
	if (exitCode === 0) {
		return undefined;
	}
	return exitCode === undefined ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
}

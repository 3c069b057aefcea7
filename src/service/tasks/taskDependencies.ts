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
import { type Installation, type Installations, installationEnvironment } from './dependencies/installations.ts';
import { findLockfiles, MANIFEST } from './dependencies/lockfiles.ts';
import { filesOfFolder } from './dependencies/treeFiles.ts';
import { type UserRegistries, userRegistries } from './dependencies/userRegistries.ts';
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
		const { task, folder, services, log } = this.options;
		const repository = folderOfRepoUrl(task.repoUrl);
		const registries = userRegistries({ environment: process.env, home: os.homedir(), repository, parent: folder });
		// Only a sandbox can show folders read-only.
		const user = place.isSandboxed ? await this.userDependencies(repository, signal) : undefined;
		const found = await planAndName(place.tree, { installs: task.installDependencies, registries, user }, log);
		const shown = found.shown.map(at => ({ source: path.join(repository, at), at }));
		const lent = [...(place.lent ?? []), ...(await lendable(shown, place.tree))];
		const answer = await services.dependencyAnswer(task.repoUrl);
		const reached = new InstallationHosts(answer?.hosts ?? [], found.own);
		const onMissing = (hosts: readonly string[]) => services.rememberMissing(task.repoUrl, hosts);
		this.allowed = reached.allows;
		try {
			const options = { place, found, answer, reached, onMissing, log, signal, onLimit };
			return { variables: await installDependencies(options), lent };
		} finally {
			this.allowed = NO_HOST;
		}
	}

	private async userDependencies(folder: string, signal: AbortSignal): Promise<UserDependencies | undefined> {
		const { folder: scratchFolder, log } = this.options;
		try {
			return await userDependencies({ folder, scratchFolder, signal });
		} catch (error) {
			signal.throwIfAborted();
			const message = `What you have installed could not be looked for (${describeError(error)}), so it is not shown.`;
			log.step(STEP, message, 'warning');
			return undefined;
		}
	}
}

interface InstallationOptions extends Pick<ProgramOptions, 'signal' | 'onLimit'> {
	place: RunPlace;
	/** The installations found in the tree of the place. */
	found: Installations;
	/** The hosts that the relay lets through: those that the user has allowed. */
	reached: Pick<InstallationHosts, 'takeRefused'>;
	/** Called with the hosts, as `host:port`, that an installation failed without. */
	onMissing(hosts: readonly string[]): Promise<void>;
	/** The user's answer, or undefined if the user has not been asked. */
	answer: DependencyConsent | undefined;
	log: ProgramLog;
}

/**
 * Installs the dependencies of the tree by its lockfiles, from the hosts that the user has allowed for the repository.
 * The log says what is installed, or why not; the agent can work without it. Resolves with the variables by which the
 * agent finds the packages. Rejects with the signal's reason.
 */
async function installDependencies(options: InstallationOptions): Promise<Record<string, string>> {
	const { place, answer, log } = options;
	const { installations, hosts } = options.found;
	if (installations.length === 0) {
		return {};
	}
	if (place.relay === undefined) {
		log.step(STEP, 'Nothing was installed: this agent runs nothing of the repository.', 'warning');
		return {};
	}
	const missing = hosts.filter(host => !answer?.hosts.includes(host));
	if (answer === undefined || missing.length > 0) {
		const which = missing.length === 0 ? '' : ` (${missing.join(', ')})`;
		const message = `Nothing was installed: nobody has allowed the hosts that the packages come from${which} for this repository. Errand's window asks for it when a task is started.`;
		log.step(STEP, message, 'warning');
		return {};
	}
	const forAgent: Record<string, string> = {};
	for (const installation of installations) {
		if (await installOne(installation, { ...options, answer })) {
			Object.assign(forAgent, installation.agentEnvironment(placeInside(place)));
		}
	}
	return forAgent;
}

interface DependencySources {
	/** True if dependencies may be installed. */
	installs: boolean;
	registries: UserRegistries;
	/** The packages that the user has installed, or undefined if none of them can be shown. */
	user: UserDependencies | undefined;
}

/** Plans how a tree gets its dependencies, and logs the plan. */
async function planAndName(
	tree: string,
	{ installs, registries, user }: DependencySources,
	log: ProgramLog,
): Promise<DependencyPlan> {
	const lockfiles = installs ? await findLockfiles(tree) : [];
	const found = await planDependencies(lockfiles, filesOfFolder(tree), registries, user);
	if (found.shown.length > 0) {
		log.step(STEP, `What you have installed is shown, read-only: ${listed(found.shown)}.`);
	}
	if (found.unmet.length > 0) {
		const message = `What you have installed is not shown, as it lacks ${listed(found.unmet)} of ${MANIFEST}. Install it in your folder, or let the next task install its dependencies.`;
		log.step(STEP, message, 'warning');
	}
	for (const { lockfile, command, hasDefault } of found.installations) {
		const unknown = hasDefault ? '' : ' Where it gets packages from by default is not known, as it could not be asked.';
		log.step(STEP, `Found ${lockfile}: "${command.join(' ')}" installs from it.${unknown}`);
	}
	if (found.withLogin.length > 0) {
		const hosts = found.withLogin.join(', ');
		log.step(
			STEP,
			`You log in to ${hosts}. Agents and their installations do not get that login, so what needs it is not installed.`,
			'warning',
		);
	}
	if (installs && found.installations.length === 0 && found.shown.length === 0) {
		const message = `Neither a lockfile nor a ${MANIFEST} with dependencies was found, so there is nothing to install.`;
		log.step(STEP, message, 'warning');
	}
	return found;
}

/** Resolves with whether the installation succeeded. */
async function installOne(
	{ lockfile, folder, command: full, commandWithoutScripts, environment }: Installation,
	{ place, answer, reached, onMissing, log, signal, onLimit }: InstallationOptions & { answer: DependencyConsent },
): Promise<boolean> {
	const command = answer.allowsScripts ? full : commandWithoutScripts;
	if (command === undefined) {
		const message = `${lockfile}: "${full.join(' ')}" runs programs of the packages, which were not allowed for this repository.`;
		log.step(STEP, message, 'warning');
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
		.catch(error => {
			signal.throwIfAborted();
			return { failure: `could not be started (${describeError(error)})` };
		})
		.finally(() => log.outputEnd(STEP));
	if ('exitCode' in ended && ended.exitCode === 0) {
		log.step(STEP, `Installed from ${lockfile}.`, 'success');
		return true;
	}
	const how = 'failure' in ended ? ended.failure : endOf(ended);
	const refused = reached.takeRefused();
	const next =
		refused.length === 0 ? '' : ` The list before the next task asks whether it may reach ${refused.join(', ')}.`;
	log.step(STEP, `"${command[0]}" ${how}, so the agent starts without what ${lockfile} names.${next}`, 'warning');
	if (refused.length > 0) {
		await onMissing(refused);
	}
	return false;
}

function endOf({ exitCode }: ChildResult): string {
	return exitCode === undefined ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
}

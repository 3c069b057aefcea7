import os from 'node:os';
import path from 'node:path';
import type { Provided, RunPlace } from '../../agents/run/runPlace.ts';
import { lendable } from '../../agents/sandbox/lentFolders.ts';
import { describeError } from '../../base/errors.ts';
import type { TaskRecord } from '../store/taskRecord.ts';
import { type UserDependencies, userDependencies } from './dependencies/dependencyPlan.ts';
import { type AllowsHost, InstallationHosts, reachableHosts } from './dependencies/reachableHosts.ts';
import { userRegistries } from './dependencies/userRegistries.ts';
import { installDependencies, planAndName } from './dependencyInstallation.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import type { RunServices } from './runServices.ts';
import type { ProgramLog } from './taskLog.ts';

const NO_HOST: AllowsHost = () => false;

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
		const reached = new InstallationHosts(reachableHosts(answer?.hosts ?? [], found.own));
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
			const configuration = path.join(scratchFolder, 'gitconfig');
			return await userDependencies({ folder, scratchFolder, configuration, signal });
		} catch (error) {
			signal.throwIfAborted();
			const message = `What you have installed could not be looked for (${describeError(error)}), so it is not shown.`;
			log.step('installing_dependencies', message, 'warning');
			return undefined;
		}
	}
}

import type { Memento } from 'vscode';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { TaskResult } from '../../contract/taskResults.ts';
import type { GitPlace } from '../../platform/git.ts';
import { StateEntries } from '../../platform/sharedState.ts';
import { RESULT_ENTRIES } from '../model/storageKeys.ts';
import { forgetResult } from './taskBranch.ts';

/** A result whose branch has been brought into a repository. */
interface ResultEntry {
	connection: string;
	taskId: string;
	key: string;
	/** The repository. */
	directory: string;
}

/** The maximum number of tasks that are looked up at once. The others follow at the next change of the list. */
const MAXIMUM_QUESTIONS = 10;

export interface ResultReferencesDependencies {
	workspaceState: Memento;
	/** Returns the name of the active connection, if it is known. */
	connection(): string | undefined;
	/** Returns undefined if git cannot be run now. */
	place(directory: string): Promise<GitPlace | undefined>;
	logger: Logger;
}

/** Remembers which repositories have references of Errand's own, and removes those that are no longer needed. */
export class ResultReferences {
	private readonly dependencies: ResultReferencesDependencies;
	private readonly entries: StateEntries<ResultEntry>;
	/** A copy in memory, because reading the state opens a file for each entry, and the list of tasks changes often. */
	private readonly known: Map<string, ResultEntry>;
	/** The tasks for which the service was asked. Each window asks for a task once. */
	private readonly asked = new Set<string>();

	constructor(dependencies: ResultReferencesDependencies) {
		this.dependencies = dependencies;
		this.entries = new StateEntries(dependencies.workspaceState, RESULT_ENTRIES, isResultEntry);
		this.known = new Map(this.entries.values().map(entry => [idOf(entry), entry]));
	}

	/** Records the references that were made for a result of the active connection. */
	remember({ key, taskId }: Pick<TaskResult, 'key' | 'taskId'>, directory: string): void {
		const connection = this.dependencies.connection();
		const id = idOf({ key, directory });
		if (connection !== undefined && !this.known.has(id)) {
			const entry = { connection, taskId, key, directory };
			this.known.set(id, entry);
			this.entries.note(id, entry);
		}
	}

	/** Removes the references of a result of the active connection, wherever they are. Rejects when git fails. */
	async remove(key: string): Promise<void> {
		const connection = this.dependencies.connection();
		for (const entry of [...this.known.values()]) {
			if (entry.key === key && entry.connection === connection) {
				await this.removeOne(entry);
			}
		}
	}

	/**
	 * Removes the references of this connection's tasks that its service no longer has. `isListed` returns whether a
	 * task is in the list; `isGone` asks the service for a task that is not. Never rejects.
	 */
	async sweep(
		connection: string,
		isListed: (taskId: string) => boolean,
		isGone: (taskId: string) => Promise<boolean>,
	): Promise<void> {
		const doubtful = [...this.known.values()]
			.filter(entry => entry.connection === connection && !isListed(entry.taskId))
			.filter(({ taskId }) => !this.asked.has(askedId(connection, taskId)));
		for (const [id, entries] of [...Map.groupBy(doubtful, ({ taskId }) => taskId)].slice(0, MAXIMUM_QUESTIONS)) {
			this.asked.add(askedId(connection, id));
			if (await isGone(id).catch(() => false)) {
				for (const entry of entries) {
					await this.removeOne(entry).catch((error: unknown) =>
						this.dependencies.logger.log('warn', 'the references of a task that is gone cannot be removed', {
							reason: describeError(error),
						}),
					);
				}
			}
		}
	}

	private async removeOne(entry: ResultEntry): Promise<void> {
		const place = await this.dependencies.place(entry.directory);
		if (!place) {
			return;
		}
		try {
			await forgetResult(place, entry.key);
		} catch (error) {
			// If the repository itself is gone, nothing is left to remove. Git is started in its folder, hence the
			// code.
			if (systemErrorCode(error) !== 'ENOENT') {
				throw error;
			}
		}
		this.known.delete(idOf(entry));
		await this.entries.delete(idOf(entry));
	}
}

const idOf = ({ key, directory }: Pick<ResultEntry, 'key' | 'directory'>): string => JSON.stringify([directory, key]);

const askedId = (connection: string, taskId: string): string => JSON.stringify([connection, taskId]);

function isResultEntry(value: unknown): value is ResultEntry {
	const entry = value as Partial<ResultEntry> | null;
	return [entry?.connection, entry?.taskId, entry?.key, entry?.directory].every(part => typeof part === 'string');
}

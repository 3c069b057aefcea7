import * as vscode from 'vscode';
import { type Disposable, DisposableOwner, DisposableStore } from '../../base/disposable.ts';
import { UserFacingError } from '../../base/errors.ts';
import type { Event } from '../../base/event.ts';
import { oneLine, shortName } from '../../base/plainText.ts';
import type { SandboxStatus } from '../../contract/agents.ts';
import { executeCommand } from '../../platform/commands.ts';
import type { PickerEnd } from '../../platform/editorUse.ts';
import type { GitApi } from '../../platform/git.ts';
import { commands } from '../../platform/ids.ts';
import { errorText } from '../../platform/notify.ts';
import { onDidChangeSetting, openSetting, readSetting } from '../../platform/settings.ts';
import type { NextTaskChoice, NextTaskView } from '../api.ts';
import { serviceIsStopped } from '../common/messages.ts';
import type { TaskTarget } from '../model/taskConnection.ts';
import { HeadWatch } from './headWatch.ts';
import { LaunchCheck, type LaunchCheckDependencies } from './launchCheck.ts';
import { pickAgents, rememberChoices } from './launchChoices.ts';
import type { LaunchSubject } from './launchSubject.ts';
import { agentChoices, limitChoices, type NextTaskProblem, solutionOf } from './nextTaskView.ts';
import { NoRepositoryError, repositoryName } from './openRepositories.ts';
import {
	type ClearSubject,
	clearSubject,
	pickSubject,
	readSubjects,
	type SubjectChoice,
	type WishedPlace,
} from './pickSubject.ts';
import type { PromptEditor } from './promptEditor.ts';
import type { PromptFile } from './promptFile.ts';

export interface NextTaskDependencies {
	promptFile: PromptFile;
	promptEditor: Pick<PromptEditor, 'takeToChat'>;
	globalState: vscode.Memento;
	connection: {
		/** Returns the active connection and its client. Starts the local service if that is the active one. */
		target(): Promise<TaskTarget>;
		/** The name by which the user knows the connection. */
		label(): string;
		/** Resolves with true if the user has stopped the service. Then only the user may start it again. */
		isStopped(): Promise<boolean>;
		/** The events after which the connection must be read again. */
		changes: readonly Event<void>[];
	};
	/** Returns the state of the sandbox in which agents work on the repository in a folder of this machine. */
	readSandbox(folder: string): Promise<SandboxStatus>;
	/** Returns the dependencies for checking a repository. */
	check(subjects: SubjectChoice): LaunchCheckDependencies;
}

const MAXIMUM_PROMPT = 40;

/** The settings that the view shows. */
const SETTINGS = ['errand.tasks.agent', 'errand.tasks.model', 'errand.tasks.maxCost', 'errand.local.sandbox'] as const;

interface Found {
	/** Undefined if no repository is open. */
	git: GitApi | undefined;
	/** Undefined if the user has to choose the repository or the branch. */
	check: LaunchCheck | undefined;
	/** The name of the repository, if there is no doubt about it. */
	repository: string | undefined;
}

/**
 * The place and the choices of the task that is started next, as far as they are known beforehand. Repository and
 * branch are the open ones, unless others were chosen; agents and models are remembered for each repository.
 */
export class NextTask extends DisposableOwner {
	private readonly dependencies: NextTaskDependencies;
	private readonly changed = this.disposables.add(new vscode.EventEmitter<void>());
	/** The choice made in this window. A place alone would lose a repository that is not open here. */
	private chosen: { subject: LaunchSubject; connection: string } | undefined;
	private problem: NextTaskProblem | undefined;

	constructor(dependencies: NextTaskDependencies) {
		super();
		this.dependencies = dependencies;
	}

	/** The chosen place of the next task; undefined members follow the open repository. */
	get place(): WishedPlace {
		return this.dependencies.promptFile.draft.place;
	}

	async setPlace(place: WishedPlace): Promise<void> {
		this.chosen = undefined;
		await this.dependencies.promptFile.draft.writePlace(place);
		this.changed.fire();
	}

	/** Returns the chosen subject of the next task on a connection, if the place does not describe it fully. */
	chosenSubject(connection: string): LaunchSubject | undefined {
		return this.chosen?.connection === connection ? this.chosen.subject : undefined;
	}

	/**
	 * Calls `show` with the choices of the next task, and again after each change, until it is disposed of. Reads only
	 * after events.
	 */
	follow(show: (view: NextTaskView) => void): Disposable {
		const store = new DisposableStore();
		const heads = store.add(new HeadWatch(() => read()));
		let reading: Promise<void> | undefined;
		let isStale = false;
		let shown = '';
		const readOnce = async () => {
			const view = await this.read(git => heads.watch(git));
			const text = JSON.stringify(view);
			if (!store.isDisposed && text !== shown) {
				shown = text;
				show(view);
			}
		};
		const read = (): void => {
			isStale = reading !== undefined;
			reading ??= readOnce().finally(() => {
				reading = undefined;
				if (isStale && !store.isDisposed) {
					read();
				}
			});
		};
		store.add(this.changed.event(read));
		store.add(onDidChangeSetting(SETTINGS, read));
		for (const event of this.dependencies.connection.changes) {
			store.add(event(read));
		}
		store.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && read()));
		store.add(vscode.workspace.onDidChangeWorkspaceFolders(read));
		store.add(vscode.workspace.onDidGrantWorkspaceTrust(read));
		store.add(vscode.window.onDidChangeActiveTextEditor(editor => editor && heads.isSeveral && read()));
		store.add(
			vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
				if ([...opened, ...closed].some(tab => this.isPrompt(tab))) {
					read();
				}
			}),
		);
		read();
		return store;
	}

	/** Lets the user change a choice. Resolves with 'elsewhere' if that has opened a setting. */
	async choose(choice: NextTaskChoice): Promise<PickerEnd> {
		switch (choice) {
			case 'prompt':
				await this.dependencies.promptEditor.takeToChat();
				break;
			case 'problem':
				await this.problem?.solve();
				break;
			case 'cost':
				await openSetting('errand.tasks.maxCost');
				return 'elsewhere';
			case 'sandbox':
				await openSetting('errand.local.sandbox');
				return 'elsewhere';
			case 'repository':
				await this.chooseRepository();
				break;
			case 'branch':
				await this.chooseBranch();
				break;
			case 'agent':
			case 'model':
				await this.chooseAgents();
				break;
		}
		this.changed.fire();
		return undefined;
	}

	private async chooseRepository(): Promise<void> {
		const target = await this.dependencies.connection.target();
		const subject = await pickSubject(await readSubjects(target, {}));
		if (subject) {
			const { opened, branch, key } = subject;
			await this.setPlace(opened ? { repository: key } : {});
			if (opened?.repository.state.HEAD?.name !== branch) {
				this.keep(subject, target);
			}
		}
	}

	private async chooseBranch(): Promise<void> {
		const { check } = await this.find(await this.dependencies.connection.target());
		if (!check) {
			return this.chooseRepository();
		}
		try {
			await check.gather();
		} catch (error) {
			// The chosen branch may be gone, and must not prevent the choice of another one.
			await this.setPlace({});
			throw error;
		}
		const { subject, connection } = check;
		const before = subject.branch;
		await subject.chooseBranch(check.facts, check.serviceAnswer);
		if (subject.branch !== before) {
			await this.setPlace(subject.opened ? { repository: subject.key, branch: subject.branch } : {});
			this.keep(subject, { connection });
		}
	}

	private async chooseAgents(): Promise<void> {
		const { check } = await this.find(await this.dependencies.connection.target());
		if (!check) {
			return;
		}
		const { connection, choices, subject } = check;
		const picked = await pickAgents(connection, choices.agents);
		if (picked === 'add-server') {
			await executeCommand(commands.addService);
		} else if (picked) {
			const { globalState } = this.dependencies;
			await rememberChoices(globalState, connection, subject.key, { ...choices, agents: picked });
		}
	}

	private keep(subject: LaunchSubject, { connection }: Pick<TaskTarget, 'connection'>): void {
		this.chosen = { subject, connection: connection.name };
	}

	private isPrompt({ input }: vscode.Tab): boolean {
		return input instanceof vscode.TabInputText && this.dependencies.promptFile.isOf(input.uri);
	}

	/**
	 * The prompt that waits in its editor, open or closed. An earlier version may have left it, which kept prompts only
	 * there.
	 */
	private waitingPrompt(): NextTaskView['choices'] {
		const text = this.dependencies.promptFile.text.trim();
		return text === ''
			? []
			: [{ choice: 'prompt', name: vscode.l10n.t('In its editor: {0}', oneLine(text, MAXIMUM_PROMPT)) }];
	}

	private async find(target: TaskTarget): Promise<Found> {
		const { place } = this;
		const subjects = await readSubjects(target, place);
		const chosen = this.chosenSubject(target.connection.name);
		const { repository, subject }: ClearSubject = chosen
			? { repository: undefined, subject: chosen }
			: await clearSubject(subjects, place);
		return {
			git: subjects.git,
			check: subject && new LaunchCheck(this.dependencies.check(subjects), '', subject, () => {}),
			repository: subject?.name ?? (repository && repositoryName(repository)),
		};
	}

	/** Never rejects. `onGit` is called with the API for the repositories on which the view depends. */
	private async read(onGit: (git: GitApi) => void): Promise<NextTaskView> {
		const waiting = this.waitingPrompt();
		try {
			const { git, check, repository } = await this.find(await this.running());
			if (git) {
				onGit(git);
			}
			const choices: NextTaskView['choices'] = [
				...waiting,
				{ choice: 'repository', name: repository ?? vscode.l10n.t('Select Repository') },
				...(repository === undefined
					? []
					: [{ choice: 'branch' as const, name: shortName(check?.subject.branch ?? vscode.l10n.t('Select Branch')) }]),
				...(check ? [...agentChoices(check), ...(await this.limits(check))] : []),
			];
			this.problem = undefined;
			return { choices };
		} catch (error) {
			this.problem = await this.problemOf(error);
			const { message, action } = this.problem;
			return { choices: waiting, problem: { message, action } };
		}
	}

	/** Rejects if the user has stopped the service, which is not started just for the view. */
	private async running(): Promise<TaskTarget> {
		const { connection } = this.dependencies;
		if (await connection.isStopped()) {
			throw new UserFacingError(serviceIsStopped());
		}
		return connection.target();
	}

	/** Returns the limits that only the local service knows. */
	private async limits({ choices, connection, subject }: LaunchCheck): Promise<NextTaskView['choices']> {
		if (!connection.isLocal) {
			return [];
		}
		// If the sandbox cannot be asked about, the list before the task starts says so.
		const sandbox = await this.dependencies.readSandbox(subject.key).catch(() => undefined);
		return limitChoices(choices.agents.length, readSetting('errand.tasks.maxCost'), sandbox);
	}

	private async problemOf(error: unknown): Promise<NextTaskProblem> {
		const { connection } = this.dependencies;
		if (await connection.isStopped().catch(() => false)) {
			return { message: serviceIsStopped(), action: vscode.l10n.t('Start It'), solve: () => connection.target() };
		}
		if (error instanceof NoRepositoryError) {
			return { message: error.message, ...solutionOf(error.reason) };
		}
		const message = errorText(error, connection.label());
		const { repository, branch } = this.place;
		return error instanceof UserFacingError && (repository !== undefined || branch !== undefined)
			? { message, action: vscode.l10n.t('Use What Is Open'), solve: () => this.setPlace({}) }
			: { message, action: vscode.l10n.t('Try Again'), solve: () => {} };
	}
}

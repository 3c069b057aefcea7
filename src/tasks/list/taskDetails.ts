import * as vscode from 'vscode';
import { DisposableOwner } from '../../base/disposable.ts';
import { redactText } from '../../base/redact.ts';
import { isAbsent } from '../../contract/lenient.ts';
import type { Task } from '../../contract/tasks.ts';
import { TASK_SCHEME } from '../../platform/ids.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { rowWords } from '../common/messages.ts';
import { encodeText, type FileSource } from '../common/readOnlyFiles.ts';
import { readTarget, uriOf } from '../common/taskUri.ts';
import type { ChooseTask } from '../model/taskConnection.ts';
import { taskTitle } from '../model/taskRow.ts';
import { visibleText } from '../model/visibleText.ts';
import type { TaskListStore } from './taskListStore.ts';

/** The maximum length of a title in the name of a document. */
const MAXIMUM_NAME = 40;

interface TaskDetailsDependencies {
	store: Pick<TaskListStore, 'get' | 'onDidChange'>;
	active: Pick<ActiveConnection, 'targetOf' | 'explain'>;
	choose: ChooseTask;
}

/** Documents with all that the service reports about a task, which follow the list. */
export class TaskDetails extends DisposableOwner implements FileSource {
	private readonly dependencies: TaskDetailsDependencies;
	private readonly changed = this.disposables.add(new vscode.EventEmitter<vscode.Uri>());
	readonly onDidChange = this.changed.event;
	private version = 1;

	constructor(dependencies: TaskDetailsDependencies) {
		super();
		this.dependencies = dependencies;
		this.disposables.add(
			dependencies.store.onDidChange(() => {
				this.version++;
				for (const { uri } of vscode.workspace.textDocuments) {
					if (uri.scheme === TASK_SCHEME) {
						this.changed.fire(uri);
					}
				}
			}),
		);
	}

	/** Opens the document of the given task, or of one that the user chooses. */
	async open(argument: unknown): Promise<void> {
		const { choose, store } = this.dependencies;
		const chosen = await choose(argument, vscode.l10n.t('Show Task Details'));
		if (chosen) {
			const { id, target } = chosen;
			const task = store.get(id);
			const title = task ? taskTitle(task, rowWords.untitled, MAXIMUM_NAME) : rowWords.untitled;
			const name = `${title} (${id.slice(0, 8)}).yaml`;
			const uri = uriOf(TASK_SCHEME, { target: { connection: target.connection, taskId: id }, name });
			await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
		}
	}

	stat(): vscode.FileStat {
		return { type: vscode.FileType.File, ctime: 0, mtime: this.version, size: 0 };
	}

	/** Returns the text of a document: the details, or why they cannot be read. */
	async read(uri: vscode.Uri): Promise<Uint8Array> {
		const { active } = this.dependencies;
		const text = await this.details(uri).catch((error: unknown) => `# ${active.explain(error)}\n`);
		return encodeText(text);
	}

	private async details(uri: vscode.Uri): Promise<string> {
		const named = readTarget(uri);
		if (!named) {
			return `# ${vscode.l10n.t('This document doesn’t belong to a task. Open it from the Tasks view.')}\n`;
		}
		const { client } = await this.dependencies.active.targetOf(named.connection);
		const task = this.dependencies.store.get(named.taskId) ?? (await client.tasks.get(named.taskId));
		return taskDetails(task);
	}
}

/** The documented fields (contract: cloud-tasks.md, Task). All other fields are in the group `other`. */
const groups = {
	state: ['id', 'status', 'progress', 'error', 'badge', 'batchId'],
	work: [
		...(['prompt', 'selectedAgent', 'selectedModel', 'installDependencies', 'maxDuration'] as const),
		...(['multiLaunch', 'selectedAgents', 'agentExecutions'] as const),
	],
	place: [
		...(['repoUrl', 'selectedBranch', 'branchName', 'diffStats', 'merged', 'prNumber', 'prUrl'] as const),
		...(['sandboxUrl', 'sandboxId'] as const),
	],
	deployment: ['autoDeployEnabled', 'deployments'],
	people: ['userId', 'teamId', 'creatorName', 'creatorImage', 'isEmptyGitUser'],
	times: ['createdAt', 'updatedAt', 'completedAt'],
} satisfies Record<string, (keyof Task & string)[]>;

const headings = {
	state: vscode.l10n.t('State'),
	work: vscode.l10n.t('Request'),
	place: vscode.l10n.t('Repository and sandbox'),
	deployment: vscode.l10n.t('Deployment'),
	people: vscode.l10n.t('Started by'),
	times: vscode.l10n.t('Times'),
	other: vscode.l10n.t('Other details from the service'),
};

/**
 * Returns all that a service reports about a task, in the form of YAML: each field by its own name, in groups under
 * headings. Absent fields are left out, unknown structures are JSON, and keys are removed.
 */
export function taskDetails(task: Task): string {
	const named = new Set<string>(Object.values(groups).flat());
	const rest = Object.keys(task).filter(name => !named.has(name));
	// The name of this field begins with that of the host.
	const isDeployment = (name: string) => name.endsWith('DeploymentSettings');
	const all: Record<keyof typeof headings, readonly string[]> = {
		...groups,
		deployment: [...groups.deployment, ...rest.filter(isDeployment)],
		other: rest.filter(name => !isDeployment(name)),
	};
	const texts = (Object.entries(all) as [keyof typeof headings, readonly string[]][]).flatMap(([group, names]) => {
		const lines = names.flatMap(name => {
			const value = task[name];
			return isAbsent(value) ? [] : [`${name}: ${valueText(value)}`];
		});
		return lines.length === 0 ? [] : [[`# ${headings[group]}`, ...lines].join('\n')];
	});
	return `${visibleText(redactText(texts.join('\n\n')))}\n`;
}

function valueText(value: unknown): string {
	if (typeof value !== 'string') {
		return JSON.stringify(value, withoutPatch, 2);
	}
	const lines = value.split(/\r\n|\r|\n/);
	return lines.length === 1 ? value : ['|', ...lines.map(line => `  ${line}`)].join('\n');
}

/** The changes of an agent have their own view, and can be of any size. */
const withoutPatch = (name: string, value: unknown) => (name === 'gitDiff' ? undefined : value);

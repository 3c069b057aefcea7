import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import type { TaskResult } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { FILE_CONTEXT, internalCommands } from '../../platform/ids.ts';
import { describeFile } from '../common/fileMessages.ts';
import { rowWords } from '../common/messages.ts';
import { type ChangedFile, pathOf } from '../model/changedFile.ts';
import { taskTitle } from '../model/taskRow.ts';
import { versionUri } from './changeUri.ts';
import type { ListedChanges, TaskChanges } from './taskChanges.ts';

/** A changed file of a result. Commands get it as their argument. */
export interface FileNode {
	readonly kind: 'file';
	readonly taskId: string;
	readonly resultKey: string;
	/**
	 * The path by which the file is known. If several names that are not UTF-8 look the same, all but one of these
	 * paths get a suffix.
	 */
	readonly path: string;
}

export type FileRowNode =
	| FileNode
	/** A row in place of files while they are being read, if they cannot be read, or if there are none. */
	| { readonly kind: 'fileNote'; readonly taskId: string; readonly resultKey: string }
	| { readonly kind: 'moreFiles'; readonly taskId: string; readonly resultKey: string };

/** The number of files shown at first, and added each time. */
const FILE_PAGE = 200;

const MAXIMUM_TITLE = 40;
const MAXIMUM_NOTE = 300;

/** The state for the rows of one result. The editor identifies rows by the identity of their nodes. */
interface Rows {
	changes: ListedChanges | undefined;
	/** In the order of the changes. */
	files: Map<string, ChangedFile>;
	nodes: Map<string, FileNode>;
	note: FileRowNode;
	more: FileRowNode;
	shown: number;
}

/** The rows of changed files below a task, or below one agent's result. */
export class FileRows {
	private readonly changes: Pick<TaskChanges, 'state' | 'last'>;
	private readonly results = new Map<string, Rows>();

	constructor(changes: Pick<TaskChanges, 'state' | 'last'>) {
		this.changes = changes;
	}

	/** Returns the rows of a result. While newer changes are being read, the previous ones stay. */
	rowsOf(task: Task, result: TaskResult): FileRowNode[] {
		const rows = this.of(result);
		const state = this.changes.state(task, result);
		if (state?.kind === 'failed' || rows.files.size === 0) {
			return [rows.note];
		}
		const nodes = [...rows.files.keys()].slice(0, rows.shown).map(path => nodeOf(rows, result, path));
		return rows.files.size > rows.shown ? [...nodes, rows.more] : nodes;
	}

	/** Shows another page of files. Returns the first of its rows. */
	showMore(result: TaskResult): FileRowNode | undefined {
		const rows = this.of(result);
		const first = [...rows.files.keys()][rows.shown];
		rows.shown += FILE_PAGE;
		return first === undefined ? undefined : nodeOf(rows, result, first);
	}

	itemOf(node: FileRowNode, task: Task, result: TaskResult): vscode.TreeItem {
		switch (node.kind) {
			case 'file':
				return this.fileItem(node, task);
			case 'fileNote':
				return this.noteItem(node, task, result);
			case 'moreFiles':
				return this.moreItem(node, result);
		}
	}

	private fileItem(node: FileNode, task: Task): vscode.TreeItem {
		const rows = this.results.get(node.resultKey);
		const file = rows?.files.get(node.path);
		if (!rows?.changes || !file) {
			return new vscode.TreeItem(oneLine(node.path, MAXIMUM_NOTE));
		}
		const { changes } = rows;
		const row = describeFile(file, changes.isCounted);
		const [before, after] = [versionUri(changes, file, 'before'), versionUri(changes, file, 'after')];
		const item = new vscode.TreeItem(row.label);
		item.description = row.description;
		// The theme's icon for the file; the fragment passes its status to the decoration and has no other use.
		item.resourceUri = (file.after ? after : before).with({ fragment: row.status });
		item.iconPath = vscode.ThemeIcon.File;
		item.tooltip = row.accessibleLabel;
		item.accessibilityInformation = { label: row.accessibleLabel, role: 'treeitem' };
		item.contextValue = FILE_CONTEXT;
		const title = vscode.l10n.t('{0} (Task: {1})', row.label, taskTitle(task, rowWords.untitled, MAXIMUM_TITLE));
		// The editor cannot compare an image with nothing.
		const isAlone = changes.isCounted && file.lines === undefined && !(file.before && file.after);
		item.command = isAlone
			? {
					title: vscode.l10n.t('Open File'),
					command: 'vscode.open',
					arguments: [file.after ? after : before, { preview: true }, title],
				}
			: { title: vscode.l10n.t('Open Changes'), command: 'vscode.diff', arguments: [before, after, title] };
		return item;
	}

	private noteItem(node: FileRowNode, task: Task, result: TaskResult): vscode.TreeItem {
		const state = this.changes.state(task, result);
		if (state?.kind === 'failed') {
			const { message } = state.error;
			const item = new vscode.TreeItem(oneLine(message, MAXIMUM_NOTE));
			item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground'));
			item.tooltip = vscode.l10n.t('{0} Select this row to try again.', message);
			item.accessibilityInformation = { label: item.tooltip, role: 'button' };
			item.command = {
				title: vscode.l10n.t('Reload Changes'),
				command: internalCommands.readChangesAgain,
				arguments: [node],
			};
			return item;
		}
		const isRead = state?.kind === 'listed' || state?.kind === 'read';
		const item = new vscode.TreeItem(
			isRead ? vscode.l10n.t('The branch doesn’t change any files.') : vscode.l10n.t('Reading the changes…'),
		);
		item.accessibilityInformation = { label: String(item.label), role: 'treeitem' };
		return item;
	}

	private moreItem(node: FileRowNode, { key }: TaskResult): vscode.TreeItem {
		const rows = this.results.get(key);
		const total = rows?.files.size ?? 0;
		const shown = rows?.shown ?? 0;
		const spoken = vscode.l10n.t('Showing {0} of {1} files. Show more', formatNumber(shown), formatNumber(total));
		return moreItem(node, { rest: Math.min(FILE_PAGE, total - shown), total }, spoken);
	}

	/** Returns the rows with the changes as they are known now. */
	private of({ key, taskId }: TaskResult): Rows {
		let rows = this.results.get(key);
		if (!rows) {
			rows = {
				changes: undefined,
				files: new Map(),
				nodes: new Map(),
				note: { kind: 'fileNote', taskId, resultKey: key },
				more: { kind: 'moreFiles', taskId, resultKey: key },
				shown: FILE_PAGE,
			};
			this.results.set(key, rows);
		}
		const last = this.changes.last(key);
		if (last !== rows.changes) {
			rows.changes = last;
			rows.files = byPath(last?.files ?? []);
		}
		return rows;
	}
}

/** Returns a row that shows more of those like it. */
export function moreItem(
	node: object,
	{ rest, total }: { rest: number; total: number },
	spoken?: string,
): vscode.TreeItem {
	const label = vscode.l10n.t('Show {0} more of {1}', formatNumber(rest), formatNumber(total));
	const item = new vscode.TreeItem(label);
	item.command = { title: label, command: internalCommands.showMoreFiles, arguments: [node] };
	item.accessibilityInformation = { label: spoken ?? label, role: 'button' };
	return item;
}

/** Every row needs its own path. Only names that are not UTF-8 can look the same. */
function byPath(files: readonly ChangedFile[]): Map<string, ChangedFile> {
	const found = new Map<string, ChangedFile>();
	for (const file of files) {
		let path = pathOf(file);
		while (found.has(path)) {
			path += '\ufffd';
		}
		found.set(path, file);
	}
	return found;
}

function nodeOf({ nodes }: Rows, { key, taskId }: TaskResult, path: string): FileNode {
	let node = nodes.get(path);
	if (!node) {
		node = { kind: 'file', taskId, resultKey: key, path };
		nodes.set(path, node);
	}
	return node;
}

const COLOURS: Readonly<Record<string, string>> = {
	A: 'gitDecoration.addedResourceForeground',
	M: 'gitDecoration.modifiedResourceForeground',
	D: 'gitDecoration.deletedResourceForeground',
	R: 'gitDecoration.renamedResourceForeground',
	T: 'gitDecoration.modifiedResourceForeground',
};

/** Returns the status letter of a file's row, in the theme's colour for it. Documents of the same scheme have none. */
export function decorationOf(uri: vscode.Uri): vscode.FileDecoration | undefined {
	const { fragment } = uri;
	const colour = COLOURS[fragment];
	return colour === undefined
		? undefined
		: new vscode.FileDecoration(fragment, undefined, new vscode.ThemeColor(colour));
}

import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { UserFacingError } from '../base/errors.ts';
import { placeOf } from '../base/filePlace.ts';
import type { ContextText } from '../chat/api.ts';
import { getGitApi } from '../platform/git.ts';
import { choose } from '../platform/pick.ts';
import type { TaskFacts } from '../tasks/api.ts';
import { named } from './messages.ts';
import type { DecisionSource } from './model/decisionFile.ts';
import type { SubjectMaterial } from './subject.ts';

/** The services by which sources are read. */
type ReadableMaterial = Pick<SubjectMaterial, 'readContext' | 'tasks'>;

/** Reads the sources of one file. Rejects with sentences for the user. */
export class SourceReader {
	private readonly uri: vscode.Uri;
	private readonly material: ReadableMaterial;
	private readonly signal: AbortSignal;
	/** The tasks that were asked for, by the ids that the file names. Several sources may refer to the same task. */
	private readonly tasks = new Map<string | undefined, Promise<TaskFacts | undefined>>();

	/** `uri` is that of the decision file. */
	constructor(uri: vscode.Uri, material: ReadableMaterial, signal: AbortSignal) {
		this.uri = uri;
		this.material = material;
		this.signal = signal;
	}

	/** Resolves with undefined if the user has dismissed a question. */
	async read(source: DecisionSource): Promise<ContextText | undefined> {
		const { readContext } = this.material;
		switch (source.from) {
			case 'selection': {
				const editor = await this.selectedEditor();
				if (!editor) {
					return undefined;
				}
				const { start, end } = editor.selection;
				const range = { start: positionOf(start), end: positionOf(end) };
				return readContext({ kind: 'selection', uri: editor.document.uri.toString(), range });
			}
			case 'file':
				return readContext({ kind: 'file', uri: (await this.fileOf(source.path)).toString() });
			case 'problems':
				return readContext({
					kind: 'problems',
					...defined({ uri: source.path === undefined ? undefined : this.placeOf(source.path).toString() }),
				});
			case 'diff': {
				const repository = await this.repository();
				return repository && readContext({ kind: 'diff', uri: repository.toString() });
			}
			case 'task-prompt':
			case 'task-log':
			case 'task-changes':
				return this.readTask(source.from, source.task);
		}
	}

	private async readTask(
		from: 'task-prompt' | 'task-log' | 'task-changes',
		id: string | undefined,
	): Promise<ContextText | undefined> {
		const { tasks, readContext } = this.material;
		const title = vscode.l10n.t('Evaluate Decision File');
		const asked = this.tasks.get(id) ?? tasks.choose(id, title, from === 'task-changes' ? 'changed' : 'any');
		this.tasks.set(id, asked);
		const task = await asked;
		if (!task) {
			return undefined;
		}
		if (from === 'task-prompt') {
			const label = vscode.l10n.t('prompt of “{0}”', task.title);
			return readContext({ kind: 'text', label, text: task.prompt });
		}
		if (from === 'task-log') {
			const entries = await tasks.readLog(task.id, this.signal);
			const text = entries.map(({ index, text: said }) => `${index}: ${said}`).join('\n');
			return readContext({ kind: 'text', label: vscode.l10n.t('log of “{0}”', task.title), text });
		}
		const patch = await tasks.readChanges(task.id, undefined, title);
		return patch && readContext({ kind: 'text', label: patchLabel(patch), text: patch.text });
	}

	/**
	 * Returns the editor with the selection, which is not that of the file itself: a selection there would be part of
	 * the questions.
	 */
	private async selectedEditor(): Promise<vscode.TextEditor | undefined> {
		const editors = vscode.window.visibleTextEditors.filter(
			({ document, selection }) => document.uri.toString() !== this.uri.toString() && !selection.isEmpty,
		);
		if (editors.length === 0) {
			throw new UserFacingError(
				vscode.l10n.t(
					'No other visible editor has a selection. Select the text in an editor next to this file, then evaluate again.',
				),
			);
		}
		return editors.length === 1
			? editors[0]
			: choose(
					vscode.l10n.t('Evaluate Decision File'),
					editors.map(value => ({ label: vscode.workspace.asRelativePath(value.document.uri), value })),
					{ placeHolder: vscode.l10n.t('Select an editor whose selection to use') },
				);
	}

	/** A decision file may come from anybody, so it can only name files of its own workspace. */
	private placeOf(path: string): vscode.Uri {
		const folder =
			vscode.workspace.getWorkspaceFolder(this.uri)?.uri ??
			vscode.workspace.workspaceFolders?.[0]?.uri ??
			(this.uri.scheme === 'untitled' ? undefined : vscode.Uri.joinPath(this.uri, '..'));
		const place = folder && vscode.Uri.joinPath(folder, path);
		const isOutside =
			/^(?:[\\/]|[a-z]:)/i.test(path) || !place || !place.path.startsWith(`${folder.path.replace(/\/$/, '')}/`);
		if (!place || isOutside) {
			throw new UserFacingError(
				vscode.l10n.t('“{0}” isn’t a path in the open folder. Use a path relative to that folder.', named(path)),
			);
		}
		if (!vscode.workspace.isTrusted) {
			throw new UserFacingError(
				vscode.l10n.t(
					'Decision files can’t read other files in an untrusted workspace. Trust it (“Workspaces: Manage Workspace Trust”), then evaluate again.',
				),
			);
		}
		return place;
	}

	/** Refuses links too: in someone else's repository a link may lead to any file of this machine. */
	private async fileOf(path: string): Promise<vscode.Uri> {
		const place = this.placeOf(path);
		const folders = vscode.workspace.workspaceFolders ?? [{ uri: vscode.Uri.joinPath(this.uri, '..') }];
		const isInside =
			place.scheme !== 'file' ||
			(
				await placeOf(
					place.fsPath,
					folders.map(({ uri }) => uri.fsPath),
				)
			).isInside;
		if (!isInside) {
			throw new UserFacingError(
				vscode.l10n.t(
					'“{0}” is a link that leads out of the open folder. Copy the file to that folder, or select its text and use “selection”.',
					named(path),
				),
			);
		}
		return place;
	}

	/** Returns the repository that contains the file, or the one that the user chooses. */
	private async repository(): Promise<vscode.Uri | undefined> {
		const { repositories } = await getGitApi();
		const roots = repositories.map(({ rootUri }) => rootUri);
		const around = roots
			.filter(({ path }) => this.uri.path.startsWith(`${path}/`))
			.sort((one, other) => other.path.length - one.path.length);
		const [own] = around.length > 0 ? around : roots;
		if (!own) {
			throw new UserFacingError(
				vscode.l10n.t('No Git repository is open, so there are no changes to read. Open its folder first.'),
			);
		}
		return around.length > 0 || roots.length === 1
			? own
			: choose(
					vscode.l10n.t('Evaluate Decision File'),
					roots.map(value => ({ label: value.path.slice(value.path.lastIndexOf('/') + 1), value })),
					{ placeHolder: vscode.l10n.t('Select a repository whose changes to add') },
				);
	}
}

/** Returns a label for changes, which says so if only a part of them is there. */
export function patchLabel({ name, isCut }: { name: string; isCut: boolean }): string {
	return isCut
		? vscode.l10n.t('changes of {0}, only the beginning', named(name))
		: vscode.l10n.t('changes of {0}', named(name));
}

const positionOf = ({ line, character }: vscode.Position) => ({ line, character });

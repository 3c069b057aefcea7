import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { errorText } from '../../platform/notify.ts';
import { choose } from '../../platform/pick.ts';
import { withProgressNotice } from '../../platform/progressNotice.ts';
import type { TaskFacts, TaskText } from '../api.ts';
import type { TaskMaterial } from './taskMaterial.ts';

/**
 * The time for which a log is read, in milliseconds. The entries until then are enough: a running task may never stop
 * writing.
 */
const READ_MS = 10_000;

/** The maximum length of a log, in UTF-16 code units. The middle of a longer one is left out. */
const MAXIMUM_LOG = 200_000;

/**
 * Lets the user choose the log so far or the changes of a task, which `argument` may name. Resolves with undefined when
 * dismissed. Rejects with a sentence for the user, in which `connection` is the name of the service.
 */
export async function readTaskForChat(
	material: TaskMaterial,
	argument: unknown,
	connection: string,
): Promise<TaskText | undefined> {
	try {
		const title = vscode.l10n.t('Add Task to Chat');
		const facts = await material.choose(argument, title, 'any');
		const part = facts && (facts.hasChanges ? await choosePart(facts.title) : 'log');
		if (!facts || !part) {
			return undefined;
		}
		if (part === 'log') {
			return await readLog(material, facts);
		}
		const patch = await material.readChanges(facts.id, argument, title);
		if (!patch) {
			return undefined;
		}
		const { text, isCut } = patch;
		return {
			label: isCut
				? vscode.l10n.t('Changes of {0}, only the beginning', facts.title)
				: vscode.l10n.t('Changes of {0}', facts.title),
			text,
			language: 'diff',
		};
	} catch (error) {
		throw new UserFacingError(errorText(error, connection), { cause: error });
	}
}

function choosePart(title: string): Promise<'log' | 'changes' | undefined> {
	return choose<'log' | 'changes'>(vscode.l10n.t('Add to Chat: {0}', title), [
		{ label: `$(output) ${vscode.l10n.t('Log')}`, value: 'log' },
		{ label: `$(diff) ${vscode.l10n.t('Changes')}`, value: 'changes' },
	]);
}

async function readLog(material: TaskMaterial, { id, title }: TaskFacts): Promise<TaskText | undefined> {
	const limit = AbortSignal.timeout(READ_MS);
	const read = await withProgressNotice(vscode.l10n.t('Reading the log of {0}', title), async stopped => {
		const entries = await material.readLogSoFar(id, AbortSignal.any([stopped, limit]), limit);
		return stopped.aborted ? undefined : entries;
	});
	if (!read) {
		return undefined;
	}
	const parts = read.parts.map(entries => entries.map(({ text }) => text).join('\n'));
	const [start = '', end = ''] = parts;
	if (start === '') {
		throw new UserFacingError(vscode.l10n.t('This task has no log yet. Try again when it has started.'));
	}
	const room = MAXIMUM_LOG - start.length;
	const tail = end.length > room ? end.slice(end.indexOf('\n', end.length - room) + 1) : end;
	const isWhole = read.leftOut === 0 && tail.length === end.length;
	const gap = isWhole ? [] : [vscode.l10n.t('(entries omitted)')];
	return {
		label: vscode.l10n.t('Log of {0}', title),
		text: [start, ...gap, ...(tail === '' ? [] : [tail])].join('\n'),
	};
}

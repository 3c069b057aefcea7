// Writes connections into a file and takes them out of one. Keys are part of neither.
import * as vscode from 'vscode';
import { escapeIcons, oneLine } from '../base/plainText.ts';
import { redactText } from '../base/redact.ts';
import { askModal, showMessage } from '../platform/notify.ts';
import { chooseSome, shownText } from '../platform/pick.ts';
import { defaultFolder, fileNameOf, offerToOpen } from '../platform/saveTarget.ts';
import { settingIssueText } from '../platform/settingIssue.ts';
import { readSetting } from '../platform/settings.ts';
import { connectionNames } from './model/readConnection.ts';
import {
	exportFile,
	type Importable,
	MAXIMUM_FILE_BYTES,
	readImportFile,
	type TransferProblem,
} from './model/transfer.ts';
import { saveConnections } from './saveConnection.ts';

const FILTERS = { JSON: ['json'] };
const MAXIMUM_NAMED = 3;
const MAXIMUM_NAME = 60;

/** Lets the user choose among these connections and writes them into a file. */
export async function exportConnections(names: readonly string[]): Promise<void> {
	const title = vscode.l10n.t('Export Connections');
	const chosen =
		names.length === 1
			? names
			: await chooseSome(
					title,
					vscode.l10n.t('No key is written into the file'),
					names.map(name => ({ label: shownText(name), value: name, picked: true })),
				);
	if (chosen === undefined || chosen.length === 0) {
		return;
	}
	const { text, refused } = exportFile(readSetting('errand.connections'), chosen);
	if (refused.length > 0) {
		await showMessage('warning', vscode.l10n.t('Not exported: {0}.', refusedText(refused)));
	}
	if (refused.length === chosen.length) {
		return;
	}
	const fileName = fileNameOf(chosen.length === 1 ? (chosen[0] ?? '') : '', 'connections');
	const place = await vscode.window.showSaveDialog({
		title,
		defaultUri: vscode.Uri.joinPath(defaultFolder(), `${fileName}.json`),
		filters: FILTERS,
	});
	if (place) {
		await vscode.workspace.fs.writeFile(place, new TextEncoder().encode(text));
		offerToOpen(place, vscode.l10n.t('Exported to {0}. The file has no keys.', vscode.workspace.asRelativePath(place)));
	}
}

/** Reads a file that may be hostile: only what the user has seen and chosen is written, and nothing that is there changes. */
export async function importConnections(): Promise<void> {
	const title = vscode.l10n.t('Import Connections');
	const [file] =
		(await vscode.window.showOpenDialog({
			title,
			openLabel: vscode.l10n.t('Import'),
			defaultUri: defaultFolder(),
			filters: FILTERS,
		})) ?? [];
	if (file) {
		await importFile(file);
	}
}

async function importFile(file: vscode.Uri): Promise<void> {
	const { size } = await vscode.workspace.fs.stat(file);
	if (size > MAXIMUM_FILE_BYTES) {
		await showMessage('error', vscode.l10n.t('The file is too large to be one of connections. Nothing was imported.'));
		return;
	}
	const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
	const present = readSetting('errand.connections');
	// A connection that the settings name already would be in use at once, so its name is not free either.
	const taken = [...connectionNames(present), readSetting('errand.connection')];
	const read = readImportFile(text, present, taken);
	if ('problem' in read) {
		await showMessage('error', fileProblemText(read.problem));
		return;
	}
	if (read.refused.length > 0) {
		const message = vscode.l10n.t('Not imported: {0}.', refusedText(read.refused));
		if (read.connections.length === 0) {
			await showMessage('error', message);
			return;
		}
		void showMessage('warning', message);
	}
	const items = read.connections.map(connection => ({
		label: escapeIcons(connection.newName),
		description: connection.origins.map(shownText).join(', '),
		detail: factsOf(connection),
		value: connection.newName,
		picked: !connection.isPresent,
	}));
	const chosen = await chooseSome(vscode.l10n.t('Import Connections'), vscode.l10n.t('Choose what to add'), items);
	const wanted = read.connections.filter(({ newName }) => chosen?.includes(newName));
	if (wanted.length === 0 || !(await mayAdd(wanted))) {
		return;
	}
	await saveConnections(Object.fromEntries(wanted.map(({ newName, value }) => [newName, value])));
	const names = wanted.map(({ newName }) => `“${newName}”`).join(', ');
	void showMessage(
		'information',
		vscode.l10n.t('Added {0}. Keys are not part of the file: enter them with “Errand: Manage Keys”.', names),
	);
}

/** A row of a list may cut addresses off, so all of them are shown before anything is written. */
async function mayAdd(connections: readonly Importable[]): Promise<boolean> {
	const add = vscode.l10n.t('Add');
	const question =
		connections.length === 1
			? vscode.l10n.t('Add this connection?')
			: vscode.l10n.t('Add these {0} connections?', connections.length);
	const lines = connections.map(({ newName, origins }) => `“${newName}”: ${origins.join(', ')}`);
	const detail = [vscode.l10n.t('Once you use one, messages and tasks go to its addresses:'), ...lines].join('\n');
	return (await askModal(question, detail, add)) === add;
}

function factsOf({ name, newName, dropped, isPresent }: Importable): string {
	return [
		isPresent ? vscode.l10n.t('You have it already.') : '',
		name === newName ? '' : vscode.l10n.t('Called “{0}” in the file.', name),
		dropped.length === 0 ? '' : vscode.l10n.t('Left out: {0}.', escapeIcons(oneLine(dropped.join(', '), MAXIMUM_NAME))),
	]
		.filter(Boolean)
		.join(' ');
}

function fileProblemText(problem: 'not-json' | 'no-connections' | 'too-many'): string {
	switch (problem) {
		case 'not-json':
			return vscode.l10n.t('The file is not JSON. Nothing was imported.');
		case 'no-connections':
			return vscode.l10n.t(
				'The file holds no connections in the form in which Errand exports them. Nothing was imported.',
			);
		case 'too-many':
			return vscode.l10n.t('The file holds too many connections. Nothing was imported.');
	}
}

function refusedText(refused: readonly { name: string; problem: TransferProblem }[]): string {
	const named = refused
		.slice(0, MAXIMUM_NAMED)
		.map(({ name, problem }) => `“${redactText(oneLine(name, MAXIMUM_NAME))}” (${problemText(problem)})`);
	const more = refused.length - named.length;
	return [...named, ...(more > 0 ? [vscode.l10n.t('and {0} more', more)] : [])].join(', ');
}

function problemText(problem: TransferProblem): string {
	const field = 'field' in problem ? oneLine(problem.field, MAXIMUM_NAME) : '';
	switch (problem.kind) {
		case 'name':
			return vscode.l10n.t('a connection cannot have that name');
		case 'invalid':
			return oneLine(settingIssueText(problem.issue, problem.value), 2 * MAXIMUM_NAME);
		case 'secret':
			return vscode.l10n.t('{0} looks like a key, which is not kept in the settings', field);
		case 'hidden':
			return vscode.l10n.t('{0} has hidden characters', field);
		case 'long':
			return vscode.l10n.t('{0} is too long', field);
	}
}

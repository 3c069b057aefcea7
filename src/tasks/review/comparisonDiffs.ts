// The editor's own views of what compared agents have made.
import * as vscode from 'vscode';
import { escapeIcons, shortName } from '../../base/plainText.ts';
import { choose } from '../../platform/pick.ts';
import type { ComparedFile } from '../model/compareResults.ts';
import { versionUri } from '../results/fileUris.ts';
import type { Comparison } from './readComparison.ts';

/** The most files in one view of differences: the editor makes a part of the view for each. */
const MAXIMUM_DIFFS = 200;

/** Shows what an agent has changed in a file; without one, what the first two have made of it that differ in it. */
export async function showFile(comparison: Comparison, file: ComparedFile, agent?: number): Promise<void> {
	const first = agent ?? file.versions.findIndex(version => version !== undefined);
	const second = agent ?? file.versions.findIndex(version => version !== undefined && version !== first);
	const names = [...new Set([first, second])].map(at => comparison.results[at]?.name).join(' ↔ ');
	const left = versionOf(comparison, file, first, agent === undefined ? 'after' : 'before');
	const right = versionOf(comparison, file, second);
	const title = `${shortName(file.path)} (${names})`;
	await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
}

/** Shows the files of two that differ, in one view. The user chooses the two where there are more. */
export async function showDifferences(comparison: Comparison): Promise<void> {
	const { results, files } = comparison;
	const pair = results.length === 2 ? [0, 1] : await choosePair(results.map(({ name }) => name));
	const [first, second] = pair;
	if (first === undefined || second === undefined) {
		return;
	}
	const differing = files.filter(({ versions }) => versions[first] !== versions[second]);
	const resources = differing
		.slice(0, MAXIMUM_DIFFS)
		.map(file => [second, first, second].map(at => versionOf(comparison, file, at)));
	const names = pair.map(at => results[at]?.name).join(' ↔ ');
	const title =
		differing.length > MAXIMUM_DIFFS
			? vscode.l10n.t('{0} ({1} of {2} files)', names, MAXIMUM_DIFFS, differing.length)
			: names;
	await vscode.commands.executeCommand('vscode.changes', title, resources);
}

/** Resolves with fewer than two positions when dismissed. */
async function choosePair(names: readonly string[]): Promise<number[]> {
	const title = vscode.l10n.t('Compare Two');
	const items = names.map((name, value) => ({ label: escapeIcons(name), value }));
	const first = await choose(title, items);
	const others = items.filter(({ value }) => value !== first);
	const second = first === undefined ? undefined : await choose(title, others);
	return [first, second].filter(position => position !== undefined);
}

/** Returns the address of a file as one has found or left it. One that did not change it left it as it was. */
function versionOf(
	{ results }: Comparison,
	{ files }: ComparedFile,
	at: number,
	side: 'before' | 'after' = 'after',
): vscode.Uri {
	const owner = files[at] ? at : files.findIndex(file => file !== undefined);
	const [changes, file] = [results[owner]?.changes, files[owner]];
	if (!changes || !file) {
		throw new RangeError('the comparison has no such version');
	}
	return versionUri(changes, file, owner === at ? side : 'before');
}

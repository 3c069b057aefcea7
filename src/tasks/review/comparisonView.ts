// The contents of the page of a comparison, in words.
import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import { agentNames } from '../../contract/taskResults.ts';
import { isActiveTask } from '../../contract/tasks.ts';
import { durationText, formatNumber, linesText } from '../../platform/amounts.ts';
import { kindOf, modeOf, statusWords } from '../common/fileMessages.ts';
import { rowWords } from '../common/messages.ts';
import { servedText, usageText } from '../common/usage.ts';
import type { ChangedFile } from '../model/changedFile.ts';
import { type ComparedFile, type ComparedState, countChanges } from '../model/compareResults.ts';
import type { ComparisonView, FileView } from '../model/comparisonProtocol.ts';
import type { Comparison } from './readComparison.ts';

const MAXIMUM_NAME = 60;

type Result = Comparison['results'][number];

/** Returns the view of a comparison, with at most `maximum` files. */
export function comparisonView(
	{ results, files }: Comparison,
	maximum: number,
): Omit<ComparisonView, 'title' | 'canCompose'> {
	const working = results.filter(({ outcome }) => outcome === 'active').map(({ name }) => name);
	const follows = vscode.l10n.t('Still running: {0}. This page updates automatically.', working.join(', '));
	const sections: ComparisonView['sections'] = [];
	let room = maximum;
	for (const state of ['different', 'only', 'same'] as const) {
		const here = files.filter(file => file.state === state);
		const shown = here.slice(0, room).map(file => fileView(file, results));
		room -= shown.length;
		if (shown.length > 0) {
			sections.push({ heading: sectionText(state, here.length), files: shown });
		}
	}
	return {
		sentence: [differenceText(files), ...(working.length > 0 ? [follows] : [])].join(' '),
		tone: working.length > 0 ? 'pending' : 'open',
		agents: results.map(result => ({
			name: result.name,
			changes: changesText(result),
			hasChanges: (result.changes?.files.length ?? 0) > 0,
		})),
		facts: factsOf(results),
		sections,
		filesLeft: Math.max(0, files.length - maximum),
	};
}

function differenceText(files: readonly ComparedFile[]): string {
	const different = files.filter(({ state }) => state !== 'same').length;
	if (files.length === 0) {
		return vscode.l10n.t('None of them changed any files.');
	}
	return different === 0
		? vscode.l10n.t('All of them made the same changes.')
		: vscode.l10n.t('{0} of {1} files differ.', formatNumber(different), formatNumber(files.length));
}

/** A fact that is unknown for every agent is left out. */
function factsOf(results: readonly Result[]): ComparisonView['facts'] {
	const rows: [string, (result: Result) => string][] = [
		[vscode.l10n.t('Model'), ({ model, extras }) => oneLine(model ?? servedText(extras) ?? '', MAXIMUM_NAME)],
		[vscode.l10n.t('State'), ({ outcome }) => (outcome === 'active' ? rowWords.running : rowWords.outcome(outcome))],
		[vscode.l10n.t('Composed of'), result => composedText(result)],
		[vscode.l10n.t('Tests'), testsText],
		[
			vscode.l10n.t('Time'),
			result => (result.duration === undefined ? notKnown(result) : durationText(result.duration)),
		],
		[vscode.l10n.t('Cost'), result => usageText(result.extras) || notKnown(result)],
		[vscode.l10n.t('Branch'), ({ result }) => oneLine(result?.branch ?? '', MAXIMUM_NAME)],
	];
	return rows
		.map(([label, textOf]) => ({ label, texts: results.map(textOf) }))
		.filter(({ texts }) => texts.some(text => text !== ''));
}

function composedText({ task, extras }: Result): string {
	const names = agentNames(task);
	return (extras?.composedOf ?? []).map(agent => names[agent] ?? '').join(', ');
}

const notKnown = ({ task }: Result) =>
	isActiveTask(task) ? vscode.l10n.t('not known yet') : vscode.l10n.t('not known');

function changesText(result: Result): string {
	if (result.changes) {
		const { added, removed, files } = countChanges(result.changes.files);
		return rowWords.changes(added, removed, files);
	}
	return result.outcome === 'active' ? notKnown(result) : vscode.l10n.t('none: it created no branch');
}

/** An agent may claim any result, so only tests that the service has run itself count. */
function testsText({ extras, task }: Result): string {
	if (extras?.tests === undefined) {
		return isActiveTask(task) ? vscode.l10n.t('not known yet') : '';
	}
	return extras.tests === 'not-run'
		? vscode.l10n.t('the service couldn’t run them')
		: vscode.l10n.t('{0} when the service ran them', rowWords.tests(extras.tests));
}

function sectionText(state: ComparedState, count: number): string {
	switch (state) {
		case 'different':
			return vscode.l10n.t('Changed in different ways ({0})', formatNumber(count));
		case 'only':
			return vscode.l10n.t('Changed by only one ({0})', formatNumber(count));
		case 'same':
			return vscode.l10n.t('Changed the same way by all ({0})', formatNumber(count));
	}
}

function fileView({ path, files, versions }: ComparedFile, results: readonly Result[]): FileView {
	const cells = files.map((file, at) => {
		const version = versions[at] ?? at;
		const text = !file
			? vscode.l10n.t('not changed')
			: version === at
				? changeText(file)
				: vscode.l10n.t('same as {0}', results[version]?.name ?? '');
		return { text, isOwn: file !== undefined && version === at };
	});
	return { path, label: oneLine(path), canCompare: cells.filter(({ isOwn }) => isOwn).length > 1, cells };
}

export function changeText(file: ChangedFile): string {
	const { status, lines } = file;
	const parts = [
		lines ? linesText(lines.added, lines.removed) : '',
		status === 'M' ? '' : statusWords[status],
		kindOf(file, true),
		modeOf(file),
	];
	return parts.filter(part => part !== '').join(' · ') || statusWords[status];
}

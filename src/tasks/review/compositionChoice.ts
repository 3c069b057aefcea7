// What the page of a comparison shows where the user composes a result of the work of several agents.
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { gitReason } from '../../base/gitReason.ts';
import type { HunkSide } from '../../base/hunks.ts';
import { oneLine } from '../../base/plainText.ts';
import type { Composition } from '../../contract/compositions.ts';
import { isRace } from '../../contract/taskResults.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { listHunks } from '../apply/hunks.ts';
import type { ComparisonView, PartView } from '../model/comparisonProtocol.ts';
import {
	type AgentHunks,
	clashOf,
	compositionOf,
	isEither,
	type Part,
	partsOf,
	withPart,
} from '../model/composition.ts';
import type { ResultChanges } from '../results/taskChanges.ts';
import { changeText } from './comparisonView.ts';
import type { Comparison } from './readComparison.ts';

/** The number of parts that are shown at first, and that each further step adds. */
export const PARTS_SHOWN = 100;
/** The limits of the lines that are shown of each side of a hunk. */
const MAXIMUM_LINES = 12;
const MAXIMUM_LINE = 300;

/** What has come of a choice so far. */
export type Progress = 'choosing' | 'sending' | 'sent';

interface Contributor {
	/** The position of the agent in its task. */
	agent: number;
	name: string;
	changes: ResultChanges;
}

/** Returns the results of the agents of one task, of which others can be composed; none if there are fewer than two. */
export function contributorsOf({ results }: Comparison): Contributor[] {
	const [first] = results;
	const found = results.flatMap(({ task, name, result, changes, extras }) => {
		const isAgents = changes !== undefined && changes.files.length > 0 && extras?.composedOf === undefined;
		const agent = Number(result?.key.slice(task.id.length + 1));
		return isAgents && isRace(task) && task.id === first?.task.id ? [{ agent, name, changes }] : [];
	});
	return found.length > 1 ? found : [];
}

/** A choice among the changes of several agents, as they are now. */
export class CompositionChoice {
	private readonly base: string;
	private readonly contributors: readonly Contributor[];
	private readonly results: readonly AgentHunks[];
	private readonly parts: readonly Part[];
	private taken: ReadonlySet<string> = new Set();
	/** The number of choices that went with what is not there any more. */
	private lost = 0;

	private constructor(contributors: readonly Contributor[], base: string, results: readonly AgentHunks[]) {
		this.contributors = contributors;
		this.base = base;
		this.results = results;
		this.parts = partsOf(results);
	}

	/**
	 * Reads all hunks, and keeps what of an earlier choice is still there, which is asked for last. Rejects with a
	 * UserFacingError.
	 */
	static async read(
		contributors: readonly Contributor[],
		earlier: () => readonly string[],
	): Promise<CompositionChoice> {
		const [base = '', ...others] = new Set(contributors.map(({ changes }) => changes.base));
		if (others.length > 0) {
			throw new UserFacingError(
				vscode.l10n.t('These agents started from different commits, so their changes can’t be composed.'),
			);
		}
		const results = await Promise.all(
			contributors.map(async ({ agent, changes: { repository, tip, files } }) => {
				return { agent, commit: tip, files, hunks: await listHunks(repository.place, base, tip) };
			}),
		).catch(error => {
			throw gitFailure(error, vscode.l10n.t('Git couldn’t read the changes of the task: {0}', gitReason(error)));
		});
		const isKept = new Set(earlier());
		const choice = new CompositionChoice(contributors, base, results);
		const kept = choice.parts.filter(({ id }) => isKept.has(id));
		choice.taken = new Set(kept.map(({ id }) => id));
		choice.lost = isKept.size - kept.length;
		return choice;
	}

	/** Takes or leaves a part. What cannot be together with it is left. */
	choose(id: string, isTaken: boolean): void {
		const part = this.parts.find(known => known.id === id);
		if (part) {
			this.change(withPart(this.parts, this.taken, part, isTaken));
		}
	}

	/** Takes all of one agent, by its position in the task, or nothing, and leaves everything else. */
	chooseAll(agent: number | undefined): void {
		const own = this.parts.filter(({ origins }) => origins.some(origin => origin.agent === agent));
		this.change(new Set(own.map(({ id }) => id)));
	}

	/** The ids of the parts that are taken. */
	get chosen(): string[] {
		return [...this.taken];
	}

	get composition(): Composition | undefined {
		const isWhole = this.taken.size > 0 && clashOf(this.parts, this.taken) === undefined;
		return isWhole ? compositionOf(this.base, this.results, this.parts, this.taken) : undefined;
	}

	view(maximum: number, progress: Progress): NonNullable<ComparisonView['composing']> {
		const files = Map.groupBy(this.parts.slice(0, maximum), ({ path }) => path);
		const clash = clashOf(this.parts, this.taken);
		return {
			sentence: clash === undefined ? this.sentence(progress) : clashText(clash),
			isBad: clash !== undefined,
			canMake: progress === 'choosing' && this.composition !== undefined,
			agents: this.contributors.map(({ agent, name }) => ({ agent, name })),
			files: [...files].map(([path, parts]) => ({
				label: oneLine(path),
				parts: parts.map(part => this.partView(part)),
			})),
			partsLeft: Math.max(0, this.parts.length - maximum),
		};
	}

	private change(chosen: ReadonlySet<string>): void {
		this.taken = chosen;
		this.lost = 0;
	}

	private sentence(progress: Progress): string {
		if (progress === 'sending') {
			return vscode.l10n.t('Sending the selection…');
		}
		if (progress === 'sent') {
			return vscode.l10n.t('The composition is a new column below. It updates when its tests have run.');
		}
		const taken = this.parts.filter(({ id }) => this.taken.has(id));
		const names = this.namesOf(taken.flatMap(({ origins }) => origins.map(({ agent }) => agent)));
		const count =
			taken.length === 0
				? vscode.l10n.t(
						'Select the changes to take. Compose makes a branch of them and runs the repository’s tests on it.',
					)
				: vscode.l10n.t(
						'{0} of {1} changes selected, by {2}.',
						...[taken, this.parts].map(of => formatNumber(of.length)),
						names,
					);
		return this.lost === 0
			? count
			: `${vscode.l10n.t('A branch has changed. Selected changes that no longer exist: {0}.', formatNumber(this.lost))} ${count}`;
	}

	private partView(part: Part): PartView {
		const { id, hunk, file, origins } = part;
		const excluded = this.parts.filter(other => isEither(part, other));
		return {
			part: id,
			text: hunk ? linesText(hunk.before) : vscode.l10n.t('Whole file: {0}', changeText(file)),
			origins: this.namesOf(origins.map(({ agent }) => agent)),
			isChosen: this.taken.has(id),
			excludes:
				excluded.length === 0
					? ''
					: vscode.l10n.t(
							'Conflicts with {0}. Only one can be taken.',
							excluded
								.slice(0, 3)
								.map(other => this.partText(part, other))
								.join('; '),
						),
			removed: hunk ? shownLines(hunk.removed) : [],
			added: hunk ? shownLines(hunk.added) : [],
		};
	}

	/** Returns the text for a part in the sentence about another one. */
	private partText({ path: own }: Part, { path, hunk, file, origins }: Part): string {
		const names = this.namesOf(origins.map(({ agent }) => agent));
		const what = hunk ? linesText(hunk.before) : changeText(file);
		return path === own ? `${names} (${what})` : `${names} (${oneLine(path)}: ${what})`;
	}

	private namesOf(agents: readonly number[]): string {
		return this.contributors
			.filter(({ agent }) => agents.includes(agent))
			.map(({ name }) => name)
			.join(', ');
	}
}

const clashText = (path: string) =>
	vscode.l10n.t(
		'“{0}” would be both a file and a folder. Select its deletion too, or leave out what is in it.',
		oneLine(path),
	);

function linesText({ start, count }: HunkSide): string {
	if (count === 0) {
		return start === 0 ? vscode.l10n.t('At the beginning') : vscode.l10n.t('After line {0}', formatNumber(start));
	}
	const [first, last] = [start + 1, start + count].map(formatNumber);
	return count === 1 ? vscode.l10n.t('Line {0}', first ?? '') : vscode.l10n.t('Lines {0}–{1}', first ?? '', last ?? '');
}

function shownLines(lines: readonly string[]): string[] {
	const shown = lines.slice(0, MAXIMUM_LINES).map(line => {
		const text = Buffer.from(line, 'latin1')
			.toString()
			.replace(/\r?\n$/, '');
		return text.length > MAXIMUM_LINE ? `${text.slice(0, MAXIMUM_LINE)}…` : text;
	});
	const left = lines.length - shown.length;
	return left > 0 ? [...shown, vscode.l10n.t('… {0} more', formatNumber(left))] : shown;
}

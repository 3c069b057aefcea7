import path from 'node:path';
import * as vscode from 'vscode';
import type { ToolCall } from '../../agents/session/events.ts';
import type { WorkedTree } from '../../agents/steps/stepChain.ts';
import { StepRecorder } from '../../agents/steps/stepRecorder.ts';
import { defined } from '../../base/defined.ts';
import { runGit } from '../../platform/gitCommand.ts';
import type { RefusedPart, StepFiles } from '../model/agentWork.ts';
import type { TurnRepository } from './checkpoints.ts';
import type { TurnFiles } from './turnFiles.ts';

/** The references of the states in the repository beside the copy, which has those of one turn only. */
export const CHAIN = { prefix: 'refs/errand/steps', name: 'turn' };

/** A tool call with the refused hunks that the copy had after it. */
interface CallPlace {
	call: string;
	refused: readonly RefusedPart[];
}

export interface TurnStepsReport {
	/** Called with the id of the call; undefined for what no call has reported. */
	onState(call: string | undefined, state: StepFiles): void;
	/** Called with a sentence if the states of further steps are not kept. */
	onFailure(sentence: string): void;
}

/** Keeps the states of the files after the steps of one turn: a chain for each repository of the copy. */
export class TurnSteps {
	private readonly chains: readonly { repository: TurnRepository; recorder: StepRecorder<CallPlace> }[];
	private readonly files: TurnFiles;
	private readonly tree: string;

	private constructor(chains: TurnSteps['chains'], files: TurnFiles, tree: string) {
		this.chains = chains;
		this.files = files;
		this.tree = tree;
	}

	/** Begins before the agent gets its prompt. `tree` is the copy as the agent sees it. Never rejects. */
	static async begin(files: TurnFiles, tree: string, report: TurnStepsReport): Promise<TurnSteps> {
		let hasFailed = false;
		const onFailure = (why: string) => {
			if (!hasFailed) {
				hasFailed = true;
				report.onFailure(vscode.l10n.t('The files after further steps aren’t kept: {0}', why));
			}
		};
		const chains = await Promise.all(
			files.repositories.map(async (repository, position) => {
				const recorder = await StepRecorder.begin<CallPlace>({
					checkout: treeOf(repository, files, position),
					folder: files.states(position),
					chain: CHAIN,
					count: 0,
					onStep({ place, before, tree: commit, fileCount, linesAdded, linesRemoved, approximate, notKept }) {
						const refused = place?.refused ?? [];
						report.onState(place?.call, {
							...{ repository: repository.place.directory, before, commit },
							...{ fileCount, linesAdded, linesRemoved },
							...defined({
								isApproximate: approximate || undefined,
								notKept,
								refused: refused.length > 0 ? refused : undefined,
							}),
						});
					},
					onFailure,
				});
				return recorder ? [{ repository, recorder }] : [];
			}),
		);
		return new TurnSteps(chains.flat(), files, tree);
	}

	/** Called when a tool call is over. */
	add(call: ToolCall): void {
		for (const { repository, recorder } of this.chains) {
			const place = { call: call.id, refused: this.files.edits.refusedIn(repository) };
			recorder.add(call, place, folderIn(this.tree, repository));
		}
	}

	/** Resolves when the states of all calls so far are written. */
	async settled(): Promise<void> {
		await Promise.all(this.chains.map(({ recorder }) => recorder.settled()));
	}

	/** Looks for the last time, when nothing of the agent is left running. Never rejects. */
	async end(): Promise<void> {
		await Promise.all(this.chains.map(({ recorder }) => recorder.end()));
	}
}

/** Returns the folder of a repository within the copy, which is `tree`. */
const folderIn = (tree: string, { at }: TurnRepository): string => path.join(tree, at ?? '');

function treeOf(repository: TurnRepository, files: TurnFiles, position: number): WorkedTree {
	const { place, before } = repository;
	const { commit, ignoresCase } = repository.start ?? { commit: before, ignoresCase: false };
	return {
		tree: folderIn(files.copy, repository),
		program: place.gitPath,
		convertsLineEnds: true,
		start: async () => commit,
		async stateSource() {
			const ask = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
			return {
				gitFolder: (await runGit(place.gitPath, place.directory, ask)).replace(/\n$/, ''),
				lists: files.states(position),
				format: commit.length === 64 ? ['--object-format=sha256'] : [],
				isOurs: name => !name.endsWith('/'),
				isAbsent: () => false,
				ignoresCase,
			};
		},
	};
}

import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { executeCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { explainError, showExplanation, showMessage } from '../platform/notify.ts';
import { DecisionPanel, type TabDependencies } from './decisionPanel.ts';
import { fileSubject } from './fileSubject.ts';
import { DECISION_FILE } from './model/decisionFile.ts';
import { chooseDecision, openExample } from './newDecision.ts';
import { RequestDocuments } from './requestDocuments.ts';
import { RunStore } from './runStore.ts';
import type { Subject, SubjectMaterial } from './subject.ts';
import { judgeSubject, readinessSubject, triageSubject } from './taskSubjects.ts';

/** The parts that the root provides to this feature. */
export interface DecisionsDependencies {
	material: SubjectMaterial;
	tab: TabDependencies;
	/** The state that keeps the runs and the criteria that were typed last. */
	workspaceState: vscode.Memento;
}

/** The commands of decisions, each with a tab for its subject. */
export class DecisionsFeature implements Disposable {
	private readonly dependencies: DecisionsDependencies;
	private readonly disposables = new DisposableStore();
	private readonly documents = this.disposables.add(new RequestDocuments());
	private readonly runs: RunStore;
	private readonly panels = new Map<string, DecisionPanel>();

	constructor(dependencies: DecisionsDependencies) {
		this.dependencies = dependencies;
		this.runs = new RunStore(dependencies.workspaceState);
	}

	/**
	 * Asks the question that fits the task, the comparison or the changed file that the argument names. Without one,
	 * the user chooses a question, or begins a file.
	 */
	ask(argument: unknown): Promise<void> {
		const { material, workspaceState } = this.dependencies;
		return this.openFound(async () => {
			const decision = await chooseDecision(argument, material.tasks);
			switch (decision) {
				case undefined:
					return undefined;
				case 'why-failed':
					return triageSubject(argument, material);
				case 'which-better':
					return judgeSubject(argument, material, workspaceState);
				case 'is-ready':
					// In a review, the Command Palette refers to the active changes.
					return readinessSubject(argument ?? vscode.window.activeTextEditor?.document.uri, material);
				case 'new-file':
					await openExample();
					return undefined;
			}
		});
	}

	/** Evaluates the file of the argument or of the active editor. */
	async evaluate(argument: unknown): Promise<void> {
		const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
		if (!uri || !DECISION_FILE.test(uri.path)) {
			const create = vscode.l10n.t('New Decision');
			const said = vscode.l10n.t(
				'The active editor isn’t a decision file (*.decision.json). Open one, or create a new one.',
			);
			if ((await showMessage('information', said, create)) === create) {
				await executeCommand(commands.newDecision);
			}
			return;
		}
		await this.open(fileSubject(uri, this.dependencies.material));
	}

	dispose(): void {
		for (const { panel } of [...this.panels.values()]) {
			panel.dispose();
		}
		this.disposables.dispose();
	}

	private async openFound(find: () => Promise<Subject | undefined>): Promise<void> {
		let subject: Subject | undefined;
		try {
			subject = await find();
		} catch (error) {
			const label = await this.dependencies.material.active().then(
				active => active.label,
				() => 'Errand',
			);
			await showExplanation(explainError(error, label));
			return;
		}
		await (subject && this.open(subject));
	}

	private async open(subject: Subject): Promise<void> {
		const known = this.panels.get(subject.key);
		const panel =
			known ?? new DecisionPanel(subject, { ...this.dependencies.tab, runs: this.runs, documents: this.documents });
		if (!known) {
			this.panels.set(subject.key, panel);
			panel.panel.onDidDispose(() => this.panels.delete(subject.key));
		}
		await panel.open(subject);
	}
}

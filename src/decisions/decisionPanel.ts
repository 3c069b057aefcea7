import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { ClientError, describeError, UserFacingError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Connection } from '../contract/connection.ts';
import { executeCommand } from '../platform/commands.ts';
import type { Explanation } from '../platform/notify.ts';
import { PagePanel } from '../platform/pagePanel.ts';
import { input } from '../platform/pick.ts';
import { saveRun } from './exportDecision.ts';
import { explainDecision, historyLimitText, named, opinionText, timeText } from './messages.ts';
import { type DecisionView, type FromDecisionPage, parseFromDecisionPage } from './model/protocol.ts';
import type { Run } from './model/run.ts';
import { modelOf } from './model/sending.ts';
import type { RequestDocuments } from './requestDocuments.ts';
import { type RunStore, runOf } from './runStore.ts';
import type { Prepared, Subject } from './subject.ts';
import { resultView, sendingView } from './view.ts';

/** The services of the window that every tab of a decision uses: its page, the question for a key, and the log. */
export interface TabDependencies {
	extensionUri: vscode.Uri;
	/** Asks the user for a connection's inference key, if it is missing. Resolves with false if there is still none. */
	ensureKey(connection: Connection): Promise<boolean>;
	logger: Logger;
}

export interface DecisionPanelDependencies extends TabDependencies {
	runs: RunStore;
	documents: RequestDocuments;
}

type PageAction = Exclude<FromDecisionPage, { kind: 'page-ready' }>;

/** A decision as an editor tab: the request, then the answers. Nothing leaves the machine before the user sends it. */
export class DecisionPanel {
	private readonly dependencies: DecisionPanelDependencies;
	private subject: Subject;
	readonly panel: PagePanel<FromDecisionPage, DecisionView>;
	private stage: DecisionView['stage'] = 'idle';
	private prepared: Prepared | undefined;
	/** The model that the user has chosen instead of the file's. */
	private chosenModel: string | undefined;
	private problem: Explanation | undefined;
	/** Aborted by the next step or when the panel is disposed of. */
	private working: AbortController | undefined;
	private shownRun = '';
	/** True while the key is looked up, so that a second click sends nothing more. */
	private isAskingForKey = false;

	private readonly handlers: { [K in PageAction['kind']]: (message: PageAction & { kind: K }) => unknown } = {
		prepare: () => this.prepare(),
		send: () => this.send(),
		stop: () => this.working?.abort(),
		'show-request': () => this.showRequest(),
		'choose-model': () => this.chooseModel(),
		help: () => this.problem?.action && executeCommand(this.problem.action.command),
		export: () => {
			const run = this.run();
			return run && saveRun(run, this.subject.title);
		},
		'show-run': ({ run }) => {
			this.shownRun = run;
			this.panel.update();
		},
		'show-entry': ({ entry }) => this.subject.showEntry?.(entry),
	};

	constructor(subject: Subject, dependencies: DecisionPanelDependencies) {
		this.subject = subject;
		this.dependencies = dependencies;
		const { extensionUri, logger } = dependencies;
		this.panel = new PagePanel<FromDecisionPage, DecisionView>({
			extensionUri,
			name: 'decision',
			title: vscode.l10n.t('Decision'),
			tabTitle: vscode.l10n.t('Decision: {0}', named(subject.title)),
			column: vscode.ViewColumn.Beside,
			parse: parseFromDecisionPage,
			handle: message => (this.handlers[message.kind] as (message: PageAction) => unknown)(message),
			view: () => this.view(),
			label: () => this.prepared?.target.label ?? 'Errand',
			logger,
		});
		this.panel.onDidDispose(() => {
			this.working?.abort();
			this.working = undefined;
			// A closed tab sends nothing, even if the question for its key is answered later.
			this.prepared = undefined;
		});
	}

	/** Brings the tab to the front, reads everything again, and shows the request. Never rejects. */
	async open(subject: Subject): Promise<void> {
		this.subject = subject;
		this.panel.reveal();
		await this.prepare();
	}

	private async prepare(): Promise<void> {
		const own = this.begin('preparing');
		this.prepared = undefined;
		this.panel.update();
		await this.work(own, async () => {
			const prepared = await this.subject.prepare(own.signal);
			if (this.working !== own) {
				return;
			}
			this.prepared = prepared;
			this.stage = prepared ? 'ready' : 'idle';
		});
	}

	private async send(): Promise<void> {
		const { prepared } = this;
		const model = prepared && this.model(prepared);
		if (!prepared || model === undefined || this.stage !== 'ready' || this.isAskingForKey) {
			return;
		}
		this.isAskingForKey = true;
		// The user may have switched the connection since; the request goes to the connection for which it was shown.
		const hasKey = await this.dependencies.ensureKey(prepared.target.connection).finally(() => {
			this.isAskingForKey = false;
		});
		// Meanwhile the tab may have been closed, or may show something other than what the user has agreed to.
		const isShown = this.prepared === prepared && this.model(prepared) === model;
		if (!hasKey || !isShown) {
			return;
		}
		const own = this.begin('asking');
		this.panel.update();
		await this.work(own, async () => {
			const { client } = prepared.target;
			const replies = await Promise.all(
				prepared.requests.map(({ state, questions }) =>
					client.decisions.evaluate({ state, questions, model }, { signal: own.signal }),
				),
			);
			const run = runOf(prepared, model, replies);
			await this.dependencies.runs.add(this.subject.key, run);
			if (this.working === own) {
				this.stage = 'idle';
				this.prepared = undefined;
				this.shownRun = run.id;
			}
		});
	}

	private begin(stage: DecisionView['stage']): AbortController {
		this.working?.abort();
		const own = new AbortController();
		this.working = own;
		this.stage = stage;
		this.problem = undefined;
		return own;
	}

	/** Runs one step to its end, and shows the result. */
	private async work(own: AbortController, step: () => Promise<void>): Promise<void> {
		try {
			await step();
		} catch (error) {
			if (this.working === own) {
				const { prepared } = this;
				const wasSent = this.stage === 'asking';
				// The prepared request stays, so that the user can send it again.
				this.stage = wasSent ? 'ready' : 'idle';
				const model = (prepared && this.model(prepared)) ?? '';
				this.problem = explainDecision(error, prepared?.target.label ?? 'Errand', model);
				if (!ClientError.is(error, 'aborted')) {
					// A sentence for the user may repeat text from the file, which must not get into a log.
					const reason = error instanceof UserFacingError ? error.name : describeError(error);
					this.dependencies.logger.log('warn', 'A decision was not evaluated', { reason });
				}
			}
		} finally {
			if (this.working === own) {
				this.working = undefined;
				this.panel.update();
			}
		}
	}

	private model({ target, model }: Prepared): string | undefined {
		return modelOf(target.connection, this.chosenModel ?? model);
	}

	private async chooseModel(): Promise<void> {
		const { prepared } = this;
		if (!prepared) {
			return;
		}
		const chosen = await input(
			vscode.l10n.t('Decision Model'),
			vscode.l10n.t(
				'A name that ends with -latest follows the latest release; an ID with a version doesn’t change. Leave empty to use the connection’s model.',
			),
			this.model(prepared) ?? '',
			() => undefined,
		);
		if (chosen !== undefined && this.prepared === prepared) {
			this.chosenModel = chosen.trim() || undefined;
			this.panel.update();
		}
	}

	private async showRequest(): Promise<void> {
		const { prepared } = this;
		const model = prepared && this.model(prepared);
		if (prepared && model !== undefined) {
			// The fields are in the order in which the client sends them.
			const bodies = prepared.requests.map(({ state, questions }) => ({ state, questions, model }));
			await this.dependencies.documents.show(this.subject.title, bodies);
		}
	}

	private run(): Run | undefined {
		const runs = this.dependencies.runs.of(this.subject.key);
		return runs.find(({ id }) => id === this.shownRun) ?? runs[0];
	}

	private view(): DecisionView {
		const { stage, prepared, problem } = this;
		const runs = this.dependencies.runs.of(this.subject.key);
		const run = this.run();
		const model = prepared && this.model(prepared);
		return {
			title: named(this.subject.title),
			stage,
			sentence: problem?.message ?? this.sentence(run),
			tone: problem ? 'bad' : stage === 'preparing' || stage === 'asking' ? 'pending' : 'open',
			...defined({ help: problem?.action?.label }),
			opinion: opinionText(),
			...defined({
				sending: prepared && model !== undefined ? sendingView(prepared, model) : undefined,
				result: run && resultView(run),
			}),
			runs: runs.map(({ id, at, model: resolved, asked }) => ({
				id,
				label: `${timeText(at)} · ${named(resolved ?? asked)}`,
			})),
			kept: historyLimitText(),
		};
	}

	private sentence(run: Run | undefined): string {
		const { stage, prepared } = this;
		switch (stage) {
			case 'preparing':
				return vscode.l10n.t('Reading the subject of the questions…');
			case 'ready':
				return prepared && this.model(prepared) === undefined
					? vscode.l10n.t(
							'{0} has no decision model, so nothing can be sent yet. Select one here, or set “decisionModel” in the connection or “model” in the file.',
							prepared.target.label,
						)
					: vscode.l10n.t('Nothing has been sent yet. Review what will be sent, then send it.');
			case 'asking':
				return vscode.l10n.t('Waiting for the model. This can take a minute.');
			case 'idle':
				return run
					? vscode.l10n.t('The answers of {0}.', timeText(run.at))
					: vscode.l10n.t('Nothing was sent. Evaluate again to read the subject of the questions.');
		}
	}
}

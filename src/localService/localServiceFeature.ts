import os from 'node:os';
import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { DisposableStore } from '../base/disposable.ts';
import type { UpstreamProblem } from '../base/errors.ts';
import { UserFacingError } from '../base/errors.ts';
import type { Transport } from '../client/core/transport.ts';
import type { Consent, MonthlyUse, TaskCheck, TaskCheckRequest } from '../contract/agents.ts';
import { type GatewayDescription, stateFolderOf } from '../contract/control.ts';
import type { FoundAnswer, FoundServer } from '../contract/foundServers.ts';
import { realModels } from '../contract/localConnection.ts';
import { readEditorProxy } from '../platform/settings.ts';
import type { FoundServers } from './foundServers.ts';
import type { LocalService, LocalServiceDependencies } from './localService.ts';
import { startCommand } from './model/startCommand.ts';
import { UpstreamKeyStore } from './model/upstreamKeyStore.ts';
import type { AddedModel } from './servers/addModelServer.ts';
import type { AskContext } from './servers/serverDraft.ts';
import type { ServerKey } from './servers/serverKeys.ts';
import type { UnusedServer } from './servers/unusedServer.ts';
import { Supervisor } from './supervisor.ts';
import { currentHandover } from './upstreams.ts';

export interface LocalServiceListener {
	/** The user has stopped the service, or something has asked for it again. */
	stoppedChanged(isStopped: boolean): void;
	/** What the service offers may have changed. */
	changed(): void;
	/** The first chat model of a model server, as the service tells now. */
	offered(model: string | undefined): void;
}

/** What `LocalService` does once it is used. */
type Used = Omit<LocalService, 'isStopped' | 'onDidChangeStopped' | 'onDidChange' | 'defaultModel' | 'agentSettings'>;

/** Starts and asks the local service on behalf of this window. */
export class LocalServiceFeature implements Used {
	private readonly dependencies: LocalServiceDependencies;
	private readonly listener: LocalServiceListener;
	private readonly disposables = new DisposableStore();
	private readonly keys: UpstreamKeyStore;
	private readonly supervisor: Supervisor;
	private found: readonly FoundServer[] = [];
	private problems: readonly UpstreamProblem[] = [];
	private servers: Promise<FoundServers> | undefined;
	private isAdding = false;

	constructor(dependencies: LocalServiceDependencies, listener: LocalServiceListener) {
		this.dependencies = dependencies;
		this.listener = listener;
		this.keys = new UpstreamKeyStore(dependencies.secrets);
		this.supervisor = this.disposables.add(this.createSupervisor());
	}

	/** Hands changed settings over to the service, if it runs. */
	handOver(): Promise<void> {
		return this.supervisor.upstreamsChanged();
	}

	async stop(): Promise<void> {
		const { stopLocalService } = await import('./stopLocalService.ts');
		const { logger, showLog } = this.dependencies;
		await stopLocalService(this.supervisor, logger, showLog);
	}

	async setUpAgents(): Promise<void> {
		const [{ setUpAgents }, control, { askModal }] = await Promise.all([
			import('./setUpAgents.ts'),
			import('./agentControl.ts'),
			import('../platform/notify.ts'),
		]);
		const ensure = () => this.supervisor.ensure();
		await setUpAgents({
			report: async () => control.readAgents(await ensure()),
			consents: async () => control.readConsents(await ensure()),
			withdraw: async withdrawal => control.withdrawConsent(await ensure(), withdrawal),
			tryOut: async (id, signal) => control.tryAgent(await ensure(), id, signal),
			install: async (id, signal) => {
				const trial = await control.installAgent(await ensure(), id, signal);
				this.listener.changed();
				return trial;
			},
			askModal,
			showLog: this.dependencies.showLog,
		});
	}

	async transport(inner: Transport): Promise<Transport> {
		const { createLocalTransport } = await import('../client/local/localTransport.ts');
		return createLocalTransport(inner, this.supervisor.ensure);
	}

	async warm(): Promise<void> {
		await this.supervisor.ensure();
	}

	async describe(): Promise<Omit<GatewayDescription, 'foundServers' | 'upstreamProblems'>> {
		const { foundServers: _, upstreamProblems: __, ...offer } = await this.describeAll();
		return offer;
	}

	private async describeAll(): Promise<GatewayDescription> {
		const { readDescription } = await import('./serviceControl.ts');
		const description = await readDescription(await this.supervisor.ensure());
		const { foundServers, upstreamProblems } = description;
		this.found = foundServers;
		this.problems = upstreamProblems;
		const model = realModels(description).find(({ kinds }) => kinds.includes('chat'))?.id;
		// A server that does not answer now still has its models, and the demo does not take their place.
		if (model !== undefined || upstreamProblems.length === 0) {
			this.listener.offered(model);
		}
		// The list that adds servers asks in its own way.
		if (foundServers.length > 0 && !this.isAdding) {
			(await this.foundServers()).consider(foundServers);
		}
		return description;
	}

	async unusedServers(): Promise<UnusedServer[]> {
		const found = this.found.length === 0 ? [] : (await this.foundServers()).unused(this.found);
		return this.problems.length === 0 ? found : [...found, ...(await this.failingServers())];
	}

	private async failingServers(): Promise<UnusedServer[]> {
		const { failingServers } = await import('./servers/failingServers.ts');
		return failingServers(this.problems, this.keys);
	}

	async origin(): Promise<string> {
		return (await this.supervisor.ensure()).address;
	}

	async nameRepositories(folders: readonly string[]): Promise<void> {
		const { nameRepositories } = await import('./serviceControl.ts');
		await nameRepositories(await this.supervisor.ensure(), folders);
	}

	async checkTask(request: TaskCheckRequest): Promise<TaskCheck> {
		const { checkTask } = await import('./agentControl.ts');
		return checkTask(await this.supervisor.ensure(), request);
	}

	async allow(consent: Consent): Promise<void> {
		const { sendConsent } = await import('./agentControl.ts');
		await sendConsent(await this.supervisor.ensure(), consent);
	}

	async monthlyUse(): Promise<MonthlyUse> {
		const { readMonthlyUse } = await import('./agentControl.ts');
		return readMonthlyUse(await this.supervisor.ensure());
	}

	async keepWork(taskId: string): Promise<string> {
		const { keepWork } = await import('./agentControl.ts');
		return keepWork(await this.supervisor.ensure(), taskId);
	}

	async addModelServer(): Promise<AddedModel | undefined> {
		const [{ addModelServer }, { findServers }, { ownerOfPort }, { usualServers }, { askModal }, context] =
			await Promise.all([
				import('./servers/addModelServer.ts'),
				import('./servers/findServers.ts'),
				import('../base/portOwner.ts'),
				import('../contract/usualServers.ts'),
				import('../platform/notify.ts'),
				this.askContext(),
			]);
		this.isAdding = true;
		try {
			return await addModelServer({
				context,
				keys: this.keys,
				findHere: signal => findServers(usualServers(process.env), { ...context, signal, ownerOf: ownerOfPort }),
				service: {
					servers: () => this.describeAll(),
					answerFound: answer => this.answerFound(answer),
					offer: async () => {
						await this.supervisor.upstreamsChanged();
						return this.describeAll();
					},
				},
				askModal,
			});
		} finally {
			this.isAdding = false;
		}
	}

	async serverKeys(): Promise<ServerKey[]> {
		const { readServerKeys } = await import('./servers/serverKeys.ts');
		return readServerKeys(await this.askContext(), this.keys);
	}

	/** `slug` is the name of the server's entry. */
	async changeServerKey(slug: unknown): Promise<void> {
		const { changeKeyOf } = await import('./servers/serverKeys.ts');
		await changeKeyOf(slug, await this.askContext(), this.keys);
	}

	private async askContext(): Promise<AskContext> {
		const [{ createFetchTransport }, { editorFetch }] = await Promise.all([
			import('../client/core/fetchTransport.ts'),
			import('../platform/editorFetch.ts'),
		]);
		return { transport: createFetchTransport(editorFetch), logger: this.dependencies.logger, clock: systemClock };
	}

	dispose(): void {
		this.disposables.dispose();
	}

	private foundServers(): Promise<FoundServers> {
		this.servers ??= import('./foundServers.ts').then(
			({ FoundServers }) =>
				new FoundServers({
					answer: answer => this.answerFound(answer),
				}),
		);
		return this.servers;
	}

	private async answerFound(answer: FoundAnswer): Promise<void> {
		const { answerFound } = await import('./serviceControl.ts');
		await answerFound(await this.supervisor.ensure(), answer);
		this.listener.changed();
	}

	private createSupervisor(): Supervisor {
		const { extensionUri, logger } = this.dependencies;
		const supervisor = new Supervisor({
			program: startCommand({
				execPath: process.execPath,
				servicePath: vscode.Uri.joinPath(extensionUri, 'dist', 'service.js').fsPath,
				environment: process.env,
				proxy: readEditorProxy(),
			}),
			stateFolder: stateFolderOf(process.env, process.platform, os.homedir()),
			logger,
			clock: systemClock,
			handover: () => currentHandover(this.keys, logger),
			sentences: {
				didNotStart: reason =>
					reason === ''
						? vscode.l10n.t('The local service did not start in time. The log has more.')
						: vscode.l10n.t('The local service did not start: {0}. The log has more.', reason.replace(/\.$/, '')),
				stoppedTwice: () =>
					vscode.l10n.t(
						'The local service stopped twice within a minute. Tasks it was running were interrupted. Restart it, or try again in a minute.',
					),
			},
		});
		this.disposables.add(supervisor.onDidChangeStopped(() => this.listener.stoppedChanged(supervisor.isStopped)));
		supervisor.onDidFail(error => void this.offerRestart(error));
		return supervisor;
	}

	private async offerRestart(error: UserFacingError): Promise<void> {
		const restart = vscode.l10n.t('Restart');
		const show = vscode.l10n.t('Show Log');
		const chosen = await vscode.window.showErrorMessage(error.message, restart, show);
		if (chosen === show) {
			this.dependencies.showLog();
		} else if (chosen === restart) {
			this.supervisor.reset();
			await this.supervisor.ensure().catch(again => {
				// Any other error means that the window is closing.
				if (again instanceof UserFacingError) {
					void this.offerRestart(again);
				}
			});
		}
	}
}

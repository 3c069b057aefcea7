import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type * as z from 'zod';
import { systemClock } from '../base/async.ts';
import { DisposableOwner } from '../base/disposable.ts';
import { UserFacingError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { removeFolder } from '../base/removeFolder.ts';
import type { Transport } from '../client/core/transport.ts';
import type { TaskSettings } from '../contract/agents.ts';
import { type Discovery, type GatewayDescription, stateFolderOf } from '../contract/control.ts';
import { realModels } from '../contract/localConnection.ts';
import type { Models } from '../models/api.ts';
import { readEditorProxy, readSetting } from '../platform/settings.ts';
import { startCommand } from './model/startCommand.ts';
import { readTaskSettings } from './model/taskSettings.ts';
import { ask, type ServiceCall, serviceCalls } from './serviceCalls.ts';
import { Supervisor } from './supervisor.ts';

export interface LocalServiceDependencies {
	extensionUri: vscode.Uri;
	/** The editor's state of the user, for the service's last offer. */
	globalState: vscode.Memento;
	models: Pick<Models, 'upstreams' | 'onDidChangeUpstreams' | 'noteDescription'>;
	logger: Logger;
	showLog(): void;
}

export interface LocalServiceListener {
	/** Called when the user has stopped the service, or when something has requested it again. */
	stoppedChanged(isStopped: boolean): void;
	/** Called when the service's offer may have changed. */
	changed(): void;
	/** Called with the first chat model of a model server, as the service reports it now. */
	offered(model: string | undefined): void;
}

/** Reads the settings about tasks and agents. Those that cannot be used are named in the log. */
export function currentTaskSettings(logger: Logger): TaskSettings {
	const { tasks, agentProblems, unusable } = readTaskSettings(readSetting, process.env);
	for (const { issue } of agentProblems) {
		const reason = issue === undefined ? 'its id' : `${issue.path.join('.')}: ${issue.message}`;
		logger.log('warn', 'an entry of errand.local.agents cannot be used', { reason });
	}
	for (const setting of unusable) {
		logger.log('warn', 'a setting about tasks cannot be used', { reason: setting });
	}
	return tasks;
}

/** Starts the local service and sends requests to it on behalf of this window. */
export class LocalServiceFeature extends DisposableOwner {
	private readonly dependencies: LocalServiceDependencies;
	private readonly listener: LocalServiceListener;
	private readonly supervisor: Supervisor;

	constructor(dependencies: LocalServiceDependencies, listener: LocalServiceListener) {
		super();
		this.dependencies = dependencies;
		this.listener = listener;
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
		const [{ setUpAgents }, { askModal }, { accountHome, AGENTS_FOLDER }] = await Promise.all([
			import('./setUpAgents.ts'),
			import('../platform/notify.ts'),
			import('../agents/install/installed.ts'),
		]);
		const stateFolder = stateFolderOf(process.env, process.platform, os.homedir());
		await setUpAgents({
			report: () => this.ask(calls => calls.agents),
			consents: async () => (await this.ask(calls => calls.consents)).consents,
			withdraw: async withdrawal => void (await this.ask(calls => calls.withdrawConsent, withdrawal)),
			tryOut: (id, signal) => this.ask(calls => calls.tryAgent, { id }, signal),
			install: async (request, signal) => {
				const trial = await this.ask(calls => calls.installAgent, request, signal);
				this.listener.changed();
				return trial;
			},
			removeLogin: id => removeFolder(accountHome(path.join(stateFolder, AGENTS_FOLDER), id)),
			askModal,
			showLog: this.dependencies.showLog,
		});
	}

	async transport(inner: Transport): Promise<Transport> {
		const { createLocalTransport } = await import('../client/local/localTransport.ts');
		return createLocalTransport(inner, this.supervisor.ensure);
	}

	async describe(): Promise<Omit<GatewayDescription, 'foundServers' | 'upstreamProblems'>> {
		const { foundServers: _, upstreamProblems: __, ...offer } = await this.describeAll();
		return offer;
	}

	async describeAll(): Promise<GatewayDescription> {
		const description = await this.ask(calls => calls.description);
		const model = realModels(description).find(({ kinds }) => kinds.includes('chat'))?.id;
		// A server that does not answer now still has its models, and the demo does not replace them.
		if (model !== undefined || description.upstreamProblems.length === 0) {
			this.listener.offered(model);
		}
		this.dependencies.models.noteDescription(description);
		return description;
	}

	service(): Promise<Discovery> {
		return this.supervisor.ensure();
	}

	async ask<Body extends z.ZodType, Reply extends z.ZodType>(
		choose: (calls: typeof serviceCalls) => ServiceCall<Body, Reply>,
		body?: z.input<Body>,
		signal?: AbortSignal,
	): Promise<z.output<Reply>> {
		return ask(await this.service(), choose(serviceCalls), body, signal);
	}

	private createSupervisor(): Supervisor {
		const { extensionUri, models, logger } = this.dependencies;
		return new Supervisor({
			program: startCommand({
				execPath: process.execPath,
				servicePath: vscode.Uri.joinPath(extensionUri, 'dist', 'service.js').fsPath,
				environment: process.env,
				proxy: readEditorProxy(),
			}),
			stateFolder: stateFolderOf(process.env, process.platform, os.homedir()),
			logger,
			clock: systemClock,
			handover: async () => ({ ...(await models.upstreams()), tasks: currentTaskSettings(logger) }),
			onStoppedChange: isStopped => this.listener.stoppedChanged(isStopped),
			onFailure: error => void this.offerRestart(error),
		});
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

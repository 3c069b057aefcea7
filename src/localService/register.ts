import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { UserFacingError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Logger } from '../base/logger.ts';
import type { Transport } from '../client/core/transport.ts';
import type { GatewayDescription } from '../contract/control.ts';
import type { FoundServer } from '../contract/foundServers.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { onDidChangeSetting, readEditorProxy } from '../platform/settings.ts';
import type { FoundServers, UnusedServer } from './foundServers.ts';
import type { UpstreamKeyStore } from './model/upstreamKeyStore.ts';
import type { Supervisor } from './supervisor.ts';

/**
 * The prefix of the secrets in upstreamKeyStore.ts. It is repeated here because that file is loaded on first use only.
 */
const SECRET_PREFIX = 'errand.upstream.';

export interface LocalServiceDependencies {
	extensionUri: vscode.Uri;
	secrets: vscode.SecretStorage;
	logger: Logger;
	showLog(): void;
}

export interface LocalService extends Disposable {
	/**
	 * Wraps a transport so that the local connection's requests reach the service, which is started when it is needed.
	 */
	transport(inner: Transport): Promise<Transport>;
	/** Starts the service ahead of the first request. */
	warm(): Promise<void>;
	/**
	 * Returns what the local connection offers now: its models, providers, prefixes and aliases. Starts the service if
	 * needed, and asks the user about model servers that it has found.
	 */
	describe(): Promise<Omit<GatewayDescription, 'foundServers'>>;
	/** Returns the unused model servers that were found on this machine when `describe` was last called. */
	unusedServers(): Promise<UnusedServer[]>;
	/** Returns the service's address, which is valid until the next start. Starts the service if needed. */
	origin(): Promise<string>;
	/** Makes repository folders available to the look-ups. Starts the service if needed. */
	nameRepositories(folders: readonly string[]): Promise<void>;
	/** Lets the user set, replace and remove the keys of the model servers behind the service. */
	manageUpstreamKeys(): Promise<void>;
	/**
	 * Whether the user has stopped the service and nothing has requested it since. Background work must then not start
	 * it.
	 */
	isStopped(): boolean;
	readonly onDidChangeStopped: Event<void>;
	/**
	 * Fires when the result of `describe` may have changed, as the model servers of the settings or their keys have
	 * changed.
	 */
	readonly onDidChange: Event<void>;
}

export function registerLocalService(dependencies: LocalServiceDependencies): LocalService {
	const { secrets, logger } = dependencies;
	const store = new DisposableStore();
	const changed = store.add(new Emitter<void>());
	const stoppedChanged = store.add(new Emitter<void>());
	let isStopped = false;
	let created: Promise<Supervisor> | undefined;
	const supervisor = () => {
		created ??= createSupervisor(dependencies).then(made => {
			store.add(
				made.onDidChangeStopped(() => {
					isStopped = made.isStopped;
					stoppedChanged.fire();
				}),
			);
			return store.add(made);
		});
		return created;
	};
	let found: readonly FoundServer[] = [];
	let createdServers: Promise<FoundServers> | undefined;
	const foundServers = () => {
		createdServers ??= import('./foundServers.ts').then(
			({ FoundServers }) =>
				new FoundServers({
					answer: async answer => {
						const { answerFound } = await import('./serviceControl.ts');
						await answerFound(await (await supervisor()).ensure(), answer);
					},
					onDidAnswer: () => changed.fire(),
				}),
		);
		return createdServers;
	};
	const upstreamsChanged = async (): Promise<void> => {
		// If this window has not used the service yet, the first use hands the upstreams over.
		await (await created)?.upstreamsChanged();
		changed.fire();
	};
	const noticeUpstreams = (): void => {
		upstreamsChanged().catch((error: Error) =>
			logger.log('warn', 'changed upstreams could not be handed over', { reason: error.message }),
		);
	};
	store.add(onDidChangeSetting(['errand.local.upstreams'], noticeUpstreams));
	store.add(
		secrets.onDidChange(({ key }) => {
			if (key.startsWith(SECRET_PREFIX)) {
				noticeUpstreams();
			}
		}),
	);
	store.add(
		registerCommand(commands.stopLocalService, async () => {
			const { stopLocalService } = await import('./stopLocalService.ts');
			await stopLocalService(await supervisor(), logger, dependencies.showLog);
		}),
	);
	return {
		async transport(inner) {
			const { createLocalTransport } = await import('./localTransport.ts');
			const { ensure } = await supervisor();
			return createLocalTransport(inner, ensure);
		},
		async warm() {
			await (await supervisor()).ensure();
		},
		async describe() {
			const { readDescription } = await import('./serviceControl.ts');
			const { foundServers: servers, ...offer } = await readDescription(await (await supervisor()).ensure());
			found = servers;
			if (servers.length > 0) {
				(await foundServers()).consider(servers);
			}
			return offer;
		},
		async unusedServers() {
			return found.length === 0 ? [] : (await foundServers()).unused(found);
		},
		async origin() {
			return (await (await supervisor()).ensure()).address;
		},
		async nameRepositories(folders) {
			const { nameRepositories } = await import('./serviceControl.ts');
			await nameRepositories(await (await supervisor()).ensure(), folders);
		},
		async manageUpstreamKeys() {
			const { manageUpstreamKeys } = await import('./upstreams.ts');
			await manageUpstreamKeys(await keyStore(secrets));
		},
		isStopped: () => isStopped,
		onDidChangeStopped: stoppedChanged.event,
		onDidChange: changed.event,
		dispose: () => store.dispose(),
	};
}

async function keyStore(secrets: vscode.SecretStorage): Promise<UpstreamKeyStore> {
	const { UpstreamKeyStore } = await import('./model/upstreamKeyStore.ts');
	return new UpstreamKeyStore(secrets);
}

async function createSupervisor(dependencies: LocalServiceDependencies): Promise<Supervisor> {
	const { extensionUri, secrets, logger, showLog } = dependencies;
	const [{ Supervisor }, { launchPlan }, { stateFolderOf }, { currentHandover }, keys, os] = await Promise.all([
		import('./supervisor.ts'),
		import('./model/launchPlan.ts'),
		import('../contract/control.ts'),
		import('./upstreams.ts'),
		keyStore(secrets),
		import('node:os'),
	]);
	const supervisor = new Supervisor({
		launch: launchPlan({
			execPath: process.execPath,
			servicePath: vscode.Uri.joinPath(extensionUri, 'dist', 'service.js').fsPath,
			environment: process.env,
			proxy: readEditorProxy(),
		}),
		stateFolder: stateFolderOf(process.env, process.platform, os.homedir()),
		logger,
		clock: systemClock,
		handover: () => currentHandover(keys, logger),
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
	const offerRestart = async (error: UserFacingError): Promise<void> => {
		const restart = vscode.l10n.t('Restart');
		const show = vscode.l10n.t('Show Log');
		const chosen = await vscode.window.showErrorMessage(error.message, restart, show);
		if (chosen === show) {
			showLog();
		} else if (chosen === restart) {
			supervisor.reset();
			await supervisor.ensure().catch(again => {
				// Any other error means that the window is closing.
				if (again instanceof UserFacingError) {
					void offerRestart(again);
				}
			});
		}
	};
	supervisor.onDidFail(error => void offerRestart(error));
	return supervisor;
}

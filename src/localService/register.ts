import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { UserFacingError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Transport } from '../client/core/transport.ts';
import { readEditorProxy } from '../platform/settings.ts';
import type { Supervisor } from './supervisor.ts';

export interface LocalServiceDependencies {
	extensionUri: vscode.Uri;
	logger: Logger;
	showLog(): void;
}

export interface LocalService extends Disposable {
	/** Wraps a transport so that the local connection's requests reach the service, which starts when it is needed. */
	transport(inner: Transport): Promise<Transport>;
	/** Starts the service ahead of the first request. */
	warm(): Promise<void>;
}

export function registerLocalService(dependencies: LocalServiceDependencies): LocalService {
	const store = new DisposableStore();
	let created: Promise<Supervisor> | undefined;
	const supervisor = () => {
		created ??= createSupervisor(dependencies).then(made => store.add(made));
		return created;
	};
	return {
		async transport(inner) {
			const { createLocalTransport } = await import('./localTransport.ts');
			const { ensure } = await supervisor();
			return createLocalTransport(inner, ensure);
		},
		async warm() {
			await (await supervisor()).ensure();
		},
		dispose: () => store.dispose(),
	};
}

async function createSupervisor({ extensionUri, logger, showLog }: LocalServiceDependencies): Promise<Supervisor> {
	const [{ Supervisor }, { launchPlan }, { stateFolderOf }, os] = await Promise.all([
		import('./supervisor.ts'),
		import('./model/launchPlan.ts'),
		import('../contract/control.ts'),
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
				// Anything else is the window's own end.
				if (again instanceof UserFacingError) {
					void offerRestart(again);
				}
			});
		}
	};
	supervisor.onDidFail(error => void offerRestart(error));
	return supervisor;
}

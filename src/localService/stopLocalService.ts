import * as vscode from 'vscode';
import { describeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { oneLine } from '../base/plainText.ts';
import { askModal } from '../platform/notify.ts';
import { withProgress } from '../platform/progressNotice.ts';
import { type ActiveTasks, readActiveTasks } from './serviceCalls.ts';
import type { Supervisor } from './supervisor.ts';

const MAXIMUM_NAMED = 5;
const MAXIMUM_PROMPT_LENGTH = 80;

/** Ends the service for all windows. If agents are working, names their tasks and asks first. */
export async function stopLocalService(supervisor: Supervisor, logger: Logger, showLog: () => void): Promise<void> {
	try {
		const service = await supervisor.find();
		if (service === undefined) {
			void vscode.window.showInformationMessage(vscode.l10n.t('The local service isn’t running.'));
			return;
		}
		if (!(await mayStop(await readActiveTasks(service)))) {
			return;
		}
		const title = vscode.l10n.t('Stopping the local service');
		await withProgress(title, () => supervisor.stop(service), { isNotice: true });
		void vscode.window.showInformationMessage(
			vscode.l10n.t('The local service is stopped. It starts again when you use it.'),
		);
	} catch (error) {
		logger.log('error', 'the local service could not be stopped', { reason: describeError(error) });
		const show = vscode.l10n.t('Show Log');
		const message = vscode.l10n.t('Couldn’t stop the local service. See the log for details.');
		if ((await vscode.window.showErrorMessage(message, show)) === show) {
			showLog();
		}
	}
}

async function mayStop({ running, waiting }: ActiveTasks): Promise<boolean> {
	if (running.length === 0) {
		return true;
	}
	const message =
		running.length === 1
			? vscode.l10n.t('Stop the local service while a task is running?')
			: vscode.l10n.t('Stop the local service while {0} tasks are running?', running.length);
	const named = running.slice(0, MAXIMUM_NAMED).map(prompt => `• ${oneLine(prompt, MAXIMUM_PROMPT_LENGTH)}`);
	const more = running.length > named.length ? [vscode.l10n.t('• and {0} more', running.length - named.length)] : [];
	const kept = [
		vscode.l10n.t('Running tasks are interrupted and create no branch. Their logs are kept.'),
		...(waiting === 0 ? [] : [vscode.l10n.t('Waiting tasks continue when the service starts again.')]),
	];
	const stop = vscode.l10n.t('Stop Local Service');
	const detail = [...named, ...more, '', ...kept].join('\n');
	return (await askModal(message, detail, stop)) === stop;
}

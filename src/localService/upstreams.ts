import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import type { Logger } from '../base/logger.ts';
import type { TaskSettings } from '../contract/agents.ts';
import { mayCarryKey, type UpstreamHandoverInput } from '../contract/upstreams.ts';
import { executeCommand } from '../platform/commands.ts';
import { internalCommands } from '../platform/ids.ts';
import { showMessage } from '../platform/notify.ts';
import { settingIssueText } from '../platform/settingIssue.ts';
import { openSetting, readSetting } from '../platform/settings.ts';
import { readTaskSettings } from './model/taskSettings.ts';
import type { UpstreamKeyStore } from './model/upstreamKeyStore.ts';
import { readUpstreamSettings } from './model/upstreamSettings.ts';
import { serverKeyText } from './servers/ownServers.ts';

/**
 * Returns the upstreams of the settings with their keys from the secret storage, and the settings about tasks, with the
 * values of the variables that agents are to get. It never rejects.
 */
export async function currentHandover(keys: UpstreamKeyStore, logger: Logger): Promise<UpstreamHandoverInput> {
	const { upstreams, problems, findOllama } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	for (const { issue } of problems) {
		const reason = issue === undefined ? 'its name' : `${issue.path.join('.')}: ${issue.message}`;
		logger.log('warn', 'an entry of errand.local.upstreams cannot be used', { reason });
	}
	const list = upstreams.map(async ({ slug, setting }) => {
		const key = await keys.usable(slug, setting.url).catch(() => undefined);
		return { ...setting, slug, ...defined({ key }) };
	});
	return { upstreams: await Promise.all(list), findOllama, tasks: currentTaskSettings(logger) };
}

/** Reads the settings about tasks and agents. Those that cannot be used are named in the log. */
export function currentTaskSettings(logger: Logger): TaskSettings {
	const { tasks, agentProblems, unusable } = readTaskSettings({
		agents: readSetting('errand.local.agents'),
		sandbox: readSetting('errand.local.sandbox'),
		maxCost: readSetting('errand.tasks.maxCost'),
		routingPolicy: readSetting('errand.chat.routing'),
		retention: readSetting('errand.chat.zeroDataRetention'),
		environment: process.env,
	});
	for (const { issue } of agentProblems) {
		const reason = issue === undefined ? 'its id' : `${issue.path.join('.')}: ${issue.message}`;
		logger.log('warn', 'an entry of errand.local.agents cannot be used', { reason });
	}
	for (const setting of unusable) {
		logger.log('warn', 'a setting about tasks cannot be used', { reason: setting });
	}
	return tasks;
}

interface UpstreamItem extends vscode.QuickPickItem {
	upstream: { slug: string; url: string } | 'settings' | 'servers' | undefined;
}

/**
 * Lists the model servers of the settings with the state of their keys, and sets, replaces or removes the key of the
 * chosen one.
 */
export async function manageUpstreamKeys(keys: UpstreamKeyStore): Promise<void> {
	const { upstreams, problems } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	const items: UpstreamItem[] = await Promise.all(
		upstreams.map(async ({ slug, setting: { url, label } }) => ({
			upstream: { slug, url },
			label: label ?? slug,
			description: label === undefined ? '' : slug,
			detail: `${new URL(url).origin} · ${await serverKeyText(keys, slug, url)}`,
			iconPath: new vscode.ThemeIcon('server'),
		})),
	);
	items.push(
		...problems.map(({ slug, issue, entry }) => ({
			upstream: 'settings' as const,
			label: slug,
			description: vscode.l10n.t('cannot be used'),
			detail:
				issue === undefined
					? vscode.l10n.t('the name is taken, or is not in lowercase letters and digits')
					: settingIssueText(issue, entry),
			iconPath: new vscode.ThemeIcon('warning'),
		})),
		{ upstream: undefined, label: '', kind: vscode.QuickPickItemKind.Separator },
		{
			upstream: 'servers',
			label: vscode.l10n.t('Add or Change Model Servers…'),
			iconPath: new vscode.ThemeIcon('add'),
		},
	);
	const chosen = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Keys of Model Servers'),
		placeHolder: vscode.l10n.t('The servers that you have added'),
		matchOnDetail: true,
	});
	if (chosen?.upstream === 'settings') {
		await openSetting('errand.local.upstreams');
	} else if (chosen?.upstream === 'servers') {
		await executeCommand(internalCommands.addModelServer);
	} else if (chosen?.upstream) {
		await manageOne(keys, chosen.upstream);
	}
}

async function manageOne(keys: UpstreamKeyStore, upstream: { slug: string; url: string }): Promise<void> {
	const { slug, url } = upstream;
	const { state } = await keys.state(slug, url);
	if (state !== 'missing') {
		const replace = vscode.l10n.t('Replace the key');
		const remove = vscode.l10n.t('Remove the key');
		const chosen = await vscode.window.showQuickPick([replace, remove], { title: slug });
		if (chosen === remove) {
			await keys.remove(slug);
		}
		if (chosen !== replace) {
			return;
		}
	}
	await askForKey(keys, upstream);
}

async function askForKey(keys: UpstreamKeyStore, { slug, url }: { slug: string; url: string }): Promise<void> {
	const { origin } = new URL(url);
	if (!mayCarryKey(url)) {
		const sentence = vscode.l10n.t(
			'{0} is reached without encryption, so no key can be sent there. Give it an https address.',
			origin,
		);
		await showMessage('error', sentence);
		return;
	}
	const text = await vscode.window.showInputBox({
		title: vscode.l10n.t('Key of {0}', slug),
		prompt: vscode.l10n.t('Kept in the editor’s secret storage and sent to {0} only.', origin),
		password: true,
		ignoreFocusOut: true,
		validateInput: input => {
			const key = input.trim();
			return /^[\x21-\x7e]+$/.test(key)
				? undefined
				: vscode.l10n.t('A key has no blanks and no characters beyond ASCII. Paste it again.');
		},
	});
	if (text !== undefined) {
		await keys.save(slug, url, text.trim());
	}
}

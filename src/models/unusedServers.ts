// Model servers whose models the local service does not offer: found ones that are not used, and those that fail.
import * as vscode from 'vscode';
import type { UpstreamProblem } from '../base/errors.ts';
import { placeOf } from '../base/hostname.ts';
import type { FoundAnswer, FoundServer } from '../contract/foundServers.ts';
import { explainError, showExplanation, showMessage } from '../platform/notify.ts';
import type { UnusedServer } from './api.ts';
import { ownerText, upstreamProblemText } from './hosts/messages.ts';
import { type OwnServer, ownServer } from './services.ts';

/**
 * Asks about model servers that the local service has found on this machine, once in each window. It uses
 * notifications, which do not take the keyboard focus. The service stores the answers for all windows.
 */
export class FoundServers {
	private readonly answer: (answer: FoundAnswer) => Promise<void>;
	private readonly asked = new Set<string>();

	/** `answer` sends the user's answer to the service. */
	constructor(answer: (answer: FoundAnswer) => Promise<void>) {
		this.answer = answer;
	}

	/** Asks about the servers for which the user has not answered yet. */
	consider(servers: readonly FoundServer[]): void {
		for (const server of servers) {
			const name = `${server.owner.user} ${server.url}`;
			if (server.use === undefined && !this.asked.has(name)) {
				this.asked.add(name);
				this.ask(server);
			}
		}
	}

	unused(servers: readonly FoundServer[]): UnusedServer[] {
		return servers
			.filter(({ use }) => use !== true)
			.map(server => ({
				kind: 'found',
				label: server.label,
				place: placeOf(server.url),
				reason:
					server.use === false
						? vscode.l10n.t('Not used, as you selected. {0}', ownerText(server.owner))
						: vscode.l10n.t('Not used without your permission. {0}', ownerText(server.owner)),
				ask: () => this.ask(server),
			}));
	}

	/** The question is not awaited, as a notification may stay open for a long time. */
	private ask(server: FoundServer): void {
		const { url, owner } = server;
		const use = vscode.l10n.t('Use');
		const leave = vscode.l10n.t('Don’t Use');
		const message = vscode.l10n.t(
			'Found {0} on this machine, at {1}. {2} Use its models? Your messages are sent to this server.',
			server.label,
			placeOf(server.url),
			ownerText(owner),
		);
		const isTrusted = owner.kind === 'own' || owner.kind === 'root' || owner.kind === 'system';
		const askNow = async () => {
			const chosen = await showMessage(isTrusted ? 'information' : 'warning', message, use, leave);
			if (chosen !== undefined) {
				await this.answer({ url, user: owner.user, use: chosen === use });
			}
		};
		askNow().catch(error => showExplanation(explainError(error, server.label)));
	}
}

/**
 * The servers of the settings that did not list their models, with the reasons. `manage` opens the list for repairing
 * one.
 */
export function failingServers(
	problems: readonly UpstreamProblem[],
	manage: (server: OwnServer) => unknown,
): UnusedServer[] {
	return problems.flatMap((problem): UnusedServer[] => {
		const server = ownServer(problem.slug);
		if (server === undefined) {
			return [];
		}
		const { label, setting } = server;
		const reason = upstreamProblemText(problem, setting.url);
		return [{ kind: 'failing', label, place: placeOf(setting.url), reason, ask: () => manage(server) }];
	});
}

import * as vscode from 'vscode';
import type { FoundAnswer, FoundServer, ServerOwner } from '../contract/foundServers.ts';
import { explainError, showExplanation, showMessage } from '../platform/notify.ts';

export interface FoundServersOptions {
	/** Sends the user's answer to the service. */
	answer(answer: FoundAnswer): Promise<void>;
	onDidAnswer(): void;
}

/** A model server that was found on this machine and is not used, as lists show it. */
export interface UnusedServer {
	label: string;
	/** Its host and port. */
	place: string;
	/** Sentences that say why it is not used and who runs it. */
	reason: string;
	/** Asks whether to use the server, also if the user has answered before. */
	ask(): void;
}

/**
 * Asks about model servers that the local service has found on this machine, once in each window. It uses
 * notifications, which do not take the keyboard focus. The service stores the answers for all windows.
 */
export class FoundServers {
	private readonly options: FoundServersOptions;
	private readonly asked = new Set<string>();

	constructor(options: FoundServersOptions) {
		this.options = options;
	}

	/** Asks about the servers that the user has not answered for. */
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
				label: server.label,
				place: placeOf(server),
				reason:
					server.use === false
						? vscode.l10n.t('Not used, as you chose. {0}', ownerText(server.owner))
						: vscode.l10n.t('Not used until you agree. {0}', ownerText(server.owner)),
				ask: () => this.ask(server),
			}));
	}

	/** The question is not awaited, as a notification may stay open for a long time. */
	private ask(server: FoundServer): void {
		const { url, owner } = server;
		const use = vscode.l10n.t('Use');
		const leave = vscode.l10n.t('Don’t Use');
		const message = vscode.l10n.t(
			'{0} was found on this machine, at {1}. {2} Use its models? What you send to them goes to this server.',
			server.label,
			placeOf(server),
			ownerText(owner),
		);
		const isTrusted = owner.kind === 'own' || owner.kind === 'root' || owner.kind === 'system';
		const answer = async () => {
			const chosen = await showMessage(isTrusted ? 'information' : 'warning', message, use, leave);
			if (chosen !== undefined) {
				await this.options.answer({ url, user: owner.user, use: chosen === use });
				this.options.onDidAnswer();
			}
		};
		answer().catch(error => showExplanation(explainError(error, server.label)));
	}
}

function placeOf({ url }: FoundServer): string {
	return new URL(url).host;
}

function ownerText({ kind, user }: ServerOwner): string {
	switch (kind) {
		case 'own':
			return vscode.l10n.t('It runs as you, {0}.', user);
		case 'root':
			return vscode.l10n.t('It runs as {0}, the administrator.', user);
		case 'system':
			return vscode.l10n.t('It runs as the system account {0}.', user);
		case 'other':
			return vscode.l10n.t('It runs as {0}, another user of this machine, who can read what it gets.', user);
		case 'unknown':
			return vscode.l10n.t('The system does not tell which user it runs as.');
	}
}

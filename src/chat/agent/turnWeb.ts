import { pageAddress, pageText, type WebAccess } from '../../agents/relay/webAccess.ts';
import type { PermissionAnswer, PermissionRequest } from '../../agents/session/events.ts';
import { UserFacingError } from '../../base/errors.ts';
import { searchWhole } from '../../client/plainAnswers.ts';
import type { AgentTurn } from '../conversation/replyRequest.ts';
import { webCallOf } from '../model/approvalPolicy.ts';
import type { AgentModels } from './agentRunsOptions.ts';

/** The web for an agent in one turn: pages and searches that the user has agreed to, whoever asks in the agent's place. */
export class TurnWeb implements WebAccess {
	private readonly pages = new Set<string>();
	private readonly searches = new Set<string>();
	readonly search: WebAccess['search'];

	constructor(models: Pick<AgentModels, 'client' | 'connection'>, { provider }: Pick<AgentTurn, 'provider'>) {
		if (models.connection.searches) {
			this.search = async (query, signal) => {
				if (!this.searches.has(query)) {
					throw notAgreed();
				}
				const { text, sources } = await searchWhole(await models.client(), query, provider, signal);
				return [text, ...sources.map(({ title, url }) => `- ${[title, url].filter(Boolean).join(': ')}`)].join('\n');
			};
		}
	}

	readonly fetch = async (address: string, signal: AbortSignal): Promise<string> => {
		const url = pageAddress(address);
		if (!this.pages.has(url.href)) {
			throw notAgreed();
		}
		return pageText(url, signal);
	};

	/** Takes the answer to a request. */
	answered({ call, options }: PermissionRequest, { option }: PermissionAnswer): void {
		const wanted = webCallOf(call);
		if (wanted !== undefined && options.some(({ id, kind }) => id === option && kind.startsWith('allow'))) {
			if (wanted.kind === 'page') {
				this.pages.add(pageAddress(wanted.url.href).href);
			} else {
				this.searches.add(wanted.query);
			}
		}
	}
}

const notAgreed = () => new UserFacingError('The user has not agreed to this. Ask for it with fetch or web_search.');

import { defined } from '../../../base/defined.ts';
import { ClientError } from '../../../base/errors.ts';
import type { PortOwner } from '../../../base/portOwner.ts';
import type { Transport } from '../../../client/core/transport.ts';
import type { FoundServer } from '../../../contract/foundServers.ts';
import type { UsualServer } from '../../../contract/usualServers.ts';
import type { ServerAnswers } from './serverAnswers.ts';
import { type UpstreamAccess, UpstreamProvider } from './upstreamProvider.ts';

/** Decides whether a server that was found is used, by who runs it and what the user has answered about that. */
export interface OwnerCheck {
	answers: ServerAnswers;
	/** Returns the user who listens at a port of this machine. */
	ownerOf(port: number): Promise<PortOwner>;
}

/**
 * A model server that is looked for on this machine. Every user of the machine can listen at its address, so it is used
 * only if the user has agreed to the one who does, which is checked again before each request. Until then only its list
 * of models is requested, to find out whether it is a model server.
 */
export class FoundServerWatch {
	private readonly server: UsualServer;
	private readonly owners: OwnerCheck;
	private readonly onOwnerChanged: () => void;
	private readonly port: number;
	/** Requests the list of models only, and nothing else that an Ollama server would be asked. */
	private readonly probe: UpstreamProvider;
	private readonly guarded: UpstreamProvider;
	/** The owner when the server was last looked for. Undefined if there was no model server. */
	private owner: PortOwner | undefined;

	/** `onOwnerChanged` is called when a request is refused because the server has ended or another user listens there. */
	constructor(server: UsualServer, access: UpstreamAccess, owners: OwnerCheck, onOwnerChanged: () => void) {
		this.server = server;
		this.owners = owners;
		this.onOwnerChanged = onOwnerChanged;
		this.port = Number(new URL(server.url).port);
		this.probe = new UpstreamProvider({ slug: 'found', url: server.url }, access);
		this.guarded = new UpstreamProvider(server, { ...access, transport: this.guard(access.transport) });
	}

	get url(): string {
		return this.server.url;
	}

	/** The description for windows, or undefined if no server is there. */
	get told(): FoundServer | undefined {
		const use = this.owner && this.answerFor(this.owner);
		return this.owner && { ...this.server, owner: this.owner, ...defined({ use }) };
	}

	/** The provider, or undefined unless the server is there and may be used. */
	get provider(): UpstreamProvider | undefined {
		return this.owner && this.answerFor(this.owner) ? this.guarded : undefined;
	}

	/** Finds out whether the server is there, who runs it, and which models it has. */
	async check(signal: AbortSignal): Promise<void> {
		const owner = await this.owners.ownerOf(this.port);
		const outcome = await (this.answerFor(owner) ? this.guarded : this.probe).refresh(signal);
		this.owner = outcome === 'read' ? owner : undefined;
	}

	private answerFor({ user }: PortOwner): boolean | undefined {
		return this.owners.answers.find(this.server.url, user);
	}

	private guard(transport: Transport): Transport {
		return {
			request: async request => {
				if (!this.answerFor(await this.owners.ownerOf(this.port))) {
					this.onOwnerChanged();
					const message = 'nobody listens at its address any more, or another user than the one who was agreed to';
					throw new ClientError('offline', message, { serviceMessage: message });
				}
				return transport.request(request);
			},
		};
	}
}

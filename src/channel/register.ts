import type { Memento, Uri } from 'vscode';
import { onFirstUse } from '../base/async.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import type { MemoryStore } from '../client/channel/memory.ts';
import type { Connection } from '../contract/connection.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { areRepliesWhole } from '../platform/streamedReplyMessages.ts';
import type { EncryptedChannels } from './api.ts';
import type { ChannelConnection } from './model/places.ts';

export interface ChannelDependencies {
	extensionUri: Uri;
	/** Accepted attestations and permanent answers outlive the window. */
	globalState: Memento;
	active(): Promise<ChannelConnection>;
	logger: Logger;
}

export interface Channel extends Disposable, EncryptedChannels {
	/**
	 * Resolves with the reason why a connection has no encrypted channel, as a sentence, or with undefined if it has
	 * one.
	 */
	refusal(connection: Connection): Promise<string | undefined>;
}

const MEMORY_KEY = 'errand.channel.memory';

/** Stores remembered attestations in the extension's state. */
export function channelMemoryStore(globalState: Memento): MemoryStore {
	return {
		read: () => globalState.get(MEMORY_KEY),
		write: state => void globalState.update(MEMORY_KEY, state),
	};
}

/** The encrypted channel: its report, and sessions for conversations. All of it loads on first use. */
export function registerChannel({ globalState, ...dependencies }: ChannelDependencies): Channel {
	const store = new DisposableStore();
	const consent = async () => new (await import('./channelConsent.ts')).ChannelConsent(globalState);
	const encrypted = async () => {
		const { Encrypted } = await import('./encrypted.ts');
		const { active } = dependencies;
		return new Encrypted({ active, store: channelMemoryStore(globalState), consent: await consent() });
	};
	const show = onFirstUse(async () => {
		const { ShowAttestation } = await import('./showAttestation.ts');
		return store.add(new ShowAttestation({ ...dependencies, consent: await consent() }));
	});
	store.add(registerCommand(commands.showAttestation, async address => (await show()).run(address)));
	return {
		offer: async () => (await encrypted()).offer(),
		open: async (address, options) => (await encrypted()).open(address, options),
		async refusal(connection) {
			const [{ channelPlaces }, { noChannelText }] = await Promise.all([
				import('./model/places.ts'),
				import('./messages.ts'),
			]);
			return channelPlaces(connection).length > 0 ? undefined : noChannelText(connection.label ?? connection.name);
		},
		async explain(error, connection, asked) {
			const { explainChannelError } = await import('./errorMessages.ts');
			return explainChannelError(error, connection, { wasStreamed: asked === 'streamed' && !areRepliesWhole() });
		},
		dispose: () => store.dispose(),
	};
}

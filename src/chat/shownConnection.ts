import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import type { Event } from '../base/event.ts';
import type { Connection } from '../contract/connection.ts';
import { DEMO_SLUGS, LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { findModel } from '../contract/modelIdentifier.ts';
import type { ModelLimits } from '../contract/modelLimits.ts';
import { ownSearchModel } from '../contract/search.ts';
import { errorText } from '../platform/notify.ts';
import { readTextSetting } from '../platform/settings.ts';
import { modelOfMode } from './conversation/findModel.ts';
import { modeModelsOf, refusedModesOf } from './conversation/replyRequest.ts';
import { noModelText, noModeText } from './messages/messages.ts';
import type { Conversation } from './model/conversation.ts';
import { type Measure, measureOf } from './model/measure.ts';
import type { ConnectionView } from './protocol/protocol.ts';

/** The active connection as the settings and its service describe it. */
export interface ChatConnection {
	/** Resolves to its name in the settings, its display name, and its chat model, which is undefined without one. */
	read(): Promise<{
		name: string;
		label: string;
		model: string | undefined;
		/** Set if only the demo answers, because no model server was added. */
		isDemo: boolean;
		/** A sentence that says why the connection has no encrypted channel; absent if it has one. */
		noEncryption?: string;
	}>;
	/** Resolves to the connection, including facts that only its service knows. The local service starts with it. */
	describe(): Promise<Connection>;
	/** Resolves to the origins of its service. Images may be loaded from there even in a private network. */
	origins(): Promise<readonly string[]>;
	onDidChange: Event<void>;
}

/** The active connection as the page shows it. */
export class ShownConnection {
	private readonly active: Pick<ChatConnection, 'read' | 'describe'>;
	private current: ConnectionView = { label: '' };
	/** The connection with the facts that only its service knows; undefined until the service has answered. */
	private described: Connection | undefined;
	/** A sentence that says why the service did not describe the connection. */
	private failure: string | undefined;
	private refreshing: Promise<boolean> = Promise.resolve(false);

	constructor(active: Pick<ChatConnection, 'read' | 'describe'>) {
		this.active = active;
	}

	get view(): ConnectionView {
		return this.current;
	}

	/** A sentence that says why the connection cannot be used. */
	get problem(): string | undefined {
		return this.current.problem?.message ?? this.failure;
	}

	/**
	 * Measures the parts of the next message of a conversation. `agentOf` returns the id of the agent that would get it.
	 */
	measure(conversation: Conversation | undefined, agentOf: (conversation: Conversation) => string): Measure {
		const model = (conversation && this.modelFor(conversation)) ?? '';
		return measureOf(conversation, {
			model,
			limits: this.limitsOf(model),
			takesImages: this.takesImages(model),
			instructions: readTextSetting('errand.chat.instructions'),
			agentOf,
		});
	}

	private modelFor({ encryption, mode, settings }: Conversation): string | undefined {
		const models = this.described ? modeModelsOf(this.described) : {};
		const chosen = modelOfMode(mode ?? 'chat', settings, { usual: this.current.model, models });
		return encryption ? encryption.model : chosen;
	}

	/** Returns the limits of a model as far as they are known. `refreshed` resolves when they are. */
	limitsOf(model: string): ModelLimits {
		const { contextLength, maxOutputTokens } = (this.described && findModel(this.described, model)) ?? {};
		return defined({ contextLength, maxOutputTokens });
	}

	/** Returns whether a model takes images; undefined if that is not known. */
	takesImages(model: string): boolean | undefined {
		return this.described && findModel(this.described, model)?.images;
	}

	/** True if there is a model for web searches, other than the demo's. */
	get searches(): boolean {
		const { described } = this;
		return (
			described !== undefined && (described.name !== LOCAL_CONNECTION_NAME || ownSearchModel(described) !== undefined)
		);
	}

	/** Resolves when the service has described the connection or failed to. */
	async refreshed(): Promise<void> {
		await this.refreshing;
	}

	/**
	 * Resolves to the connection to ask. While only the demo is known, the service may be about to report another model.
	 */
	async toAsk(): ReturnType<ChatConnection['read']> {
		if (this.current.isDemo) {
			await this.refreshing;
		}
		return this.active.read();
	}

	/** Reads the connection from the settings again. A problem with it becomes part of the view. */
	async read(): Promise<void> {
		this.current = await this.readView();
	}

	private async readView(): Promise<ConnectionView> {
		const action = vscode.l10n.t('Switch Connection');
		try {
			const { label, model, isDemo, noEncryption } = await this.active.read();
			const used = model === undefined ? { problem: { message: noModelText(label), action } } : { model };
			return { label, ...used, ...defined({ isDemo: isDemo || undefined, noEncryption }) };
		} catch (error) {
			return { label: '', problem: { message: errorText(error, ''), action } };
		}
	}

	/**
	 * Asks the service for its models, their modes and their limits. Resolves to whether the view has changed. Only the
	 * local service itself knows this; while it starts, nothing but a message waits for it.
	 */
	refresh(): Promise<boolean> {
		this.refreshing = this.refreshNow();
		return this.refreshing;
	}

	private async refreshNow(): Promise<boolean> {
		const before = this.current;
		let described: Connection | undefined;
		let failure: string | undefined;
		try {
			described = await this.active.describe();
		} catch (error) {
			failure = errorText(error, before.label);
		}
		// The models that the service has reported determine which one answers if none was chosen.
		const view = await this.readView();
		if (before !== this.current) {
			return false;
		}
		this.described = described;
		this.failure = failure;
		const refused = described ? refusedModesOf(described) : [];
		const refusedModes = Object.fromEntries(refused.map(mode => [mode, noModeText(mode, view.label)]));
		this.current = {
			...view,
			...defined({
				refusedModes: refused.length === 0 ? undefined : refusedModes,
				hasOneProvider: (described && hasOneProvider(described)) || undefined,
			}),
		};
		return !isDeepStrictEqual(before, this.current);
	}
}

/** The demo and the slug that stands for the user's own servers do not count as further providers. */
function hasOneProvider({ providers, service }: Connection): boolean {
	return providers.filter(({ slug }) => slug !== service && !DEMO_SLUGS.has(slug)).length === 1;
}

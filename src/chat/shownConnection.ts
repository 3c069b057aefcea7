import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import type { Connection } from '../contract/connection.ts';
import { findModel } from '../contract/modelIdentifier.ts';
import { explainError } from '../platform/notify.ts';
import { modeModelsOf } from './conversation/replyRequest.ts';
import type { ChatDependencies } from './dependencies.ts';
import { noModelText } from './messages/messages.ts';
import type { ModelLimits } from './model/contextBudget.ts';
import { TURN_MODES } from './model/mode.ts';
import { noModeText } from './modes/messages.ts';
import type { ConnectionView } from './protocol/protocol.ts';

/** The active connection as the page shows it. */
export class ShownConnection {
	private readonly dependencies: Pick<ChatDependencies, 'connection' | 'describeConnection'>;
	private current: ConnectionView = { label: '' };
	/** With what only its service knows, once that has told. */
	private described: Connection | undefined;
	/** Why the service did not tell. */
	private failure: string | undefined;
	private looking: Promise<boolean> = Promise.resolve(false);

	constructor(dependencies: Pick<ChatDependencies, 'connection' | 'describeConnection'>) {
		this.dependencies = dependencies;
	}

	get view(): ConnectionView {
		return this.current;
	}

	/** Why it cannot be used, as a sentence. */
	get problem(): string | undefined {
		return this.current.problem?.message ?? this.failure;
	}

	/** How much a model takes, as far as that is known; `looked` says when. */
	limitsOf(model: string): ModelLimits {
		const { contextLength, maxOutputTokens } = (this.described && findModel(this.described, model)) ?? {};
		return {
			...defined({ contextLength, maxOutputTokens }),
		};
	}

	/** Whether the connection says that a model takes images; undefined while that is not known. */
	takesImages(model: string): boolean | undefined {
		return this.described && findModel(this.described, model)?.images === true;
	}

	/** Resolves when the service has told what it has, or failed to. */
	async looked(): Promise<void> {
		await this.looking;
	}

	/** Reads it anew. What is wrong with it is part of the view. */
	async read(): Promise<void> {
		const action = vscode.l10n.t('Switch Connection');
		try {
			const { label, model, noEncryption } = await this.dependencies.connection();
			this.current =
				model === undefined ? { label, problem: { message: noModelText(label), action } } : { label, model };
			if (noEncryption !== undefined) {
				this.current = { ...this.current, noEncryption };
			}
		} catch (error) {
			this.current = { label: '', problem: { message: explainError(error, '').message, action } };
		}
	}

	/**
	 * Asks the service what it has: for what messages can ask beside chat, and how much its models take. Resolves with
	 * whether the view has changed. Only the local service itself knows, and nothing but a message waits for it to start.
	 */
	look(): Promise<boolean> {
		this.looking = this.lookNow();
		return this.looking;
	}

	private async lookNow(): Promise<boolean> {
		const before = this.current;
		let described: Connection | undefined;
		let failure: string | undefined;
		try {
			described = await this.dependencies.describeConnection();
		} catch (error) {
			failure = explainError(error, before.label).message;
		}
		if (before !== this.current) {
			return false;
		}
		this.described = described;
		this.failure = failure;
		const models = described && modeModelsOf(described);
		const refused = TURN_MODES.filter(mode => mode !== 'chat' && models && models[mode] === undefined);
		if (refused.length === 0) {
			return false;
		}
		const refusedModes = Object.fromEntries(refused.map(mode => [mode, noModeText(mode, before.label)]));
		this.current = { ...before, refusedModes };
		return true;
	}
}
